"""The outcomes of an exercise: their marks, what a learner is told, and which of two is nearer to done."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Outcome:
    """An outcome as reports show it.

    Args:
        mark: one character that stands for it where there is no room for a word.
        told: to the learner.
        kind: its colour: good, partly, bad, blocked or empty.
        junit: the element that JUnit has for it; empty where the test passes.
    """

    name: str
    mark: str
    told: str
    kind: str
    junit: str


OUTCOMES = {
    outcome.name: outcome
    for outcome in (  # from nearest to done to farthest
        Outcome("done", "✓", "Done.", "good", ""),
        Outcome("not yet", "~", "Not yet: a probe fails.", "partly", "failure"),
        Outcome("raised", "×", "Your code raised an error.", "bad", "error"),
        Outcome("timed out", "T", "Stopped: it ran for too long.", "bad", "error"),
        Outcome("died", "D", "The Python process ended while it ran.", "bad", "error"),
        Outcome("not started", "○", "Not started.", "empty", "skipped"),
        Outcome("not attempted", "–", "No answer cell was found.", "empty", "skipped"),
        Outcome("unreadable", "?", "The file could not be read.", "blocked", "error"),
        Outcome("refused", "R", "Not run: it uses something that an answer has no need of.", "blocked", "failure"),
        Outcome("tampered", "!", "No points: it changed what belongs to the check or to torch.", "blocked", "failure"),
        Outcome("not handed in", "·", "Not handed in.", "empty", "skipped"),
    )
}
NOT_HANDED_IN = OUTCOMES["not handed in"]
FOR_THE_TEACHER = ("refused", "tampered")
TRIED = ("not yet", "raised", "timed out", "died")


def outcome_named(name: str) -> Outcome:
    """The outcome of that name; one that is not known here is shown under its own name."""
    return OUTCOMES.get(name) or Outcome(name, "?", f"{name}.", "blocked", "error")


def distance(name: str) -> int:
    """How far an outcome is from done, to compare."""
    return list(OUTCOMES).index(name) if name in OUTCOMES else len(OUTCOMES)
