"""What a graded notebook looks like on a terminal, in a pipe and in a log."""

from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One exercise of a graded notebook.

    Args:
        outcome: `done`, `not yet`, `raised`, `not started`; or `not attempted`, `timed out`, `died`, `refused`, `tampered`,
            `unreadable`.
        points, of: earned, and those that the exercise is worth.
        probe: the first that failed; empty where none did.
        text: what the learner should read; empty when done.
        flags: what the teacher should look at.
    """

    exercise: str
    outcome: str
    points: int
    of: int
    probe: str
    text: str
    flags: tuple[str, ...] = ()


def show_rows(console: Console, title: str, rows: list[Row], notes: list[str]) -> None:
    """Print the table, then the notes, then what each exercise that is not done needs."""
    earned, worth = sum(row.points for row in rows), sum(row.of for row in rows)
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_footer=True, show_edge=False, pad_edge=False)
    table.add_column("exercise", "total", overflow="fold")
    table.add_column("outcome", overflow="fold")
    table.add_column("points", f"{earned}/{worth}", justify="right", no_wrap=True)
    table.add_column("first failing probe", overflow="fold")
    table.add_column("for a hint", no_wrap=True)
    for row in rows:
        hint = "" if row.outcome == "done" else f"handgrad hint {row.exercise}"
        table.add_row(row.exercise, row.outcome, f"{row.points}/{row.of}", row.probe, hint)
    console.print(table)
    for note in notes:
        _print(console, f"note: {note}")
    for row in rows:
        if row.text:
            _print(console, f"\n{row.text}")


def _print(console: Console, text: str) -> None:
    console.print(text, soft_wrap=True)
