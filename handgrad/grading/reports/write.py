"""Everything of a report at once."""

from collections.abc import Iterator
from pathlib import Path

from handgrad.grading.reports import machines, pages, sheets
from handgrad.grading.reports.files import write_files
from handgrad.grading.reports.gradebook import flagged, gradebook, unread


def write_reports(header: dict, results: list[dict], out: Path) -> None:
    """Write the pages, sheets and machine-readable files of a graded class into `out`.

    The same results give the same bytes. A later run overwrites, and removes the files of learners who are gone.

    Args:
        header: the first line of results.jsonl: `exercises` (points by notebook and exercise, in the course's order), and where
            there are any `tasks` (Markdown by exercise) and `hints` (three by exercise).
        results: its other lines.

    Raises:
        OSError: a file cannot be written.
    """
    write_files(out, _files(header, results))


def _files(header: dict, results: list[dict]) -> Iterator[tuple[str, str]]:
    book = gradebook(header, results)
    yield "grades.csv", sheets.grades(book)
    yield "grades_long.csv", sheets.grades_long(book)
    yield "moodle.csv", sheets.moodle(book)
    yield "canvas.csv", sheets.canvas(book)
    yield "junit.xml", machines.junit(book)
    words = pages.course_words(header)
    for learner in book.learners:
        yield f"learners/{learner.stem}.html", pages.learner_page(learner, header, words)
        yield f"gradescope/{learner.stem}.json", machines.gradescope(learner)
    yield "index.html", pages.class_page(book, unread(results), flagged(results))
