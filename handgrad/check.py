"""`check` and `hint`: what a learner calls in a notebook."""

import difflib
import os
from typing import TYPE_CHECKING

from handgrad.progress import note_check

if TYPE_CHECKING:
    from handgrad.exercises.exercise import Exercise

RECORD = "application/vnd.handgrad.record+json"


class _Plain(Exception):
    """An error that a notebook shows as its words alone, without a traceback of ours."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class NotDone(_Plain, AssertionError):
    """A check that is not done, raised under pytest alone, so that nbval sees a failing cell."""


class NoSuchExercise(_Plain, ValueError):
    """A name or a number that is not in the course."""


def check(name: str, answer: object) -> None:
    """Check an answer and print what it does right and wrong.

    Args:
        name: the exercise, for example `my_relu`.
        answer: what the exercise asks for: the class or function itself, not called.

    Raises:
        NotDone: under pytest, unless the answer is done.
        NoSuchExercise: a ValueError; there is no exercise of this name.

    With `HANDGRAD_SEED` it draws other inputs, and publishes the record for a grader in the place of all else.
    """
    from handgrad.observe import observe

    exercise = _exercise(name)
    grader_seed = os.environ.get("HANDGRAD_SEED")
    seed = int(grader_seed or 0)
    record = observe(exercise, answer, seed)
    if grader_seed is not None:  # the judge is elsewhere
        from IPython.display import display

        display({RECORD: record}, raw=True)
        return
    from handgrad.verdict import judge_record

    verdict = judge_record(name, record, seed)
    # what was handed over in the wrong form was no try at the exercise
    gates = [probe.name for probe in exercise.probes if probe.gate]
    in_wrong_form = any(finding.probe in gates for finding in verdict.findings)
    tries = note_check(name, "not started" if in_wrong_form else verdict.outcome)
    text = verdict.text(hint=max(1, min(tries, len(exercise.hints))))
    print(text)
    if verdict.outcome != "done" and "PYTEST_VERSION" in os.environ:
        raise NotDone(text)


def hint(name: str, number: int = 1) -> None:
    """Print a hint: 1 asks a question, 2 gives the formula, 3 the line.

    Raises:
        NoSuchExercise: a ValueError; there is no exercise of this name, or no hint of this number.
    """
    hints = _exercise(name).hints
    if number not in range(1, len(hints) + 1):
        raise NoSuchExercise(f"{name} has hints 1 to {len(hints)}, not {number!r}")
    print(f"{name}, hint {number} of {len(hints)}: {hints[number - 1]}")


def _exercise(name: str) -> "Exercise":
    from handgrad.exercises import EXERCISES

    if isinstance(name, str) and name in EXERCISES:
        return EXERCISES[name]
    if callable(name):
        raise NoSuchExercise(f'the name comes first: check("my_relu", MyReLU), not {name!r}')
    near = difflib.get_close_matches(str(name), EXERCISES, n=3) or list(EXERCISES)
    raise NoSuchExercise(f"there is no exercise {name!r}. Did you mean {', '.join(near)}?")
