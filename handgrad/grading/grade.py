"""Grade learners' notebooks: their answers, in the official notebook, run by nbval, judged by this process."""

import secrets
from dataclasses import dataclass
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
            raise CourseError(f"{official_path}: a cell of the course fails before the first answer:\n{_error(cell)}")
    names = answer_cells(official)
    rows = [_row(name, answers.get(name), [cell for cell in cells if cell["exercise"] == name], seed) for name in names]
    return Graded(path.name, rows, [note for name in names if name in answers for note in answers[name].notes])


def _row(name: str, answer: Answer | None, cells: list[dict], seed: int) -> Row:
    """The row of one exercise. Only a record that fits the seed earns points; what was printed earns none."""
    of = EXERCISES[name].points
    answer_cell, check_cell = cells
    lost = answer_cell["lost"] or check_cell["lost"]
    error = answer_cell["error"] or {}
    record = check_cell["record"]
    if answer is None:
        return Row(name, "not attempted", 0, of, "", f"no answer cell. Begin one with `# exercise: {name}`.")
    if lost == "timed out":
        return Row(name, lost, 0, of, "", f"stopped after {nbval_run.CELL_TIMEOUT:.0f} seconds. Look for a loop that never ends.")
    if lost:
        return Row(name, lost, 0, of, "", "the Python process ended. Look for exit(), or far too much memory.")
    if error.get("name") == "NotImplementedError":
        return Row(name, "not started", 0, of, "", "the answer cell still raises NotImplementedError.")
    if not answer_cell["passed"]:
        return Row(name, "raised", 0, of, f"the answer cell: {error.get('name', 'no reply')}", _error(answer_cell))
    if record is None:
        text = _error(check_cell) or "the check left no record. If an answer defines a `check` of its own, rename it."
        return Row(name, "raised" if check_cell["error"] else "not yet", 0, of, "the check", text)
    if isinstance(record, dict):
        record["source"] = answer.source  # rules read the text that was taken, not what the kernel says it was
    verdict = judge_record(name, record, seed)
    if verdict.outcome == "done":
        return Row(name, "done", of, of, "", "")
    probe = next((finding.probe for finding in verdict.findings if not finding.advice), "")
    return Row(name, verdict.outcome, 0, of, probe, verdict.text())


def _error(cell: dict) -> str:
    error = cell["error"]
    if error is None:
        return ""
    alone = "\nOnly answer cells are run: what an answer needs must stand in it." if error["name"] == "NameError" else ""
    return f"{error['traceback']}{alone}"
