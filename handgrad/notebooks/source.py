"""One source file, read: its cells, where each begins, and which answer and check an exercise."""

import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from jupytext.myst import MystMetadataParsingError, myst_to_notebook
from markdown_it import MarkdownIt
from nbformat import ValidationError

from handgrad.errors import CourseError
from handgrad.notebooks.regions import RegionError, has_marker, split_regions

_NAME = re.compile(r"\d\d_[a-z0-9_]+")
_ANCHOR = re.compile(r"# exercise: ?(\w+)\s*")
_CHECK = re.compile(r"""\bcheck\(\s*["'](\w+)["']""")


@dataclass(frozen=True)
class SourceCell:
    """One cell as it was written.

    Args:
        type: `markdown` or `code`.
        solution: the text, with the answer.
        exercise: the text without it; equal to `solution` where there is nothing to hide.
        line: where the cell begins in the source, from 1.
        answers: the exercise whose answer this cell is, if it is one.
        checks: the exercise whose check this cell is, if it is one.
    """

    type: str
    solution: str
    exercise: str
    tags: tuple[str, ...]
    line: int
    answers: str | None = None
    checks: str | None = None


@dataclass(frozen=True)
class Source:
    """One source file. `path` is relative to the course's folder, `stem` names the notebooks built from it."""

    path: Path
    cells: tuple[SourceCell, ...]

    @property
    def stem(self) -> str:
        return self.path.stem

    @property
    def is_exercise(self) -> bool:
        return self.path.parent.name == "exercises"

    @property
    def answers(self) -> dict[str, int]:
        """The exercises answered here, each with the line of its answer cell."""
        return {cell.answers: cell.line for cell in self.cells if cell.answers}


def read_source(root: Path, path: Path) -> Source:
    """The cells of `root / path`.

    Raises:
        CourseError: the file's name, a cell's options, a solution marker or the order of answer and check is wrong.
    """
    if not _NAME.fullmatch(path.stem) and path.as_posix() != "sources/chapters/welcome.md":
        raise CourseError(f"{path.as_posix()}: a source is named by two digits and a word, like 03_relu.md; rename it")
    try:
        text = (root / path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CourseError(f"{path.as_posix()}: not UTF-8 text at byte {error.start}; save it as UTF-8") from None
    cells = _cells(path, text)
    if not cells or cells[0].type != "markdown":
        raise CourseError(f"{path.as_posix()}: the first cell is not Markdown; begin with the title, like # MyReLU")
    if path.parent.name == "exercises":
        cells = _paired(path, cells)
    return Source(path, tuple(cells))


def _cells(path: Path, text: str) -> list[SourceCell]:
    try:
        notebook = myst_to_notebook(text, add_source_map=True)
    except (MystMetadataParsingError, ValidationError) as error:
        reason = str(error).partition("\n")[0]
        raise CourseError(f"{path.as_posix()}: a cell's options are not readable, write :tags: [hide-input] ({reason})") from None
    cells = []
    for cell, line in zip(notebook.cells, notebook.metadata.source_map, strict=True):
        # jupytext counts from 0 and points a code cell at the line after its fence
        line += cell.cell_type == "markdown"
        tags = cell.metadata.pop("tags", [])
        if cell.metadata or not isinstance(tags, list):
            raise CourseError(f"{path.as_posix()}:{line}: the only option of a cell is its tags; write :tags: [hide-input]")
        if cell.cell_type == "code":
            cells.append(_code_cell(path, cell.source, tuple(tags), line))
        else:
            cells += [SourceCell("markdown", part, part, tuple(tags), line + below) for below, part in _sections(cell.source)]
    return cells


def _sections(text: str) -> list[tuple[int, str]]:
    """Markdown, parted before each heading of a section (`##`), with the line at which each part begins, from 0.

    So a section is a cell of its own in a notebook, and what the builder adds after the first cell follows the opening.
    """
    lines = text.split("\n")
    headings = [token.map[0] for token in MarkdownIt().parse(text) if token.type == "heading_open" and token.tag == "h2"]
    starts = sorted({0, *headings})
    parts = [(start, "\n".join(lines[start:end]).strip("\n")) for start, end in pairwise([*starts, len(lines)])]
    return [(start, part) for start, part in parts if part.strip()]


def _code_cell(path: Path, text: str, tags: tuple[str, ...], line: int) -> SourceCell:
    answers = None
    if path.parent.name == "exercises":
        anchor = _ANCHOR.fullmatch(text.split("\n", 1)[0])
        answers = anchor[1] if anchor else None
    if not has_marker(text):
        if answers:
            raise CourseError(
                f"{path.as_posix()}:{line}: the answer to {answers} is not hidden; "
                "put it between ### BEGIN SOLUTION and ### END SOLUTION"
            )
        return SourceCell("code", text, text, tags, line)
    if not answers:
        raise CourseError(
            f"{path.as_posix()}:{line}: a solution marker outside an answer cell; "
            "begin the cell with '# exercise: NAME' or delete the marker"
        )
    try:
        solution, exercise = split_regions(text)
    except RegionError as error:
        raise CourseError(f"{path.as_posix()}:{line}: in the answer to {answers}, line {error.line + 1}: {error}") from None
    return SourceCell("code", solution, exercise, tags, line, answers=answers)


def _paired(path: Path, cells: list[SourceCell]) -> list[SourceCell]:
    """The cells, those that check an exercise marked; each answer must be followed by its check."""
    paired: list[SourceCell] = []
    waiting: SourceCell | None = None
    answered: set[str] = set()
    for cell in cells:
        check = _CHECK.search(cell.solution) if cell.type == "code" and not cell.answers else None
        if cell.answers:
            if cell.answers in answered:
                raise CourseError(f"{path.as_posix()}:{cell.line}: {cell.answers} is answered twice; rename or delete one answer")
            if waiting:
                raise _unchecked(path, waiting)
            waiting = cell
            answered.add(cell.answers)
        elif check and waiting and check[1] == waiting.answers:
            cell = SourceCell(cell.type, cell.solution, cell.exercise, cell.tags, cell.line, checks=check[1])
            waiting = None
        elif check and check[1] not in answered - {waiting.answers if waiting else None}:
            expected = f'write check("{waiting.answers}", …)' if waiting else f"begin a cell above with '# exercise: {check[1]}'"
            raise CourseError(f'{path.as_posix()}:{cell.line}: check("{check[1]}", …) has no answer cell before it; {expected}')
        paired.append(cell)
    if waiting:
        raise _unchecked(path, waiting)
    return paired


def _unchecked(path: Path, cell: SourceCell) -> CourseError:
    cure = f'add a code cell with check("{cell.answers}", …) after it'
    return CourseError(f"{path.as_posix()}:{cell.line}: {cell.answers} is never checked; {cure}")
