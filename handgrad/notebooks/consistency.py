"""What must fit between sources, registered exercises and the book's table of contents. Each problem is one line."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from handgrad.errors import CourseError
from handgrad.notebooks.plan import plan_notebooks
from handgrad.notebooks.source import Source
from handgrad.own_course import CHECKS, is_own

_BUILT = ("chapters", "exercises", "solutions")


def require_fit(root: Path, sources: list[Source], whole: bool) -> None:
    """Refuse sources that do not fit together.

    Args:
        whole: these are all sources, so the table of contents must match them too. A teacher's own course may have none.

    Raises:
        CourseError: with one line for each problem.
    """
    place = f"{CHECKS}/" if is_own(root) else "handgrad/exercises/"
    problems = [*_same_names(sources), *_unregistered([source for source in sources if source.is_exercise], place)]
    if whole and ((root / "_toc.yml").exists() or not is_own(root)):
        problems += _contents(root, sources)
    if problems:
        raise CourseError("\n".join(problems))


def _same_names(sources: list[Source]) -> Iterator[str]:
    numbered: dict[str, Source] = {}
    answered: dict[str, Source] = {}
    for source in sources:
        first = numbered.setdefault(source.stem[:2], source)
        if first.stem != source.stem:
            yield f"{source.path.as_posix()}: {first.path.as_posix()} has the number {source.stem[:2]} too; rename one of them"
        for name, line in source.answers.items():
            other = answered.setdefault(name, source)
            if other is not source:
                yield f"{source.path.as_posix()}:{line}: {name} is answered in {other.path.as_posix()} too; rename one of them"


def _unregistered(sources: list[Source], registry: str) -> Iterator[str]:
    if not sources:
        return
    from handgrad.exercises import EXERCISES
    from handgrad.notebooks.course import nearest

    for source in sources:
        for name, line in source.answers.items():
            place = f"{source.path.as_posix()}:{line}: {name}"
            if name not in EXERCISES:
                yield f"{place} is not registered in {registry}; register it there, or {nearest(name, EXERCISES)}"
            elif EXERCISES[name].chapter != source.stem:
                yield f"{place} is registered for chapter {EXERCISES[name].chapter}; move it there or repair {registry}"
        for name, exercise in EXERCISES.items():
            if exercise.chapter == source.stem and name not in source.answers:
                yield f"{source.path.as_posix()}: {name} is registered in {registry} and missing here; add its section"


def _contents(root: Path, sources: list[Source]) -> Iterator[str]:
    named = _named_in_contents(root / "_toc.yml")
    planned = {plan.path.with_suffix("").as_posix(): source for source in sources for plan in plan_notebooks(source)}
    for page in sorted(planned.keys() - named):
        yield f"_toc.yml: {page} is missing; add a line '- file: {page}', or delete {planned[page].path.as_posix()}"
    for page in sorted(named - planned.keys()):
        folder, _, stem = page.partition("/")
        if folder in _BUILT:
            source = f"sources/{'exercises' if folder == 'solutions' else folder}/{stem}.md"
            yield f"_toc.yml: {page} has no source; write {source} or delete the line"


def _named_in_contents(path: Path) -> set[str]:
    try:
        contents = yaml.safe_load(path.read_bytes())
    except FileNotFoundError:
        raise CourseError("_toc.yml: there is none; write it, Jupyter Book reads the order of the pages from it") from None
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise CourseError(f"_toc.yml: not valid YAML; repair it ({reason})") from None
    return {page.removesuffix(".ipynb") for page in _pages(contents)}


def _pages(entry: object) -> Iterable[str]:
    if isinstance(entry, list):
        for part in entry:
            yield from _pages(part)
    elif isinstance(entry, dict):
        for key, value in entry.items():
            if key in ("root", "file"):
                yield str(value)
            else:
                yield from _pages(value)
