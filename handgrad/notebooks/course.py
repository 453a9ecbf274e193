"""The course's folder and the sources in it."""

from difflib import get_close_matches
from pathlib import Path

from handgrad.errors import CourseError
from handgrad.notebooks.source import Source, read_source


def course_root() -> Path:
    """The nearest folder, from the current one upwards, that holds `sources/`."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "sources").is_dir():
            return folder
    raise CourseError(f"{here}: there is no sources folder here or above; run handgrad in the course's folder")


def read_sources(root: Path, names: tuple[str, ...] = ()) -> list[Source]:
    """The sources of that name, or all of them, chapters first."""
    paths = [path.relative_to(root) for folder in ("chapters", "exercises") for path in sorted((root / "sources" / folder).glob("*.md"))]
    known = {path.stem for path in paths}
    for name in names:
        if name not in known:
            raise CourseError(f"{name}: there is no such source; {nearest(name, known)}")
    return [read_source(root, path) for path in paths if not names or path.stem in names]


def nearest(name: str, known: set[str]) -> str:
    """Words that offer the names most like `name`."""
    close = get_close_matches(name, sorted(known), n=3, cutoff=0.4)
    return f"did you mean {', '.join(close)}?" if close else f"known are {', '.join(sorted(known)) or 'none yet'}"
