"""Files of a report: names that are safe whatever the learner's is, whole or not at all, gone when the learner is."""

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from handgrad.grading.reports.words import one_line

_WRITTEN = ".written.json"  # what the last run wrote
_OURS = re.compile(r"(learners|gradescope)/[a-z0-9-]+\.(html|json)")


def safe_stem(name: str) -> str:
    """A file name's stem for a learner: readable, the same in every run, and for no other name, letter case or not.

    The name as far as it is ASCII, then a digest of all of it.
    """
    readable = unicodedata.normalize("NFKD", one_line(name)).encode("ascii", "ignore").decode()
    readable = re.sub(r"[^a-z0-9]+", "-", readable.lower())[:40].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{readable}-{digest}" if readable else digest


def write_files(out: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write each file (path in `out`, content) whole or not at all, and remove an earlier run's files of learners who are gone.

    Raises:
        OSError: a file cannot be written.
    """
    written = set()
    for name, content in files:
        _replace(out / name, content)
        written.add(name)
    for name in _written_before(out) - written:
        (out / name).unlink(missing_ok=True)
    _replace(out / _WRITTEN, json.dumps(sorted(written), indent=0) + "\n")


def _written_before(out: Path) -> set[str]:
    try:
        names = json.loads((out / _WRITTEN).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return {name for name in names if isinstance(name, str) and _OURS.fullmatch(name)} if isinstance(names, list) else set()


def _replace(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_text(content, encoding="utf-8", newline="")
    os.replace(part, path)
