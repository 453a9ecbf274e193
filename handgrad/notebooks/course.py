"""The course's folder and the sources in it."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from handgrad.errors import CourseError
from handgrad.notebooks.source import Source, read_source


def course_root() -> Path:
    """The nearest folder, from the current one upwards, that holds `sources/`.

    Raises:
        CourseError: there is none.
    """
    root = find_root()
    if root is None:
        raise CourseError(
            f"{Path.cwd()}: no sources folder here or above; run handgrad in the course's folder, "
            "or begin a course of your own here: handgrad new exercise 01_sines my_sin"
        )
    return root


def find_root() -> Path | None:
    """`course_root`, or None where there is none."""
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if (folder / "sources").is_dir()), None)


def read_sources(root: Path, names: tuple[str, ...] = ()) -> list[Source]:
    """The sources of these names (`03_relu`), or all of them, chapters first.

    Raises:
        CourseError: a name is unknown, or sources are wrong: one line for each.
    """
    folders = ("chapters", "exercises")
    paths = [path.relative_to(root) for folder in folders for path in sorted((root / "sources" / folder).glob("*.md"))]
    known = {path.stem for path in paths}
    for name in names:
        if name not in known:
            raise CourseError(f"{name}: no such source; {nearest(name, known)}")
    sources, problems = [], []
    for path in paths:
        if not names or path.stem in names:
            try:
                sources.append(read_source(root, path))
            except CourseError as error:
                problems.append(error.message)
    if problems:
        raise CourseError("\n".join(problems))
    return sources


def nearest(name: str, known: Iterable[str]) -> str:
    """Words that offer the names most like `name`."""
    close = get_close_matches(name, sorted(known), n=3)
    return f"did you mean {', '.join(close)}?" if close else f"known are {', '.join(sorted(known)) or 'none yet'}"
