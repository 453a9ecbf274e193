"""Grades as CSV: wide, long, and as Moodle and Canvas take them."""

import csv
import io
import re
from collections.abc import Iterable

from handgrad.grading.reports.gradebook import Entry, Gradebook, Learner
from handgrad.grading.reports.words import one_line
from handgrad.grading.submissions import CANVAS, MOODLE

# A spreadsheet may run a cell that begins so; the last three are the full-width forms that some read alike.
# https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = tuple("=+-@\t\r\n＝＋＠")


def grades(book: Gradebook) -> str:
    """One line a learner, one column an exercise; empty where it was not handed in."""
    head = ["learner", *(exercise.name for exercise in book.exercises), "total", "of", "percent"]
    lines = [
        [learner.name, *_by_exercise(learner), _points(learner.points), _points(learner.of), learner.percent]
        for learner in book.learners
    ]
    return _sheet([head, *lines])


def grades_long(book: Gradebook) -> str:
    """One line a learner and exercise."""
    head = ["learner", "notebook", "exercise", "outcome", "points", "of", "probe", "flags"]
    return _sheet([head, *([learner.name, *_long(entry)] for learner in book.learners for entry in learner.entries)])


def _long(entry: Entry) -> list[object]:
    column = entry.exercise
    numbers = [_points(entry.points), _points(column.of)]
    return [column.notebook, column.name, entry.outcome.name, *numbers, entry.probe, "; ".join(entry.flags)]


def moodle(book: Gradebook) -> str:
    """A grading worksheet of a Moodle assignment.

    The worksheet's importer finds its columns by name and wants Identifier ("Participant 123"), Grade and
    Last modified (grade); it goes by the number in Identifier alone, passes over lines without one or without a grade,
    and ignores other columns. The number is known where a file or its folder has Moodle's name, NAME_NUMBER_assignsubmission_….
    It is another in each assignment, so a learner with files of several has none.
    A grade that Moodle already has is replaced only if "records that have been modified more recently in Moodle" is ticked,
    since the date is left empty. The exercises' columns are there for an import into the gradebook, which maps columns by hand.

    Source: mod/assign/feedback/offline/importgradeslib.php and locallib.php of Moodle;
    https://docs.moodle.org/en/Grade_import
    """
    columns, blank = [exercise.name for exercise in book.exercises], [""] * len(book.exercises)
    head = ["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", *columns]
    lines = []
    for learner in book.learners:
        name, number = _known(learner, MOODLE)
        identifier = f"Participant {number}" if number else ""
        total = _points(learner.points) if learner.graded else ""
        lines.append([identifier, name, total, _points(learner.of), "", *(_by_exercise(learner) if learner.graded else blank)])
    return _sheet([head, *lines])


def canvas(book: Gradebook) -> str:
    """A file for the import of Canvas's gradebook.

    The importer wants Student and ID first and Section last of what names a student, then a column an assignment;
    the line whose first cell has "Points Possible" gives the points of new assignments. It finds a student by ID,
    else by SIS ids, else by name. The ID is known where a file has Canvas's name, NAME_ID_NUMBER_FILE.
    An empty cell changes no grade.

    Source: lib/gradebook_importer.rb of https://github.com/instructure/canvas-lms
    """
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *(exercise.name for exercise in book.exercises)]
    blank = [""] * len(book.exercises)
    possible = ["Points Possible", "", "", "", "", *(_points(exercise.of) for exercise in book.exercises)]
    lines = []
    for learner in book.learners:
        lines.append([*_known(learner, CANVAS), "", "", "", *(_by_exercise(learner) if learner.graded else blank)])
    return _sheet([head, possible, *lines])


def _known(learner: Learner, pattern: re.Pattern[str]) -> tuple[str, str]:
    """The name and number of a learner, by the outermost name in a file's path that has them; no number where files disagree."""
    found = set()
    for result in learner.results:
        names = [result["submission"], *re.split(r"!?/", result["file"])]
        known = next((match for match in map(pattern.fullmatch, names) if match and match["id"]), None)
        if known:
            found.add((one_line(known["name"]), known["id"]))
    return found.pop() if len(found) == 1 else (learner.name, "")


def _by_exercise(learner: Learner) -> list[object]:
    return [_points(entry.points) if entry.file else "" for entry in learner.entries]


def _points(points: float) -> float:
    rounded = round(points, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def _sheet(lines: Iterable[Iterable[object]]) -> str:
    sheet = io.StringIO()
    csv.writer(sheet).writerows([[_harmless(cell) for cell in line] for line in lines])
    return sheet.getvalue()


def _harmless(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
