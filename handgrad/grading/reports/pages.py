"""The pages: one for the teacher, one for each learner. No script, nothing from outside, every word escaped."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from statistics import mean, median

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from handgrad.grading.reports.files import safe_stem
from handgrad.grading.reports.gradebook import BEST_RULE, Entry, Gradebook, Learner
from handgrad.grading.reports.maths import mathml
from handgrad.grading.reports.outcomes import OUTCOMES, outcome_named
from handgrad.grading.reports.words import few, number, one_line, percent

_MOST_MISTAKES = 15
_ABOUT_THE_FILE = ("unreadable", "not of the course")  # what went wrong elsewhere is for the teacher
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class Bar:
    """A bar of the histogram, in the units of its picture."""

    label: str
    learners: int
    x: int
    height: float


def class_page(book: Gradebook, unread: list[dict], flagged: list[dict]) -> str:
    """The teacher's page."""
    points = [learner.points for learner in book.learners]
    used = Counter(entry.outcome.name for learner in book.learners for entry in learner.entries)
    return _environment().get_template("class.html.j2").render(
        book=book,
        files=sum(len(learner.results) for learner in book.learners),
        mean=mean(points) if points else 0,
        median=median(points) if points else 0,
        all_done=sum(learner.done == len(book.exercises) for learner in book.learners if book.exercises),
        bars=_bars(book),
        unread=unread,
        flagged=flagged,
        mistakes=book.mistakes()[:_MOST_MISTAKES],
        legend=[(outcome_named(name), used[name]) for name in sorted(used, key=list({**OUTCOMES, **used}).index)],
        best_rule=BEST_RULE,
    )  # fmt: skip


def learner_page(learner: Learner, header: dict, words: dict[str, Markup]) -> str:
    """A learner's page. It says nothing of other learners, and has no flags. `words`: see `course_words`."""
    notebooks = [
        (notebook, [_shown(entry, header, words) for entry in entries], _notes(learner, notebook))
        for notebook, entries in groupby(learner.entries, key=lambda entry: entry.exercise.notebook)
    ]
    lost = [result for result in learner.results if result["status"] != "graded"]
    return _environment().get_template("learner.html.j2").render(
        learner=learner, notebooks=notebooks, lost=lost, best_rule=BEST_RULE
    )  # fmt: skip


def _shown(entry: Entry, header: dict, words: dict[str, Markup]) -> dict:
    first, rest = _in_two(header.get("tasks", {}).get(entry.exercise.name, ""))
    hints = header.get("hints", {}).get(entry.exercise.name, ()) if entry.outcome.name != "done" else ()
    return {"entry": entry, "task": words[first], "rest": words[rest], "hints": [words[hint] for hint in hints]}


def _in_two(task: str) -> tuple[str, str]:
    """The first paragraph of a task, and the rest."""
    first, _, rest = task.strip().partition("\n\n")
    return first, rest


def course_words(header: dict) -> dict[str, Markup]:
    """The course's own words, tasks in two parts and hints, as HTML by their Markdown.

    Links keep their words alone, since a feedback page stands by itself.
    """
    drawn: dict[tuple[str, bool], str] = {}
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.use(
        dollarmath_plugin, renderer=lambda tex, how: drawn.get((tex.strip(), how["display_mode"]), str(escape(tex.strip())))
    )
    for rule in ("link_open", "link_close"):
        parser.add_render_rule(rule, lambda *_: "")
    parser.add_render_rule("image", lambda renderer, tokens, place, *_: str(escape(tokens[place].content)))
    texts = {"", *(part for task in header.get("tasks", {}).values() for part in _in_two(task))}
    texts |= {hint for hints in header.get("hints", {}).values() for hint in hints}
    tokens = [token for text in texts for block in parser.parse(text) for token in (block, *(block.children or ()))]
    drawn |= mathml((token.content.strip(), token.type != "math_inline") for token in tokens if token.type.startswith("math_"))
    return {text: Markup(parser.render(text)) for text in texts}


def _notes(learner: Learner, notebook: str) -> list[str]:
    return few([note for result in learner.results if result["notebook"] == notebook for note in result["notes"]])


def _bars(book: Gradebook) -> list[Bar]:
    counts = Counter(min(learner.percent // 10, 9) for learner in book.learners)
    highest = max(counts.values(), default=1)
    labels = [f"{10 * place} to {10 * place + 9} %" for place in range(9)] + ["90 to 100 %"]
    return [Bar(label, counts[place], 40 + 60 * place, 120 * counts[place] / highest) for place, label in enumerate(labels)]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("handgrad.grading.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": number, "one_line": one_line, "page_of": lambda key: f"learners/{safe_stem(key)}.html"}
    environment.globals |= {"policy": _POLICY, "percent": percent, "about_the_file": _ABOUT_THE_FILE}
    return environment
