"""`handgrad build --check`: name each notebook that is not what its source says. Nothing is executed or written."""

from itertools import zip_longest
from pathlib import Path

from nbformat import NotebookNode

from handgrad.errors import CourseError
from handgrad.notebooks.build import has_been_run, read_notebook
from handgrad.notebooks.plan import Plan, plan_notebooks
from handgrad.notebooks.setup_cell import BADGE_ID, SETUP_ID
from handgrad.notebooks.source import Source


def require_current(root: Path, sources: list[Source], whole: bool) -> None:
    """Refuse notebooks that are not what the sources say.

    Args:
        whole: these are all sources, so a notebook of none of them is an orphan.

    Raises:
        CourseError: with one line for each notebook.
    """
    plans = [plan for source in sources for plan in plan_notebooks(source)]
    problems = [problem for plan in plans if (problem := _difference(root, plan))]
    if whole:
        planned = {plan.path for plan in plans}
        for folder in ("chapters", "exercises", "solutions"):
            for path in sorted(path.relative_to(root) for path in (root / folder).glob("*.ipynb")):
                if path not in planned:
                    home = "chapters" if folder == "chapters" else "exercises"
                    problems.append(f"{path.as_posix()}: has no source; delete it or write sources/{home}/{path.stem}.md")
    if problems:
        raise CourseError("\n".join(problems))


def _difference(root: Path, plan: Plan) -> str | None:
    place, cure = plan.path.as_posix(), f"run: handgrad build {plan.source.stem}"
    stored = read_notebook(root / plan.path)
    if stored is None:
        return f"{place}: {'not a valid notebook' if (root / plan.path).exists() else 'missing'}; {cure}"
    if not plan.executed and has_been_run(stored):
        return f"{place}: has been run, and is kept unrun; move it elsewhere, or drop it: git checkout {place}"
    for planned, kept in zip_longest(_compared(plan.notebook), _compared(stored)):
        if planned != kept:
            cell = (planned or kept)[0]
            return f"{place}: not what {plan.source.path.as_posix()} says (first at cell {cell}); edit that file, then {cure}"
    for cell in stored.cells:
        if plan.executed and cell.cell_type == "code" and not cell.execution_count:
            return f"{place}: cell {cell.id} never ran; {cure}"
    return None


def _compared(notebook: NotebookNode) -> list[tuple]:
    """What must be equal: all that comes from the source. Badge and pip line may name another repository."""
    return [
        (cell.get("id"), cell.cell_type, "" if cell.get("id") == SETUP_ID else cell.source, cell.metadata.get("tags", []))
        for cell in notebook.cells
        if cell.get("id") != BADGE_ID
    ]
