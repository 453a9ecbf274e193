"""Where nbval alone fails open: each hole shown with plain nbval, and shut with `-p handgrad.grading.strict`."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

from handgrad.grading.settings import Settings
from handgrad.grading.workers import Workers
from handgrad.warm.client import Zygote

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


FLOOD = "for _ in range(60):\n    print('x' * 2**20, flush=True)"
HIDE = "get_ipython().showtraceback = lambda *a, **k: None\nget_ipython()._showtraceback = lambda *a: None"
NUMBERS = {"a_sum": ("0.1 + 0.2", "0.3", True), "a_digit": ("0.31", "0.3", False), "a_type": ("3", "3.0", False)}
NOTEBOOKS = {
    "right": [
        cell("x = 2"),
        cell("# NBVAL_CHECK_OUTPUT\nprint(x)", "2\n"),
        cell("# NBVAL_RAISES_EXCEPTION\n1 / 0"),
    ],
    "never_run": [cell("# NBVAL_CHECK_OUTPUT\nprint('anything')", run=False)],
    "hidden": [cell(HIDE), cell("assert False, 'wrong'")],
    "timeout": [cell("import time\ntime.sleep(30)"), cell("assert False")],
    "dead": [cell("import os\nos._exit(3)"), cell("x = 1")],
    "flood": [cell(FLOOD)],
    "names": [cell("# exercise: my_relu\nx = 1"), cell("y = 1", name="imports")],
    **{
        name: [cell(f"# NBVAL_CHECK_OUTPUT\nprint('sum', {printed})", f"sum {stored}\n")]
        for name, (printed, stored, _) in NUMBERS.items()
    },
}


def write(folder: Path, name: str, cells: list[nbformat.NotebookNode]) -> None:
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata["kernelspec"] = {"name": "handgrad-cpu", "display_name": "Python", "language": "python"}
    nbformat.write(notebook, folder / f"{name}.ipynb")
    (folder / "pytest.ini").write_text("", encoding="utf-8")


def nbval(folder: Path, *cells: nbformat.NotebookNode, strict: bool, timeout: float = 120, options: tuple = (), **env) -> str:
    """What a run prints: of a notebook of these cells, or of those in the folder."""
    if cells:
        write(folder, "one", list(cells))
    command = [
        sys.executable,
        *["-m", "pytest", "-v", "-p", "no:cacheprovider", "--nbval-lax", "--nbval-cell-timeout", "4"],
        *options,
    ]
    if strict:
        command += ["-p", "handgrad.grading.strict"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=timeout, env=os.environ | env, errors="replace"
    )
    return done.stdout


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[bool, str]:
    """What plain nbval (False) and the strict one (True) print of NOTEBOOKS."""
    folder = tmp_path_factory.mktemp("notebooks")
    for name, cells in NOTEBOOKS.items():
        write(folder, name, cells)
    with ThreadPoolExecutor() as both:  # each waits most of the time
        runs = {strict: both.submit(nbval, folder, strict=strict, timeout=240) for strict in (False, True)}
    return {strict: run.result() for strict, run in runs.items()}


def outcomes(output: str, name: str) -> list[str]:
    """The outcome of each cell of a notebook."""
    return re.findall(rf"^{name}::.* (PASSED|FAILED|XFAIL)\b", output, re.MULTILINE)


def passes(output: str, number: int) -> bool:
    return f"{number} passed" in output and "failed" not in output and "xfail" not in output


def test_what_is_right_passes_both(said):
    assert outcomes(said[False], "right") == outcomes(said[True], "right") == ["PASSED"] * 3


@pytest.mark.parametrize(
    ("name", "plain", "strict"),
    [
        ("never_run", ["PASSED"], ["FAILED"]),
        ("hidden", ["PASSED", "PASSED"], ["PASSED", "FAILED"]),
        ("timeout", ["FAILED", "XFAIL"], ["FAILED", "FAILED"]),  # where one counts failures, an expected one is none
        ("dead", ["FAILED", "XFAIL"], ["FAILED", "FAILED"]),
        ("flood", ["PASSED"], ["FAILED"]),
    ],
)
def test_what_plain_nbval_lets_pass_is_shut(said, name, plain, strict):
    assert outcomes(said[False], name) == plain
    assert outcomes(said[True], name) == strict


def test_a_flood_of_output_is_named(said):
    assert "put out more than 32 MiB" in said[True]


def test_for_a_dead_kernel_nobody_waits(said):
    waited = "Timeout of 4 seconds exceeded while executing cell. Failed to interrupt kernel in 5 seconds"
    assert waited in said[False] and "kernel died" not in said[False]
    assert waited not in said[True] and "Cell 0: the kernel died" in said[True]


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_compared_as_numbers(said, name):
    assert outcomes(said[False], name) == ["FAILED"]
    assert outcomes(said[True], name) == ["PASSED" if NUMBERS[name][2] else "FAILED"]


def test_cells_have_names(said):
    assert "names::ipynb::Cell 0 PASSED" in said[False]
    assert "::my_relu PASSED" in said[True]
    assert "::imports PASSED" in said[True]


def test_a_cell_that_swallows_interrupts_and_prints(tmp_path):
    write(tmp_path, "one", [cell(SWALLOW), cell("x = 1")])
    with ThreadPoolExecutor() as both:
        plain = both.submit(nbval, tmp_path, strict=False, timeout=15)
        assert "2 failed" in nbval(tmp_path, strict=True, timeout=40)
    assert isinstance(plain.exception(), subprocess.TimeoutExpired)


def test_the_sanitize_file_is_utf_8_whatever_the_locale(tmp_path):
    (tmp_path / "clean.cfg").write_text("[numbers]\nregex: \\d+ Größe\nreplace: N\n", encoding="utf-8")
    cells = (cell("# NBVAL_CHECK_OUTPUT\nprint('7 Größe')", "8 Größe\n"),)
    plain_locale = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-8"}
    options = ("--nbval-sanitize-with", "clean.cfg")
    assert "1 passed" not in nbval(tmp_path, *cells, strict=False, options=options, **plain_locale)
    assert passes(nbval(tmp_path, *cells, strict=True, options=options, **plain_locale), 1)


def corpus() -> list[nbformat.NotebookNode]:
    """Each right and wrong answer to my_relu with cells that compare and that assert, and whatever else nbval knows of cells."""
    cells = []
    for path in sorted((Path(__file__).parent / "answers").glob("*/my_relu/*.py")):
        cells.append(cell(f"MyReLU = None\n{path.read_text(encoding='utf-8')}"))
        values = "x = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)\ny = MyReLU.apply(x)\nprint((y + 0.0).tolist())"
        cells.append(cell(f"# NBVAL_CHECK_OUTPUT\nimport torch\n{values}", "[0.0, 0.5, 2.0]\n"))
        gradient = "y.backward(torch.tensor([3.0, -4.0, 5.0]))\nprint(x.grad.tolist())"
        cells.append(cell(f"# NBVAL_CHECK_OUTPUT\n{gradient}", "[0.0, -4.0, 5.0]\n"))
        check = "torch.autograd.gradcheck(MyReLU.apply, torch.tensor([-1.0, 2.0], dtype=torch.float64, requires_grad=True))"
        cells.append(cell(f"assert {check}"))
    shown = nbformat.v4.new_output("execute_result", {"text/plain": "{'a': 1}"}, execution_count=1)
    written = nbformat.v4.new_output("stream", name="stderr", text="to stderr\n")
    for source, outputs in {
        "{'a': 1}": [shown],
        "{'a': 2}": [shown],
        "print('{}')": [shown],
        "import sys\nprint('to stderr', file=sys.stderr)": [written],
        "print('to stderr')": [written],
        "print('a')\nprint('b')": [nbformat.v4.new_output("stream", name="stdout", text="a\nb\n")],
        "from IPython.display import Markdown, display\ndisplay(Markdown('*a*'))": [
            nbformat.v4.new_output(
                "display_data", {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "*a*"}
            )
        ],
        "x = 1": [shown],
    }.items():
        made = cell(f"# NBVAL_CHECK_OUTPUT\n{source}")
        made.outputs = outputs
        cells.append(made)
    marked = (
        "# NBVAL_SKIP\n1 / 0",
        "# NBVAL_RAISES_EXCEPTION\n1 / 0",
        "# NBVAL_RAISES_EXCEPTION\nx = 1",
        "# NBVAL_IGNORE_OUTPUT\n1",
    )
    plain = (
        "1 / 0",
        "def f(:",
        "%timeit -n1 -r1 1",
        "!true",
        "raise KeyboardInterrupt",
        "assert f'{1}' == '2'",
        "1;",
    )
    return [*cells, *map(cell, (*marked, *plain))]


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux alone")
def test_a_forked_shell_says_of_each_cell_what_plain_nbval_says(tmp_path):
    cells = corpus()
    nbval(tmp_path, *cells, strict=False, options=("--junit-xml", "plain.xml", "--nbval-cell-timeout", "60"), timeout=300)
    cases = ElementTree.parse(tmp_path / "plain.xml").getroot().iter("testcase")
    plain = [not any(case.find(word) is not None for word in ("failure", "error", "skipped")) for case in cases]
    with Zygote() as zygote, Workers(Settings(seed=1, warm=zygote.path), 1) as workers:
        forked = [seen["passed"] for seen in workers.work({"merged": nbformat.v4.new_notebook(cells=cells)})["cells"]]
    assert len(plain) == len(forked) == len(cells)
    assert plain.count(True) > 100 and plain.count(False) > 40
    assert [(number, cells[number].source, a) for number, (a, b) in enumerate(zip(plain, forked, strict=True)) if a != b] == []
