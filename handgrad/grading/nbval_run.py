"""One merged notebook through nbval, in a grading process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import asdict

from handgrad.errors import CourseError
from handgrad.grading.worker import Settings

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
    done = subprocess.run(
        [sys.executable, "-m", "handgrad.grading.worker", json.dumps(asdict(settings))],
        input=json.dumps({"merged": merged}) + "\n",
        env=os.environ | {"PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    cells = json.loads(done.stdout)["cells"] if done.stdout.strip() else []
    if not cells or not any(cell["passed"] for cell in cells):
        said = next((cell["error"]["traceback"] for cell in cells if cell["error"]), done.stderr.strip())
        last = "\n".join(said.splitlines()[-15:])
        raise CourseError(f"nbval could not run the notebook in the kernel {kernel}. Its last words:\n{last}")
    return cells
