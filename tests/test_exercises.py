"""Every exercise in all its states: untouched, the solution, each wrong answer with its message, each right answer.

An answer file defines what the answer cell defines. A wrong one says in its docstring which message it must meet:
`Meets: <probe>: <part of what the check says>`.
"""

import ast
import linecache
from functools import cache
from pathlib import Path

import nbformat
import pytest

from handgrad.exercises import EXERCISES
from handgrad.observe import observe
from handgrad.verdict import Verdict, judge_record

ROOT = Path(__file__).parents[1]
ANSWERS = ROOT / "tests" / "answers"


@cache
def cells(kind: str, chapter: str) -> list:
    return nbformat.read(ROOT / kind / f"{chapter}.ipynb", as_version=4).cells


def answer_cell(kind: str, name: str) -> str:
    """The source of the answer cell of an exercise in `exercises` or `solutions`."""
    anchor = f"# exercise: {name}"
    (source,) = [cell.source for cell in cells(kind, EXERCISES[name].chapter) if cell.source.splitlines()[:1] == [anchor]]
    return source


def checked_expression(name: str) -> str:
    """What the official check cell hands to check: `MyReLU` of `check("my_relu", MyReLU)`."""
    for cell in cells("exercises", EXERCISES[name].chapter):
        if cell.cell_type == "code" and cell.source.startswith(f'check("{name}"'):
            return ast.unparse(ast.parse(cell.source).body[0].value.args[1])
    raise AssertionError(f"{name} has no check cell")


def verdict(name: str, source: str, filename: str, seed: int = 0) -> Verdict:
    """Check an answer as the notebook would."""
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    namespace: dict = {"__name__": "answer"}
    exec(compile(source, filename, "exec"), namespace)
    answer = eval(checked_expression(name), namespace)
    return judge_record(name, observe(EXERCISES[name], answer, seed), seed)


def files(state: str) -> list:
    found = [(path.parent.name, path) for path in sorted((ANSWERS / state).glob("*/*.py"))]
    return [pytest.param(name, path, id=f"{name}/{path.stem}") for name, path in found]


def expected_message(path: Path) -> tuple[str, str]:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    meets = [line.removeprefix("Meets:").strip() for line in docstring.splitlines() if line.startswith("Meets:")]
    assert len(meets) == 1, f"{path}: the docstring needs one line 'Meets: <probe>: <part of the message>'"
    probe, _, message = meets[0].partition(": ")
    return probe, message


# the answer cell of these holds code that runs and is wrong
REPAIRS = {"red_to_green", "in_place_damage", "move_and_freeze"}


@pytest.mark.parametrize("name", EXERCISES)
def test_untouched_is_not_started_or_as_broken_as_it_was(name):
    outcome = verdict(name, answer_cell("exercises", name), f"untouched {name}").outcome
    assert outcome in (("not yet", "raised") if name in REPAIRS else ("not started",))


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.parametrize("seed", [0, 7, 2026])
def test_solution_is_done(name, seed):
    result = verdict(name, answer_cell("solutions", name), f"solution {name}", seed)
    assert result.outcome == "done", result.text()
    assert len(result.text().splitlines()) == 1, result.text()


@pytest.mark.parametrize(("name", "path"), files("wrong"))
def test_wrong_answer_meets_its_message(name, path):
    probe, message = expected_message(path)
    result = verdict(name, path.read_text(encoding="utf-8"), str(path))
    assert result.outcome in ("not yet", "raised"), result.text()
    first = next(finding for finding in result.findings if not finding.advice)
    assert first.probe == probe, result.text()
    assert message
    assert message in first.text, result.text()


@pytest.mark.parametrize(("name", "path"), files("right"))
def test_right_answer_is_done(name, path):
    result = verdict(name, path.read_text(encoding="utf-8"), str(path))
    assert result.outcome == "done", result.text()


@pytest.mark.parametrize("name", EXERCISES)
def test_every_exercise_has_its_answers_and_hints(name):
    assert len(list((ANSWERS / "wrong" / name).glob("*.py"))) >= 3
    assert len(list((ANSWERS / "right" / name).glob("*.py"))) >= 2
    assert all(EXERCISES[name].hints)


def test_no_answers_without_an_exercise():
    assert {path.name for state in ("wrong", "right") for path in (ANSWERS / state).iterdir()} == set(EXERCISES)
