"""A learner's notebook → their answers → the official notebook with those answers in it.

Of the learner's notebook only the source of its answer cells is used. Everything else (the other cells, their types,
metadata, outputs, the kernel) is the official notebook's, whatever an editor or the learner did to it.
"""

import ast
import copy
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from handgrad.errors import CourseError

_LARGEST = 64 * 2**20  # bytes; figures are some 50 kB each
_ANCHOR = re.compile(r"#+\s*exercise\s*[:：]\s*(\w+)\s*", re.IGNORECASE)
# nbval obeys these comments wherever they stand in a cell
_MARKER = re.compile(r"(\s*)#[#\s]*((?:NBVAL|PYTEST)_\w+)\s*")


@dataclass(frozen=True)
class Answer:
    """What a learner wrote for one exercise, and how it was found."""

    source: str
    found_by: str  # "anchor", "cell id" or "name"
    notes: tuple[str, ...] = ()


def read_notebook(path: Path) -> dict:
    """The notebook in `path` as plain data: a dict that has a list of cells.

    Raises:
        CourseError: the file is unreadable, too large, or not a notebook.
    """
    again = "Save it in Jupyter or download it again as .ipynb."
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise CourseError(
                f"{path}: {size / 2**20:.0f} MiB, expected at most {_LARGEST // 2**20}. Clear all outputs and save it again."
            )
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CourseError(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise CourseError(f"{path}: not a notebook: not UTF-8 text at byte {error.start}. {again}") from None
    if text.lstrip().startswith("<"):
        raise CourseError(f"{path}: not a notebook but a web page or XML. Download the file itself (on GitHub: Raw).")
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise CourseError(f"{path}: not a notebook: not JSON at line {error.lineno} ({error.msg}). {again}") from None
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, brackets nested without end
        raise CourseError(f"{path}: not a notebook: {error}. {again}") from None
    if isinstance(notebook, dict) and "worksheets" in notebook:
        raise CourseError(f"{path}: an old notebook of format 3. Convert it: jupyter nbconvert --to notebook --inplace {path}")
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise CourseError(f"{path}: not a notebook: JSON without a list of cells. {again}")
    return notebook


def take_answers(notebook: dict, official: dict) -> dict[str, Answer]:
    """The learner's answer to each exercise of `official`; an exercise without an answer cell is left out.

    An answer cell is known by its first line, `# exercise: NAME`; where none is, by its cell id; where none has that either,
    by the class or function that only this exercise defines. Of several the last one counts.
    """
    prose = {_source(cell) for cell in official["cells"] if cell["cell_type"] != "code"}  # a heading may look like an anchor
    cells = [cell for cell in notebook["cells"] if isinstance(cell, dict) and _source(cell) not in prose]
    anchored = [(_anchor(cell), cell) for cell in cells]
    free = [cell for name, cell in anchored if name is None and cell.get("cell_type", "code") == "code"]
    own_names = _names_of_one_exercise(official)
    answers = {}
    for name, answer_cell in answer_cells(official).items():
        ids = _cell_ids(answer_cell)
        ways = {
            "anchor": [cell for written, cell in anchored if written == name],
            "cell id": [cell for cell in free if _cell_ids(cell) & ids],
            "name": [cell for cell in free if _defined_names(_source(cell)) & own_names[name]],
        }
        way = next((way for way, found in ways.items() if found), None)
        if way:
            found = ways[way]
            answers[name] = Answer(_source(found[-1]), way, tuple(_notes(name, way, found)))
    return answers


def _notes(name: str, way: str, found: list[dict]) -> Iterator[str]:
    """What the learner should know about how the answer to `name` was found."""
    if len(found) > 1:
        yield f"{name}: {len(found)} answer cells; the last one is graded."
    cell_type = found[-1].get("cell_type", "code")
    if cell_type != "code":
        yield f"{name}: the answer cell is a {cell_type} cell; graded as code."
    if way != "anchor":
        yield f"{name}: found by its {way}, since no cell begins with the comment `# exercise: {name}`."


def merge(official: dict, answers: dict[str, Answer]) -> dict:
    """The official notebook without outputs, each answer in its place, and nothing in the place of a missing one.

    The cells that belong to an exercise carry `metadata.handgrad`: its name, and whether they are its answer or its check.
    """
    merged = copy.deepcopy(official)
    awaiting = None
    for cell in merged["cells"]:
        if cell["cell_type"] != "code":
            continue
        cell["outputs"], cell["execution_count"] = [], None
        name = _anchor(cell)
        if name:
            answer = answers.get(name)
            cell["source"] = _without_markers(answer.source) if answer else "raise NotImplementedError"
            cell["metadata"]["handgrad"] = {"exercise": name, "part": "answer"}
            awaiting = name
        elif awaiting and re.search(rf"\bcheck\(\s*[\"']{awaiting}[\"']", _source(cell)):
            cell["metadata"]["handgrad"] = {"exercise": awaiting, "part": "check"}
            awaiting = None
    return merged


def answer_cells(official: dict) -> dict[str, dict]:
    """The answer cell of each exercise of an official notebook, in its order."""
    return {name: cell for cell in official["cells"] if cell["cell_type"] == "code" and (name := _anchor(cell))}


def tasks(official: dict) -> dict[str, str]:
    """What each exercise of an official notebook asks, as Markdown: what stands between its heading and its answer cell."""
    asked: dict[str, str] = {}
    parts: list[str] = []
    for cell in official["cells"]:
        text = _source(cell).strip()
        if cell["cell_type"] == "markdown":
            heading, _, rest = text.partition("\n")
            parts = [rest.strip()] if heading.startswith("## ") else [*parts, text]
        elif cell["cell_type"] == "code" and (name := _anchor(cell)):
            asked[name], parts = "\n\n".join(parts), []
        elif parts:
            parts.append(f"```python\n{text}\n```")
    return asked


def _anchor(cell: dict) -> str | None:
    """The exercise that the first line of a cell names, as in `# exercise: my_relu`."""
    match = _ANCHOR.fullmatch(_source(cell).strip().partition("\n")[0].strip())
    return match[1].lower() if match else None


def _source(cell: dict) -> str:
    """The text of a cell: one string, whether the file holds it as one or as a list of lines."""
    text = cell.get("source", "")
    if isinstance(text, list):
        return "".join(line for line in text if isinstance(line, str))
    return text if isinstance(text, str) else ""


def _cell_ids(cell: dict) -> set[str]:
    """The ids that a cell has: its own (nbformat 4.5), and the one that Colab keeps in its metadata."""
    metadata = cell.get("metadata")
    candidates = (cell.get("id"), metadata.get("id") if isinstance(metadata, dict) else None)
    return {identity for identity in candidates if isinstance(identity, str) and identity}


def _defined_names(code: str) -> set[str]:
    """The classes and functions that `code` defines at its top level; none when it is not Python."""
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError):
        return set()
    return {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}


def _names_of_one_exercise(official: dict) -> dict[str, set[str]]:
    """For each exercise, the names that its official answer defines and no other cell of the notebook does."""
    code = [cell for cell in official["cells"] if cell["cell_type"] == "code"]
    times = Counter(name for cell in code for name in _defined_names(_source(cell)))
    return {
        exercise: {name for name in _defined_names(_source(cell)) if times[name] == 1}
        for exercise, cell in answer_cells(official).items()
    }


def _without_markers(code: str) -> str:
    """`code` with its nbval marker comments made harmless, line by line, so that line numbers stay."""
    lines = code.splitlines(keepends=True)
    return "".join(_MARKER.sub(r"\1# \2 has no effect here\n", line) if _MARKER.fullmatch(line) else line for line in lines)
