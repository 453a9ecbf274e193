"""Where nbval alone fails open: each hole shown with plain nbval, and shut with `-p handgrad.grading.strict`."""

import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest

SWALLOW = """
import time
end = time.monotonic() + 60
while time.monotonic() < end:
    try:
        time.sleep(0.1)
        print("still here", flush=True)
    except BaseException:
        pass
"""


def cell(source: str, text: str | None = None, run: bool = True, name: str = "") -> nbformat.NotebookNode:
    made = nbformat.v4.new_code_cell(source)
    made.execution_count = 1 if run else None
    if text is not None:
        made.outputs = [nbformat.v4.new_output("stream", name="stdout", text=text)]
    if name:
        made["id"] = name
    return made


def nbval(folder: Path, *cells: nbformat.NotebookNode, strict: bool, timeout: float = 30, options: tuple = (), **env: str) -> str:
    """The summary of a run, such as `1 failed, 2 passed`."""
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    notebook.metadata["kernelspec"] = {"name": "handgrad-cpu", "display_name": "Python", "language": "python"}
    nbformat.write(notebook, folder / "one.ipynb")
    (folder / "pytest.ini").write_text("", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "-p",
        "no:cacheprovider",
        "--nbval-lax",
        "--nbval-cell-timeout",
        "4",
        *options,
    ]
    if strict:
        command += ["-p", "handgrad.grading.strict"]
    done = subprocess.run(
        [*command, "one.ipynb"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ | env,
        errors="replace",
    )
    return done.stdout


def passes(output: str, number: int) -> bool:
    return f"{number} passed" in output and "failed" not in output and "xfail" not in output


def test_what_is_right_passes_both(tmp_path):
    cells = (cell("x = 2"), cell("# NBVAL_CHECK_OUTPUT\nprint(x)", "2\n"), cell("# NBVAL_RAISES_EXCEPTION\n1 / 0"))
    assert passes(nbval(tmp_path, *cells, strict=False), 3)
    assert passes(nbval(tmp_path, *cells, strict=True), 3)


def test_a_reference_that_was_never_run(tmp_path):
    cells = (cell("# NBVAL_CHECK_OUTPUT\nprint('anything')", run=False),)
    assert passes(nbval(tmp_path, *cells, strict=False), 1)
    assert "1 failed" in nbval(tmp_path, *cells, strict=True)


def test_an_error_that_a_cell_hides(tmp_path):
    hide = "get_ipython().showtraceback = lambda *a, **k: None\nget_ipython()._showtraceback = lambda *a: None"
    cells = (cell(hide), cell("assert False, 'wrong'"))
    assert passes(nbval(tmp_path, *cells, strict=False), 2)
    assert "1 failed, 1 passed" in nbval(tmp_path, *cells, strict=True)


def test_cells_after_a_timeout(tmp_path):
    cells = (cell("import time\ntime.sleep(30)"), cell("assert False"))
    assert "1 xfailed" in nbval(tmp_path, *cells, strict=False)  # no failure, for who counts failures
    assert "2 failed" in nbval(tmp_path, *cells, strict=True)


def test_a_dead_kernel(tmp_path):
    cells = (cell("import os\nos._exit(3)"), cell("x = 1"))
    start = time.monotonic()
    nbval(tmp_path, *cells, strict=False, options=("--nbval-cell-timeout", "10"), timeout=60)
    plain = time.monotonic() - start
    start = time.monotonic()
    assert "2 failed" in nbval(tmp_path, *cells, strict=True, options=("--nbval-cell-timeout", "10"))
    assert time.monotonic() - start < plain - 5  # it did not wait for the timeout


def test_a_cell_that_swallows_interrupts_and_prints(tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        nbval(tmp_path, cell(SWALLOW), strict=False, timeout=16)
    assert "2 failed" in nbval(tmp_path, cell(SWALLOW), cell("x = 1"), strict=True, timeout=40)


def test_a_flood_of_output(tmp_path):
    flood = "for _ in range(60):\n    print('x' * 2**20, flush=True)"
    assert passes(nbval(tmp_path, cell(flood), strict=False, timeout=60), 1)
    assert "put out more than 32 MiB" in nbval(tmp_path, cell(flood), strict=True, timeout=60)


@pytest.mark.parametrize(("printed", "stored", "same"), [("0.1 + 0.2", "0.3", True), ("0.31", "0.3", False), ("3", "3.0", False)])
def test_numbers_are_compared_as_numbers(tmp_path, printed, stored, same):
    cells = (cell(f"# NBVAL_CHECK_OUTPUT\nprint('sum', {printed})", f"sum {stored}\n"),)
    assert "1 failed" in nbval(tmp_path, *cells, strict=False)
    assert passes(nbval(tmp_path, *cells, strict=True), 1) == same


def test_cells_have_names(tmp_path):
    cells = (cell("# exercise: my_relu\nx = 1"), cell("y = 1", name="imports"))
    assert "::Cell 0 PASSED" in nbval(tmp_path, *cells, strict=False)
    output = nbval(tmp_path, *cells, strict=True)
    assert "::my_relu PASSED" in output
    assert "::imports PASSED" in output


def test_the_sanitize_file_is_utf_8_whatever_the_locale(tmp_path):
    (tmp_path / "clean.cfg").write_text("[numbers]\nregex: \\d+ Größe\nreplace: N\n", encoding="utf-8")
    cells = (cell("# NBVAL_CHECK_OUTPUT\nprint('7 Größe')", "8 Größe\n"),)
    plain_locale = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8"}
    options = ("--nbval-sanitize-with", "clean.cfg")
    assert "1 passed" not in nbval(tmp_path, *cells, strict=False, options=options, **plain_locale)
    assert passes(nbval(tmp_path, *cells, strict=True, options=options, **plain_locale), 1)
