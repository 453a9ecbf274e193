"""A graded class on a terminal: short, whatever its size."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from handgrad.grading.reports.gradebook import gradebook
from handgrad.grading.reports.words import number

_MOST_LEARNERS = 30
_MOST_MISTAKES = 3


def show_class(console: Console, header: dict, results: list[dict]) -> None:
    """Print who has how many points and what is open, then the commonest mistakes."""
    book = gradebook(header, results)
    exercises, learners = len(book.exercises), len(book.learners)
    table = Table(box=box.SIMPLE_HEAD, show_footer=True, show_edge=False, pad_edge=False)
    mean = sum(learner.points for learner in book.learners) / learners if learners else 0
    done = sum(learner.done for learner in book.learners)
    table.add_column("learner", f"mean of {learners}", no_wrap=True, max_width=30)
    for name, foot in (("points", number(mean)), ("of", number(book.of)), ("done", f"{done}/{exercises * learners}")):
        table.add_column(name, foot, justify="right", no_wrap=True)
    table.add_column("open")  # the one that gives way on a narrow terminal
    for learner in book.learners[:_MOST_LEARNERS]:
        name, open_ones = Text(learner.name), Text(learner.problems(), no_wrap=True, overflow="ellipsis")
        table.add_row(name, number(learner.points), number(learner.of), f"{learner.done}/{exercises}", open_ones)
    console.print(table)
    if learners > _MOST_LEARNERS:
        console.print(f"… and {learners - _MOST_LEARNERS:,} more; see index.html")
    mistakes = book.mistakes()[:_MOST_MISTAKES]
    if mistakes:
        console.print("\ncommonest mistakes")
    for mistake in mistakes:
        where = f"{mistake.exercise}, {mistake.probe}" if mistake.probe else mistake.exercise
        console.print(Text(f"  {mistake.learners} × {where}: {mistake.gist}"), no_wrap=True, overflow="ellipsis")
