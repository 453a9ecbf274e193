"""Every exercise in all its states: as shipped, solved, and with each answer of `tests/answers/`, wrong or right.

An answer file defines what the answer cell defines. A wrong one says in its docstring which message it must meet:
`Meets: <probe>: <part of what the check says>`.
"""

import ast
import linecache
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from handgrad.errors import CourseError
from handgrad.exercises import EXERCISES
from handgrad.notebooks.source import Source
from handgrad.observe import observe
from handgrad.verdict import Verdict, judge_record

ANSWERS = Path("tests", "answers")
SHIPPED, SOLVED, WRONG, RIGHT = "as shipped", "solution", "wrong", "right"


@dataclass(frozen=True)
class State:
    """An exercise with an answer.

    Attributes:
        place: where the answer stands, for messages.
        answer: its text.
        handed: what the check cell hands to check: `MyReLU` of `check("my_relu", MyReLU)`.
    """

    exercise: str
    kind: str
    place: str
    answer: str
    handed: str


def states(root: Path, sources: list[Source]) -> list[State]:
    """The states of all exercises of some sources."""
    found = []
    for source in sources:
        answered = {cell.answers: cell for cell in source.cells if cell.answers}
        for cell in source.cells:
            if not cell.checks:
                continue
            name, answer, handed = cell.checks, answered[cell.checks], _handed(cell.solution)
            place = f"{source.path.as_posix()}:{answer.line}"
            found.append(State(name, SHIPPED, place, answer.exercise, handed))
            found.append(State(name, SOLVED, place, answer.solution, handed))
            for kind in (WRONG, RIGHT):
                for path in sorted((root / ANSWERS / kind / name).glob("*.py")):
                    text = path.read_text(encoding="utf-8")
                    found.append(State(name, kind, path.relative_to(root).as_posix(), text, handed))
    return found


def fault(state: State, seed: int = 0) -> str | None:
    """What is not as it should be, in words; None where all is well."""
    try:
        result = verdict(state, seed)
    except Exception as error:
        return f"it does not run: {type(error).__name__}: {error}"
    said = "\n".join(f"    {line}" for line in result.text().splitlines())
    if state.kind in (SOLVED, RIGHT):
        if result.outcome != "done":
            return f"this is right, and the check refuses it (seed {seed}):\n{said}"
        if state.kind == SOLVED and len(result.text().splitlines()) > 1:
            return f"the solution is done, and there is advice for it:\n{said}"
        return None
    if result.outcome == "done":
        return "this is done before anybody has answered" if state.kind == SHIPPED else "this is wrong, and the check accepts it"
    return None if state.kind == SHIPPED else _meets(state, result, said)


def verdict(state: State, seed: int = 0) -> Verdict:
    """Check an answer as its notebook would."""
    linecache.cache[state.place] = (len(state.answer), None, state.answer.splitlines(keepends=True), state.place)
    namespace: dict = {"__name__": "answer"}
    depth = sys.getrecursionlimit()  # an answer that raises it would let the next deep recursion kill the process
    try:
        exec(compile(state.answer, state.place, "exec"), namespace)
        answer = eval(state.handed, namespace)
        return judge_record(state.exercise, observe(EXERCISES[state.exercise], answer, seed), seed)
    finally:
        sys.setrecursionlimit(depth)


def gaps(root: Path, sources: list[Source], wrong: int = 1, right: int = 1) -> Iterator[str]:
    """What is missing or left over: one line each.

    Args:
        wrong, right: the least number of answers in an exercise's folders.
    """
    named = {name for source in sources for name in source.answers}
    for name in sorted(named):
        for kind, least in ((WRONG, wrong), (RIGHT, right)):
            folder = ANSWERS / kind / name
            if len(list((root / folder).glob("*.py"))) < least:
                yield f"{folder.as_posix()}: fewer than {least} answer files; write one, without it the check is not tested"
        if not all(EXERCISES[name].hints):
            yield f"{name}: an empty hint; write all three"


def strays(root: Path, sources: list[Source]) -> Iterator[str]:
    """The folders of answers to no exercise of these sources, which must be all: one line each."""
    named = {name for source in sources for name in source.answers}
    for kind in (WRONG, RIGHT):
        for folder in sorted((root / ANSWERS / kind).glob("*/")):
            if folder.name not in named:
                yield f"{folder.relative_to(root).as_posix()}: answers to no exercise; rename or delete the folder"


def run_states(root: Path, sources: list[Source], whole: bool) -> None:
    """`handgrad test`: try every state, print a line for each exercise.

    Raises:
        CourseError: something is not as it should be: one paragraph each.
    """
    problems = [*gaps(root, sources), *(strays(root, sources) if whole else ())]
    tried: dict[str, Counter] = {}
    for state in states(root, sources):
        seeds = (0, 1, 2) if state.kind in (SOLVED, RIGHT) else (0,)
        found = next((words for seed in seeds if (words := fault(state, seed))), None)
        if found:
            problems.append(f"{state.place} ({state.exercise}, {state.kind}): {found}")
        tried.setdefault(state.exercise, Counter())[state.kind] += not found
    for name, counts in tried.items():
        print(
            f"{name}: shipped {'unsolved' if counts[SHIPPED] else 'NOT as it should be'}, "
            f"solution {'done' if counts[SOLVED] else 'NOT done'}, "
            f"{counts[WRONG]} wrong refused, {counts[RIGHT]} right accepted"
        )
    if problems:
        raise CourseError("\n".join(["not as it should be:", *problems]))


def _meets(state: State, result: Verdict, said: str) -> str | None:
    docstring = ast.get_docstring(ast.parse(state.answer)) or ""
    lines = [line.removeprefix("Meets:").strip() for line in docstring.splitlines() if line.startswith("Meets:")]
    probe, _, message = lines[0].partition(": ") if len(lines) == 1 else ("", "", "")
    if not message:
        return "its docstring needs one line 'Meets: <probe>: <part of the message>'"
    first = next(finding for finding in result.findings if not finding.advice)
    if first.probe == probe and message in first.text:
        return None
    return f"it is refused, and not with the message that it should meet, {lines[0]!r}:\n{said}"


def _handed(code: str) -> str:
    calls = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call))
    check = next(call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "check")
    return ast.unparse(check.args[1])
