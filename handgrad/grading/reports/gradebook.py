"""The results of a class by learner and exercise; of several files of one exercise, the best counts."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from handgrad.grading.reports.files import safe_stem
from handgrad.grading.reports.outcomes import FOR_THE_TEACHER, NOT_HANDED_IN, TRIED, Outcome, distance, outcome_named
from handgrad.grading.reports.words import few, gist, one_line, percent, plain

_MOODLE_ENDING = re.compile(r"_assignsubmission_[a-z]*_*$")
BEST_RULE = "Of several files with one exercise, the one with the most points counts."


@dataclass(frozen=True)
class Exercise:
    """A column of the class: an exercise of a notebook that someone handed in, and its points."""

    notebook: str
    name: str
    of: float


@dataclass(frozen=True)
class Entry:
    """What counts for a learner in an exercise, fit to be shown.

    Args:
        file: the one that counts; empty where none was handed in.
        others: files of the same exercise that do not count.
    """

    exercise: Exercise
    outcome: Outcome
    points: float
    probe: str = ""
    text: str = ""
    flags: tuple[str, ...] = ()
    file: str = ""
    others: tuple[str, ...] = ()

    @property
    def gist(self) -> str:
        """The line that names the mistake."""
        return gist(self.exercise.name, self.text)


@dataclass(frozen=True)
class Learner:
    """A learner.

    Args:
        key: the name as submitted, which may be anything.
        name: the same, fit to be shown.
        stem: of the learner's files; no two learners have one.
        entries: one for each exercise of the class, in its order.
    """

    key: str
    name: str
    stem: str
    entries: tuple[Entry, ...]
    results: tuple[dict, ...]

    @property
    def points(self) -> float:
        return sum(entry.points for entry in self.entries)

    @property
    def of(self) -> float:
        return sum(entry.exercise.of for entry in self.entries)

    @property
    def percent(self) -> int:
        return percent(self.points, self.of)

    @property
    def done(self) -> int:
        return sum(entry.outcome.name == "done" for entry in self.entries)

    @property
    def graded(self) -> bool:
        """Whether a file of the learner was graded; if none was, 0 points mean nothing."""
        return any(result["status"] == "graded" for result in self.results)

    def problems(self) -> str:
        """The outcomes that are not done, with their counts."""
        rows = Counter(entry.outcome.name for entry in self.entries if entry.outcome.name != "done")
        files = Counter(result["status"] for result in self.results if result["status"] != "graded")
        parts = [f"{rows[name]} {name}" for name in sorted(rows, key=distance)]
        parts += [f"{files[status]} file{'s' * (files[status] > 1)} {one_line(status)}" for status in sorted(files)]
        return ", ".join(parts)


@dataclass(frozen=True)
class Mistake:
    """A mistake that several made: the probe that found it, and what the check says."""

    exercise: str
    probe: str
    gist: str
    learners: int


@dataclass(frozen=True)
class Difficulty:
    """How an exercise went among those who handed in its notebook."""

    exercise: Exercise
    handed_in: int
    done: int
    mean: float


@dataclass
class Gradebook:
    """A class: its exercises in the course's order, and its learners by name."""

    exercises: list[Exercise] = field(default_factory=list)
    learners: list[Learner] = field(default_factory=list)

    @property
    def of(self) -> float:
        return sum(exercise.of for exercise in self.exercises)

    def by_notebook(self) -> dict[str, list[Exercise]]:
        found = defaultdict(list)
        for exercise in self.exercises:
            found[exercise.notebook].append(exercise)
        return dict(found)

    def difficulties(self) -> list[Difficulty]:
        """In the course's order."""
        found = []
        for column, exercise in enumerate(self.exercises):
            entries = [learner.entries[column] for learner in self.learners if learner.entries[column].file]
            points = sum(entry.points for entry in entries)
            done = sum(entry.outcome.name == "done" for entry in entries)
            found.append(Difficulty(exercise, len(entries), done, points / len(entries) if entries else 0))
        return found

    def mistakes(self) -> list[Mistake]:
        """The commonest first."""
        counts = Counter(
            (entry.exercise.name, entry.probe, entry.gist)
            for learner in self.learners
            for entry in learner.entries
            if entry.outcome.name in TRIED
        )
        order = {exercise.name: place for place, exercise in enumerate(self.exercises)}
        mistakes = [Mistake(*key, count) for key, count in counts.items()]
        return sorted(mistakes, key=lambda found: (-found.learners, order[found.exercise], found.probe, found.gist))


def shown_name(submission: str) -> str:
    """A learner's name, fit to be shown; Moodle's names without what all of them end in."""
    return one_line(_MOODLE_ENDING.sub("", submission)) or "(no name)"


def best_rows(results: list[dict]) -> dict[str, dict[str, tuple[dict, dict, list[str]]]]:
    """By submission and exercise: the row that counts, its result, and the other files that have the exercise.

    The one place of the rule: most points; of equals the outcome nearer to done; of equals the first file by name.
    """
    found: dict[str, dict[str, list[tuple[dict, dict]]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        found[result["submission"]]  # a learner without a row is one too
        for row in result["rows"]:
            found[result["submission"]][row["exercise"]].append((row, result))
    best = {}
    for submission, exercises in found.items():
        best[submission] = {}
        for exercise, candidates in exercises.items():
            candidates.sort(key=lambda pair: (-pair[0]["points"], distance(pair[0]["outcome"]), pair[1]["file"]))
            row, result = candidates[0]
            best[submission][exercise] = (row, result, sorted(other["file"] for _, other in candidates[1:]))
    return best


def gradebook(header: dict, results: list[dict]) -> Gradebook:
    """The class of the results. Its exercises are those of every notebook that someone handed in."""
    best = best_rows(results)
    exercises = list(_exercises(header, results))
    by_submission = defaultdict(list)
    for result in results:
        by_submission[result["submission"]].append(result)
    learners = []
    for key, rows in best.items():
        entries = tuple(_entry(exercise, rows.get(exercise.name)) for exercise in exercises)
        own = tuple(sorted(by_submission[key], key=lambda result: (result["notebook"], result["file"])))
        learners.append(Learner(key, shown_name(key), safe_stem(key), entries, own))
    learners.sort(key=lambda learner: (learner.name.casefold(), learner.key))
    return Gradebook(exercises, learners)


def flagged(results: list[dict]) -> list[dict]:
    """Rows that a teacher should look at: refused, tampered, or with a flag. Every file counts here, not only the best."""
    return [
        {"name": shown_name(result["submission"]), "key": result["submission"], "file": one_line(result["file"], 200)}
        | {"exercise": row["exercise"], "outcome": outcome_named(row["outcome"]), "flags": few(row["flags"])}
        for result in _in_order(results)
        for row in result["rows"]
        if row["flags"] or row["outcome"] in FOR_THE_TEACHER
    ]


def unread(results: list[dict]) -> list[dict]:
    """Files that were not graded, and why."""
    return [
        {"name": shown_name(result["submission"]), "key": result["submission"], "file": one_line(result["file"], 200)}
        | {"status": one_line(result["status"]), "message": plain(result["message"], 1_000)}
        for result in _in_order(results)
        if result["status"] != "graded"
    ]


def _in_order(results: list[dict]) -> list[dict]:
    return sorted(results, key=lambda result: (result["submission"].casefold(), result["submission"], result["file"]))


def _exercises(header: dict, results: list[dict]) -> Iterator[Exercise]:
    """Those of the header in its order, and in each notebook what only the results name."""
    found = defaultdict(dict)
    for result in results:
        found[result["notebook"]] |= {row["exercise"]: row["of"] for row in result["rows"]}
    course = header["exercises"]
    for notebook in [*(name for name in course if name in found), *sorted(found.keys() - course.keys())]:
        points = course.get(notebook, {})
        for name in [*points, *sorted(found[notebook].keys() - points.keys())]:
            yield Exercise(notebook, name, points.get(name, found[notebook].get(name)))


def _entry(exercise: Exercise, found: tuple[dict, dict, list[str]] | None) -> Entry:
    if found is None:
        return Entry(exercise, NOT_HANDED_IN, 0)
    row, result, others = found
    return Entry(
        exercise,
        outcome_named(row["outcome"]),
        row["points"],
        one_line(row["probe"]),
        plain(row["text"]).strip("\n"),
        tuple(few(row["flags"])),
        one_line(result["file"], 200),
        tuple(one_line(file, 200) for file in others),
    )
