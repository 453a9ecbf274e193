"""One merged notebook through nbval, in a pytest process of its own."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from handgrad.errors import CourseError

CELL_TIMEOUT = 60.0  # seconds; the slowest check, 500 steps of the training loop, takes about two
PLUGINS = ("nbval.plugin", "handgrad.grading.collect", "no:cacheprovider")


def run_notebook(merged: dict, kernel: str, seed: int) -> list[dict]:
    """Run the cells of `merged` and say what was seen of each: a list of the `seen` of `handgrad.grading.collect`.

    Args:
        kernel: name of a Jupyter kernel.
        seed: the checks draw their inputs from it and publish their records.

    Raises:
        CourseError: the notebook could not be run at all.
    """
    with tempfile.TemporaryDirectory(prefix="handgrad-") as name:
        folder = Path(name)
        report = folder / "report.json"
        (folder / "graded.ipynb").write_text(json.dumps(merged), encoding="utf-8", newline="\n")
        (folder / "pytest.ini").write_text("", encoding="utf-8")  # so that no folder above configures the run
        environment = os.environ | {"HANDGRAD_SEED": str(seed), "HANDGRAD_PROGRESS": "off"}
        environment |= {"PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # other plugins cost seconds
        command = [sys.executable, "-m", "pytest", *(f"-p{plugin}" for plugin in PLUGINS), "--color", "no", "--nbval-lax"]
        command += ["--nbval-kernel-name", kernel, "--nbval-cell-timeout", str(CELL_TIMEOUT), "--handgrad-report", str(report)]
        done = subprocess.run(
            [*command, "graded.ipynb"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        cells = json.loads(report.read_text(encoding="utf-8")) if report.exists() else []
    if not cells or not any(cell["passed"] for cell in cells):
        last = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise CourseError(f"nbval could not run the notebook in the kernel {kernel}. Its last words:\n{last}")
    return cells
