"""The notebooks that a source becomes, as they are before they are executed."""

from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from handgrad.notebooks.ids import cell_ids
from handgrad.notebooks.repository import repository_branch, repository_url
from handgrad.notebooks.setup_cell import badge_cell, setup_cell
from handgrad.notebooks.source import Source, SourceCell
from handgrad.own_course import own_course

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


@dataclass(frozen=True)
class Plan:
    """A notebook to be built.

    Args:
        path: where it belongs, relative to the course's folder.
        source: what it is built from.
        executed: whether its outputs are stored.
        written: the source's cell for each of the notebook's; None for those that the builder adds.
    """

    path: Path
    source: Source
    notebook: NotebookNode
    executed: bool
    written: tuple[SourceCell | None, ...]


def plan_notebooks(source: Source) -> list[Plan]:
    """A chapter gives one notebook; an exercise gives the solution and, after it, the exercise."""
    if source.is_exercise:
        return [_plan(source, "solutions", executed=True), _plan(source, "exercises", executed=False)]
    return [_plan(source, "chapters", executed=True)]


def _plan(source: Source, folder: str, executed: bool) -> Plan:
    path = Path(folder, f"{source.stem}.ipynb")
    repository = None if own_course() else repository_url()  # a course of one's own is no package, and nothing opens it in Colab
    cells: list[NotebookNode] = []
    written: list[SourceCell | None] = []
    if badge := badge_cell(repository, repository_branch(), path.as_posix()):
        cells.append(badge)
        written.append(None)
    for i, (cell, cell_id) in enumerate(zip(source.cells, cell_ids(source.cells), strict=True)):
        cells.append(_cell(cell, cell_id, with_answer=executed))
        written.append(cell)
        if i == 0:
            cells.append(setup_cell(repository, source.is_exercise))
            written.append(None)
    notebook = new_notebook(cells=cells, metadata=_METADATA, nbformat_minor=5)
    return Plan(path, source, notebook, executed, tuple(written))


def _cell(cell: SourceCell, cell_id: str, with_answer: bool) -> NotebookNode:
    new_cell = new_code_cell if cell.type == "code" else new_markdown_cell
    metadata = {"tags": list(cell.tags)} if cell.tags else {}
    return new_cell(cell.solution if with_answer else cell.exercise, id=cell_id, metadata=metadata)
