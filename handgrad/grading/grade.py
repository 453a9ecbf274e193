"""Grade learners' notebooks: their answers, in the official notebook, run by nbval, judged by this process."""

import secrets
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from handgrad.errors import CourseError
from handgrad.exercises import EXERCISES
from handgrad.grading import nbval_run
from handgrad.grading.kernel_choice import kernel_problem
from handgrad.grading.official import find_official
from handgrad.grading.table import Row, show_rows
from handgrad.notebooks.answers import Answer, answer_cells, merge, read_notebook, take_answers
from handgrad.verdict import judge_record


@dataclass(frozen=True)
class Graded:
    """One learner's notebook, graded. `notes`: what to know about how the answers were found."""

    title: str
    rows: list[Row]
    notes: list[str]


def grade_notebooks(paths: tuple[Path, ...], kernel: str) -> int:
    """Grade each notebook and print its table.

    Returns:
        The exit status: 0 when all were graded, right or wrong; 1 when one could not be.
    """
    if find_spec("nbval") is None:
        raise CourseError("grading runs on nbval, which is not installed: python -m pip install -r requirements.txt")
    problem = kernel_problem(kernel)
    if problem:
        raise CourseError(problem)
    console = Console(markup=False, highlight=False)
    status = 0
    for path in paths:
        try:
            with console.status(f"running {path.name}"):
                graded = grade_notebook(path, kernel)
        except CourseError as error:
            error.show()
            status = 1
        else:
            show_rows(console, graded.title, graded.rows, graded.notes)
    return status


def grade_notebook(path: Path, kernel: str) -> Graded:
    """Grade the answers of one notebook. The file is only read.

    Raises:
        CourseError: it is no notebook, or none of the course, or cannot be run.
    """
    notebook = read_notebook(path)
    official_path = find_official(path, notebook)
    official = read_notebook(official_path)
    answers = take_answers(notebook, official)
    if not answers:
        raise CourseError(
            f"{path}: no answer cell of {official_path.stem} is in it. "
            f"Expected cells that begin with `# exercise: NAME`; grade a copy of exercises/{official_path.name}"
        )
    seed = secrets.randbelow(2**31)
    cells = nbval_run.run_notebook(merge(official, answers), kernel, seed)
    before = cells[: next(index for index, cell in enumerate(cells) if cell["exercise"])]
    for cell in before:
        if not cell["passed"]:
            error = cell["error"] or {"traceback": cell["lost"] or "no reply"}
            raise CourseError(f"{official_path}: a cell of the course fails before the first answer:\n{error['traceback']}")
    names = answer_cells(official)
    rows = []
    for name in names:
        answer_cell, check_cell = (cell for cell in cells if cell["exercise"] == name)
        outcome, probe, text = _judge(name, answers.get(name), answer_cell, check_cell, seed)
        points = EXERCISES[name].points
        rows.append(Row(name, outcome, points if outcome == "done" else 0, points, probe, text))
    return Graded(path.name, rows, [note for name in names if name in answers for note in answers[name].notes])


def _judge(name: str, answer: Answer | None, answer_cell: dict, check_cell: dict, seed: int) -> tuple[str, str, str]:
    """Outcome, first failing probe and text of one exercise. Only a record that fits the seed is *done*, never a print."""
    if answer is None:
        return "not attempted", "", f"{name}: no answer cell. Begin one with `# exercise: {name}`."
    lost = answer_cell["lost"] or check_cell["lost"]
    if lost == "timed out":
        return lost, "", f"{name}: stopped after {nbval_run.CELL_TIMEOUT:.0f} seconds. Look for a loop that never ends."
    if lost:
        return lost, "", f"{name}: the Python process ended. Look for exit(), or far too much memory."
    for place, cell in (("the answer cell", answer_cell), ("the check", check_cell)):
        error = cell["error"] or {"name": "an error", "traceback": "which it did not show"}
        if cell["passed"] or cell["record"] is not None:  # a check that is not done fails, but leaves its record
            continue
        if error["name"] == "NotImplementedError":
            return "not started", "", f'{name}: not started. Replace "raise NotImplementedError" with your answer.'
        alone = "\nOnly answer cells are run: what an answer needs must stand in it." if error["name"] == "NameError" else ""
        return "raised", f"{place}: {error['name']}", f"{name}: {place} raised an error\n{error['traceback']}{alone}"
    record = check_cell["record"]
    if record is None:
        text = f"{name}: the check left no record. If an answer defines a `check` of its own, rename it."
        return "not yet", "the check", text
    if isinstance(record, dict):
        record["source"] = answer.source  # rules read the text that was taken, not what the kernel says it was
    verdict = judge_record(name, record, seed)
    if verdict.outcome == "not started":
        return verdict.outcome, "", verdict.text()
    probe = next((finding.probe for finding in verdict.findings if not finding.advice), "")
    return verdict.outcome, probe, verdict.text() if verdict.findings or verdict.outcome != "done" else ""
