"""What grading a class leaves behind: `results.jsonl`, a header and one line for each submission, from which all else is made.

A line has no times and no paths of this machine, so that two runs with one seed can be compared line by line. It is written as
soon as its submission is graded; whatever ends a run, what was graded stays, and the next run goes on from there.
"""

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from handgrad.errors import CourseError
from handgrad.own_course import check_files

RESULTS = "results.jsonl"


def digest(value: object) -> str:
    """The SHA-256 of bytes, or of plain data as JSON."""
    data = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True).encode()
    return hashlib.sha256(data).hexdigest()


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a file; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def terms_of(course: Path, seed: int, settings: dict) -> dict:
    """The first line's first part: with what it is graded.

    Args:
        settings: all that may change a result: kernel, timeout, box.
    """
    officials = {path.stem: digest_of_file(path) for path in sorted((course / "solutions").glob("*.ipynb"))}
    officials |= {f"{path.parent.name}/{path.name}": digest_of_file(path) for path in check_files()}
    versions = {name: importlib.metadata.version(name) for name in ("handgrad", "torch", "nbval")}
    return {**versions, "seed": seed, "settings": settings, "officials": officials}


def tasks_of(course: Path) -> dict:
    """The first line's second part: what there is to earn, what is asked, and which hints there are."""
    from handgrad.exercises import EXERCISES
    from handgrad.notebooks.answers import read_notebook, tasks

    asked = {path.stem: tasks(read_notebook(path)) for path in sorted((course / "solutions").glob("*.ipynb"))}
    exercises = {stem: {name: EXERCISES[name].points for name in found if name in EXERCISES} for stem, found in asked.items()}
    hints = {name: list(EXERCISES[name].hints) for found in exercises.values() for name in found}
    return {"exercises": exercises, "tasks": {name: found[name] for found in asked.values() for name in found}, "hints": hints}


def read_results(path: Path) -> tuple[dict, list[dict]]:
    """The header and the results of a `results.jsonl`; a last line that was cut off in the middle is left out.

    Raises:
        CourseError: it is none.
    """
    header: dict = {}
    results = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(f"{path}: cannot be read as results: {error}") from None
    for number, line in enumerate(lines):
        try:
            value = json.loads(line)
        except ValueError:
            if number == len(lines) - 1:
                continue
            raise CourseError(f"{path}: line {number + 1} is no JSON. Move the file away and grade again.") from None
        if number == 0:
            header = value
        else:
            results.append(value)
    if not isinstance(header, dict) or "exercises" not in header:
        raise CourseError(f"{path}: not the results of a class: its first line has no exercises.")
    return header, results


def key_of(header: dict, result_or_job: dict) -> str:
    """What must be the same for a result to be taken over: the file, its place, the official notebooks, and how it is graded."""
    receipt = result_or_job.get("receipt") or {"file": result_or_job["sha256"]}
    parts = [header["handgrad"], header["torch"], header["nbval"], header["settings"], header["officials"]]
    return digest([*parts, result_or_job["file"], receipt["file"]])


class Writer:
    """Appends results to a file, one whole line at a time; each is on disk when `add` returns."""

    def __init__(self, path: Path, header: dict, kept: Iterable[dict]) -> None:
        temporary = path.with_suffix(".new")
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            for value in (header, *kept):
                file.write(_line(value))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        self._file: TextIO = path.open("a", encoding="utf-8", newline="\n")

    def add(self, result: dict) -> None:
        """Append one result."""
        self._file.write(_line(result))
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def write_sorted(path: Path, header: dict, results: list[dict]) -> None:
    """The whole file anew, in the order of learners and files, whichever was graded first."""
    Writer(path, header, results).close()


def in_order(results: Iterable[dict]) -> list[dict]:
    """By learner and file."""
    return sorted(results, key=lambda result: (result["submission"], result["file"]))


def _line(value: dict) -> str:
    return json.dumps(value, ensure_ascii=True) + "\n"
