"""Grade a learner's notebook: the answers, in the official notebook, run by nbval, judged by this process."""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from handgrad.errors import CourseError
from handgrad.exercises import EXERCISES
from handgrad.grading import nbval_run
from handgrad.grading.kernel_choice import kernel_problem
from handgrad.grading.official import find_official
from handgrad.grading.policy import problems
from handgrad.grading.settings import Settings
from handgrad.grading.table import Row, show_rows
from handgrad.notebooks.answers import Answer, answer_cells, merge, read_notebook, take_answers
from handgrad.verdict import judge_record

Run = Callable[[dict], list[dict]]
Reference = Callable[[str], dict | None]
_SEEN: dict[tuple, Row] = {}  # where answers run each in a kernel of its own, two that are the same have the same row
_NOT_STARTED = '{}: not started. Replace "raise NotImplementedError" with your answer.'


class CourseFails(CourseError):
    """A cell of the course fails, before any answer: nothing that a learner could mend."""


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
    """Grade the answers of one notebook, in an ordinary kernel and without a box. The file is only read.

    Raises:
        CourseError: it is no notebook, or none of the course, or cannot be run.
    """
    notebook = read_notebook(path)
    official_path = find_official(path, notebook)
    official = read_notebook(official_path)
    answers = _answers(path, notebook, official_path, official)
    seed = secrets.randbelow(2**31)
    run = partial(nbval_run.run_notebook, kernel=kernel, seed=seed)
    settings = Settings(seed, kernel, cell_timeout=nbval_run.CELL_TIMEOUT, read_first=False)
    rows = _rows(official_path, official, answers, settings, run, lambda name: None)
    return Graded(path.name, rows, _notes(official, answers))


def grade_one(job: dict, settings: Settings, run: Run, reference: Reference) -> dict:
    """Grade one submission of a class. Whatever it holds, there is a result (see `handgrad.grading.results`).

    Args:
        job: `learner`, `file` and `path` of the submission; `problem`, where it cannot be read; the `course` folder.
        run: runs a merged notebook and says what was seen of each cell.
        reference: the record that the reference of an exercise leaves for this seed; None where the judge is to make it.
    """
    result = {"submission": job["learner"], "file": job["file"], "notebook": "", "status": "graded", "message": ""}
    result |= {"notes": [], "rows": [], "receipt": {"file": job["sha256"], "answers": "", "official": "", "seed": settings.seed}}
    path, course = Path(job["path"]), Path(job["course"])
    try:
        official_path = find_official(path, None, course, file=job["file"])
        result["notebook"] = official_path.stem if official_path else ""
        if job["problem"]:
            raise CourseError(job["problem"])
        notebook = read_notebook(path)
        official_path = find_official(path, notebook, course, file=job["file"])
        result["notebook"] = official_path.stem
        official, digest = _official(official_path, official_path.stat().st_mtime_ns)
        answers = _answers(path, notebook, official_path, official)
        rows = _rows(official_path, official, answers, settings, run, reference)
        result |= {"rows": [asdict(row) for row in rows], "notes": _notes(official, answers)}
        sources = json.dumps({name: answer.source for name, answer in answers.items()}, sort_keys=True)
        result["receipt"] |= {"answers": hashlib.sha256(sources.encode()).hexdigest(), "official": digest}
    except CourseFails as error:
        result |= {"status": "could not be graded", "message": error.message}
    except CourseError as error:
        result |= {"status": "unreadable", "message": error.message.replace(str(path), job["file"])}
    except Exception as error:  # one submission must not end a class
        result |= {"status": "could not be graded", "message": f"{type(error).__name__}: {error}"[:2000]}
    if not result["rows"] and result["notebook"]:
        official, _ = _official(official_path, official_path.stat().st_mtime_ns)
        text = f"Your file could not be graded. {result['message']}"
        result["rows"] = [asdict(Row(name, "unreadable", 0, EXERCISES[name].points, "", text)) for name in answer_cells(official)]
    return result


@lru_cache(maxsize=64)
def _official(path: Path, _modified: int) -> tuple[dict, str]:
    return read_notebook(path), hashlib.sha256(path.read_bytes()).hexdigest()


def _answers(path: Path, notebook: dict, official_path: Path, official: dict) -> dict[str, Answer]:
    answers = take_answers(notebook, official)
    if not answers:
        raise CourseError(
            f"{path}: no answer cell of {official_path.stem} is in it. "
            f"Expected cells that begin with `# exercise: NAME`; grade a copy of exercises/{official_path.name}"
        )
    return answers


def _notes(official: dict, answers: dict[str, Answer]) -> list[str]:
    return [note for name in answer_cells(official) if name in answers for note in answers[name].notes]


def _rows(
    path: Path, official: dict, answers: dict[str, Answer], settings: Settings, run: Run, reference: Reference
) -> list[Row]:
    """A row for each exercise of the official notebook. What is refused is not run."""
    seed = settings.seed
    as_given = _untouched(path, answers)
    known = {name: _SEEN[key] for name, answer in answers.items() if (key := (seed, path, name, answer.source)) in _SEEN}
    to_read = {name: answer for name, answer in answers.items() if settings.read_first and name not in {*as_given, *known}}
    refused = {name: found for name, answer in to_read.items() if (found := problems(answer.source))}
    tried = {name: answer for name, answer in answers.items() if name not in {*refused, *as_given, *known}}
    merged = merge(official, tried)
    merged["cells"] = [cell for cell in merged["cells"] if _role(cell).get("exercise") in (None, *tried)]
    cells = run(merged) if tried else []
    for cell in cells[: next((index for index, cell in enumerate(cells) if cell["exercise"]), 0)]:
        if not cell["passed"]:
            error = cell["error"] or {"traceback": cell["lost"] or "no reply"}
            raise CourseFails(f"{path}: a cell of the course fails before the first answer:\n{error['traceback']}")
    rows = []
    for name in answer_cells(official):
        points = EXERCISES[name].points
        if name in refused:
            flags = tuple(problem.text for problem in refused[name])
            text = f"{name}: not run, since its text uses what answers have no need of.\n" + "\n".join(flags)
            rows.append(Row(name, "refused", 0, points, "", text, flags))
            continue
        if name in as_given:
            rows.append(Row(name, "not started", 0, points, "", _NOT_STARTED.format(name)))
            continue
        if name in known:
            rows.append(known[name])
            continue
        own = [cell for cell in cells if cell["exercise"] == name]
        found = [word for cell in own for word in cell["found"]]
        if found:
            flags = tuple(dict.fromkeys(found))
            text = f"{name}: your code changed what belongs to torch, Python or the check: {', '.join(flags)}."
            rows.append(Row(name, "tampered", 0, points, "", text, flags))
            continue
        outcome, probe, text, share = _judge(name, answers.get(name), own, settings, reference)
        rows.append(Row(name, outcome, int(points * share), points, probe, text))
        if any(cell["alone"] for cell in own) and outcome not in ("timed out", "died"):
            if len(_SEEN) > 10_000:
                _SEEN.clear()
            _SEEN[seed, path, name, answers[name].source] = rows[-1]
    return rows


def _untouched(path: Path, answers: dict[str, Answer]) -> set[str]:
    """The exercises whose answer cell is as it was handed out, and raises NotImplementedError: there is nothing to run."""
    handed_out = path.parents[1] / "exercises" / path.name
    if not handed_out.exists():
        return set()
    cells = answer_cells(_official(handed_out, handed_out.stat().st_mtime_ns)[0])
    given = {name: "".join(cell["source"]) for name, cell in cells.items()}
    same = {name for name, answer in answers.items() if answer.source.strip() == given.get(name, "").strip()}
    return {name for name in same if "raise NotImplementedError" in given[name]}


def _role(cell: dict) -> dict:
    return cell["metadata"].get("handgrad", {}) if cell["cell_type"] == "code" else {}


def _judge(
    name: str, answer: Answer | None, cells: list[dict], settings: Settings, reference: Reference
) -> tuple[str, str, str, float]:
    """Outcome, first failing probe, text, share of the points. Only a record that fits the seed is *done*, never a print."""
    if answer is None:
        return "not attempted", "", f"{name}: no answer cell. Begin one with `# exercise: {name}`.", 0
    answer_cell, check_cell = cells
    lost = answer_cell["lost"] or check_cell["lost"]
    if lost == "timed out":
        return lost, "", f"{name}: stopped after {settings.cell_timeout:.0f} seconds. Look for a loop that never ends.", 0
    if lost == "too much output":
        return "died", "", f"{name}: stopped, since it put out more than anybody can read. Look for a print in a loop.", 0
    if lost:
        return lost, "", f"{name}: the Python process ended. Look for exit(), or far too much memory.", 0
    for place, cell in (("the answer cell", answer_cell), ("the check", check_cell)):
        error = cell["error"] or {"name": "an error", "traceback": "which it did not show"}
        if cell["passed"] or cell["record"] is not None:  # a check that is not done fails, but leaves its record
            continue
        if error["name"] == "NotImplementedError":
            return "not started", "", _NOT_STARTED.format(name), 0
        alone = "\nOnly answer cells are run: what an answer needs must stand in it." if error["name"] == "NameError" else ""
        return "raised", f"{place}: {error['name']}", f"{name}: {place} raised an error\n{error['traceback']}{alone}", 0
    record = check_cell["record"]
    if record is None:
        text = f"{name}: the check left no record. If an answer defines a `check` of its own, rename it."
        return "not yet", "the check", text, 0
    if isinstance(record, dict):
        record["source"] = answer.source  # rules read the text that was taken, not what the kernel says it was
    verdict = judge_record(name, record, settings.seed, reference(name))
    if verdict.outcome == "not started":
        return verdict.outcome, "", verdict.text(), 0
    probe = next((finding.probe for finding in verdict.findings if not finding.advice), "")
    text = verdict.text() if verdict.findings or verdict.outcome != "done" else ""
    share = 1.0 if verdict.outcome == "done" else verdict.passed / verdict.total if EXERCISES[name].partial else 0
    return verdict.outcome, probe, text, share
