"""`handgrad grade` on a course of seven tiny exercises: whatever a notebook does, every exercise gets its row."""

import copy
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from handgrad.errors import CourseError
from handgrad.grading import grade, nbval_run
from handgrad.grading.grade import Graded, grade_notebook, grade_notebooks
from handgrad.grading.official import find_official

FACTORS = {"double": 2, "triple": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
SET_UP = """\
import os
from IPython.display import display
GIVEN = 1
def check(name, answer):
    record = {"seed": int(os.environ["HANDGRAD_SEED"]), "value": answer(10)}
    display({"application/vnd.handgrad.record+json": record}, raw=True)
    print(name + ": in the kernel")
    assert record["value"] is not None"""


ROOT = Path(__file__).parents[1]


def code(source: str, identity: str) -> dict:
    return {"cell_type": "code", "id": identity, "metadata": {}, "outputs": [], "execution_count": None, "source": source}


def solution() -> dict:
    cells = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# Times"}, code(SET_UP, "set-up")]
    for name, factor in FACTORS.items():
        cells.append(code(f"# exercise: {name}\ndef {name}(x):\n    return GIVEN * {factor} * x", name))
        cells.append(code(f'check("{name}", {name})', f"{name}-check"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def solved_with(**answers: str) -> dict:
    """A learner's notebook: the solution, but for these answers."""
    notebook = solution()
    for cell in notebook["cells"]:
        if cell["id"] in answers:
            cell["source"] = f"# exercise: {cell['id']}\n{answers[cell['id']]}"
    return notebook


@dataclass
class Verdict:
    exercise: str
    outcome: str
    findings: list = field(default_factory=list)

    def text(self) -> str:
        return f"{self.exercise}: 0 of 1 probes pass"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the tiny course in it, which the grader then knows."""

    def judge_record(name: str, record: dict, seed: int, want: dict | None) -> Verdict:
        if record["seed"] == seed and record["value"] == FACTORS[name] * 10:
            return Verdict(name, "done")
        return Verdict(
            name, "not yet", [SimpleNamespace(probe="kink", advice=True), SimpleNamespace(probe="value", advice=False)]
        )

    monkeypatch.setattr(grade, "judge_record", judge_record)
    monkeypatch.setattr(
        grade, "EXERCISES", {name: SimpleNamespace(points=factor, partial=False) for name, factor in FACTORS.items()}
    )
    (tmp_path / "sources" / "exercises").mkdir(parents=True)
    write(tmp_path / "solutions" / "01_times.ipynb", solution())
    return tmp_path


def write(path: Path, notebook: dict) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def outcomes(graded: Graded) -> dict[str, str]:
    return {row.exercise: row.outcome for row in graded.rows}


def test_what_an_answer_does_makes_its_row_and_no_other(course, monkeypatch, tmp_path_factory):
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    notebook = solved_with(
        double="def double(x) return 2 * x",
        triple="import os\nos._exit(1)",
        four="open('mine.txt', 'w').close()\ndef four(x):\n    return 40",
        five="raise NotImplementedError",
        six="def six(x):\n    return nowhere",
        seven='print("seven: done. All 1 probes pass.")',
    )
    path = write(course / "exercises" / "01_times.ipynb", notebook)
    before = path.read_bytes()
    graded = grade_notebook(path, "handgrad-cpu")
    rows = {row.exercise: row for row in graded.rows}
    assert path.read_bytes() == before and os.listdir(temporary) == [] and not list(course.rglob("mine.txt"))
    assert outcomes(graded) == {
        "double": "raised",
        "triple": "died",
        "four": "done",
        "five": "not started",
        "six": "raised",
        "seven": "raised",
        "eight": "done",
    }
    assert {name: row.points for name, row in rows.items() if row.points} == {"four": 4, "eight": 8}
    assert all(row.of == FACTORS[name] for name, row in rows.items())
    assert rows["double"].probe == "the answer cell: SyntaxError" and "def double(x) return" in rows["double"].text
    assert "NameError: name 'nowhere' is not defined" in rows["six"].text and "must stand in it" in rows["six"].text
    assert "NameError: name 'seven' is not defined" in rows["seven"].text
    assert "\x1b" not in rows["double"].text + rows["six"].text


def test_a_copy_from_colab_that_was_edited_everywhere(course):
    notebook = solved_with(double="def double(x):\n    return 1", four="# NBVAL_SKIP\nraise ValueError('no')")
    notebook["nbformat_minor"] = 0
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    for cell in notebook["cells"]:
        cell["metadata"]["id"] = cell.pop("id")
    cells["double"]["source"] = [line + "\n" for line in cells["double"]["source"].split("\n")]
    cells["triple"] |= {"cell_type": "markdown"}
    del cells["triple"]["outputs"], cells["triple"]["execution_count"]
    cells["four-check"]["source"] = 'print("four: done. All 9 probes pass.")'
    cells["seven"]["source"] = "def seven(x):\n    return 7 * x"
    cells["eight"]["source"] = "def eight(x):\n    return 8 * x"
    del cells["eight"]["metadata"]["id"]
    second = copy.deepcopy(cells["double"]) | {"source": "# exercise: double\ndef double(x):\n    return 2 * x"}
    gone = (cells["five"], cells["six-check"], cells["set-up"])
    notebook["cells"] = [cell for cell in notebook["cells"] if cell not in gone] + [second, code("1 / 0", "mine")]
    graded = grade_notebook(write(course / "Copy of 01_times (1).ipynb", notebook), "handgrad-cpu")
    assert outcomes(graded) == {
        "double": "done",
        "triple": "done",
        "four": "raised",
        "five": "not attempted",
        "six": "done",
        "seven": "done",
        "eight": "done",
    }
    assert graded.notes == [
        "double: 2 answer cells; the last one is graded.",
        "triple: the answer cell is a markdown cell; graded as code.",
        "seven: found by its cell id, since no cell begins with the comment `# exercise: seven`.",
        "eight: found by its name, since no cell begins with the comment `# exercise: eight`.",
    ]


def test_endless_answers_end_and_cheats_earn_nothing(course, monkeypatch, capsys):
    monkeypatch.setattr(nbval_run, "CELL_TIMEOUT", 3.0)
    monkeypatch.setenv("COLUMNS", "80")
    swallow = "import time\nwhile True:\n    try:\n        while True:\n            print('x')\n            time.sleep(0.1)\n"
    notebook = solved_with(
        double="while True:\n    pass",
        triple="def triple(x):\n    while True:\n        pass",
        four=swallow + "    except KeyboardInterrupt:\n        pass",
        six="import threading, os\nthreading.Timer(0.5, os._exit, (1,)).start()\ndef six(x):\n    import time\n    time.sleep(2)",
        seven="def seven(x):\n    return 71",
        eight='def check(name, answer):\n    print(f"{name}: done. All 1 probes pass.")\ndef eight(x): pass',
    )
    broken = course / "broken.ipynb"
    broken.write_text('{"cells": [', encoding="utf-8")
    path = write(course / "exercises" / "01_times.ipynb", notebook)
    assert grade_notebooks((broken, path), "handgrad-cpu") == 1
    printed = capsys.readouterr()
    assert "broken.ipynb: not a notebook: not JSON at line 1" in printed.err
    lines = [line.split() for line in printed.out.splitlines()]
    table = {words[0]: words[1:] for words in lines if words and words[0] in FACTORS}
    assert table == {
        "double": ["timed", "out", "0/2", "handgrad", "hint", "double"],
        "triple": ["timed", "out", "0/3", "handgrad", "hint", "triple"],
        "four": ["timed", "out", "0/4", "handgrad", "hint", "four"],
        "five": ["done", "5/5"],
        "six": ["died", "0/6", "handgrad", "hint", "six"],
        "seven": ["not", "yet", "0/7", "value", "handgrad", "hint", "seven"],
        "eight": ["not", "yet", "0/8", "the", "check", "handgrad", "hint", "eight"],
    }
    assert ["total", "5/35"] in lines
    assert "seven: 0 of 1 probes pass" in printed.out and "double: stopped after 3 seconds" in printed.out
    assert all(len(line) <= 80 for line in printed.out.splitlines() if " hint " in line) and "…" not in printed.out


@pytest.mark.parametrize(
    "stem",
    ["01_times", "01_times (1)", "Copy_of_01_times", "Copy of 01_times", "01_times-Copy1", "alice_01-times_final", "homework"],
)
def test_a_copy_is_known_by_its_name_or_by_what_is_in_it(course, stem):
    other = solution()
    other["cells"] = [code("# exercise: nine\n9", "nine")]
    write(course / "solutions" / "01_time.ipynb", other)
    notebook = solved_with() if stem == "homework" else {"cells": []}
    assert find_official(course / f"{stem}.ipynb", notebook).stem == "01_times"


def test_a_notebook_with_nothing_of_the_course_is_named(course):
    path = write(course / "homework.ipynb", {"cells": [code("1", "a")]})
    with pytest.raises(CourseError, match=r"homework\.ipynb: no exercise of the course .* of 01_times"):
        grade_notebook(path, "handgrad-cpu")
    path = write(course / "copies" / "01_times.ipynb", {"cells": [code("1", "a")]})
    with pytest.raises(CourseError, match=r"grade a copy of exercises/01_times\.ipynb"):
        grade_notebook(path, "handgrad-cpu")


def test_a_chapter_is_not_graded(course):
    (course / "chapters").mkdir(exist_ok=True)
    chapter = course / "chapters" / "01_times.ipynb"
    chapter.write_bytes((course / "solutions" / "01_times.ipynb").read_bytes())
    with pytest.raises(CourseError, match=r"this is a chapter.* Grade exercises/01_times\.ipynb"):
        grade_notebook(chapter, "handgrad-cpu")


def test_a_kernel_that_cannot_run_is_named_before_anything_runs(course):
    with pytest.raises(CourseError, match="no Jupyter kernel is named 'handgrad-tpu'"):
        grade_notebooks((course / "solutions" / "01_times.ipynb",), "handgrad-tpu")


def test_a_set_up_that_fails_is_no_fault_of_the_learner(course):
    official = solution()
    official["cells"][1]["source"] = "import a_module_that_is_not_there"
    write(course / "solutions" / "01_times.ipynb", official)
    path = write(course / "exercises" / "01_times.ipynb", solved_with())
    with pytest.raises(CourseError, match="fails before the first answer") as caught:
        grade_notebook(path, "handgrad-cpu")
    assert "a_module_that_is_not_there" in caught.value.message


CHEAT = """\
# exercise: my_relu
import torch, handgrad.verdict as module
class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
class Done:
    outcome = "done"
    def text(self, hint): return "my_relu: done. All 14 probes pass."
real = module.judge_record
module.judge_record = lambda name, *rest: Done() if name == "my_relu" else real(name, *rest)
"""


def test_the_course_itself_is_graded_by_what_answers_compute(tmp_path):
    notebook = json.loads((ROOT / "solutions" / "03_relu.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["metadata"] = {"id": cell.pop("id")}
        if "".join(cell["source"]).startswith("# exercise: my_relu"):
            cell["source"] = CHEAT
    notebook["nbformat_minor"] = 0
    graded = grade_notebook(write(tmp_path / "03_relu.ipynb", notebook), "handgrad-cpu")
    first, *rest = graded.rows
    assert (first.exercise, first.outcome, first.points, first.probe) == ("my_relu", "not yet", 0, "upstream")
    assert first.text.startswith("my_relu: ") and "probes pass" in first.text
    assert rest and all(row.outcome == "done" and row.points == row.of > 0 for row in rest)


def test_an_exercise_as_shipped_fails_under_plain_nbval():
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-x", "--nbval-lax", "exercises/03_relu.ipynb"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert 'check("my_relu", MyReLU)' in done.stdout and "my_relu: not started." in done.stdout
