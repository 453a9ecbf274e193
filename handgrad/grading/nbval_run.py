"""One merged notebook through nbval, in a grading process of its own."""

import tempfile

from handgrad.errors import CourseError
from handgrad.grading.settings import Settings
from handgrad.grading.workers import Workers

CELL_TIMEOUT = 60.0  # seconds; the slowest check, 500 steps of the training loop, takes about two


def run_notebook(merged: dict, kernel: str, seed: int) -> list[dict]:
    """Run the cells of `merged` and say what was seen of each (see `handgrad.grading.worker.GradedCell`).

    Args:
        kernel: name of a Jupyter kernel.
        seed: the checks draw their inputs from it and publish their records.

    Raises:
        CourseError: the notebook could not be run at all.
    """
    settings = Settings(seed, kernel, cell_timeout=CELL_TIMEOUT)
    with tempfile.TemporaryFile() as log:
        with Workers(settings, 1, log) as workers:
            cells = (workers.work({"merged": merged}) or {}).get("cells", [])
        if not any(cell["passed"] for cell in cells):
            log.seek(0)
            said = next((cell["error"]["traceback"] for cell in cells if cell["error"]), log.read().decode(errors="replace"))
            last = "\n".join(said.strip().splitlines()[-15:])
            raise CourseError(f"nbval could not run the notebook in the kernel {kernel}. Its last words:\n{last}")
    return cells
