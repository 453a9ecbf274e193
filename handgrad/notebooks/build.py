"""`handgrad build`: write the notebooks of the sources, executing only those whose code changed."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from handgrad.notebooks.execute import execute
from handgrad.notebooks.plan import Plan, plan_notebooks
from handgrad.notebooks.setup_cell import SETUP_ID
from handgrad.notebooks.source import Source

_AT_ONCE = 2


def build_source(root: Path, source: Source, again: bool, on_cell: Callable[[Plan], None]) -> list[Path]:
    """Write the notebooks of one source, all or none of them.

    Args:
        again: execute even where the stored outputs belong to the same code.
        on_cell: called with the plan after each code cell that was executed.

    Returns:
        The paths of those that changed.
    """
    plans = plan_notebooks(source)
    for plan in plans:
        (root / plan.path.parent).mkdir(exist_ok=True)
        if plan.executed and (again or not _keep_outputs(plan, read_notebook(root / plan.path))):
            execute(plan, root, lambda plan=plan: on_cell(plan))
    return [plan.path for plan in plans if _write(root / plan.path, plan.notebook)]


def read_notebook(path: Path) -> NotebookNode | None:
    """The notebook on disk; None where there is none or it is not a notebook."""
    try:
        notebook = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
        nbformat.validate(notebook)
    except (OSError, ValueError, AttributeError, KeyError, nbformat.ValidationError):
        return None
    return notebook


def _keep_outputs(plan: Plan, stored: NotebookNode | None) -> bool:
    """Whether the stored notebook ran the same code; its outputs are then taken over."""
    new = [cell for cell in plan.notebook.cells if cell.cell_type == "code"]
    old = [cell for cell in stored.cells if cell.cell_type == "code"] if stored else []
    if [_code(cell) for cell in new] != [_code(cell) for cell in old] or not all(cell.execution_count for cell in old):
        return False
    for cell, ran in zip(new, old, strict=True):
        cell.outputs, cell.execution_count = ran.outputs, ran.execution_count
    return True


def _code(cell: NotebookNode) -> tuple[str, list[str]]:
    """What decides about a cell's outputs. The set-up cell prints nothing and may name another repository."""
    return ("" if cell.id == SETUP_ID else cell.source, cell.metadata.get("tags", []))


def _write(path: Path, notebook: NotebookNode) -> bool:
    """Replace the file in one step, and only if its bytes would change."""
    text = nbformat.writes(notebook) + "\n"
    if path.exists() and path.read_bytes() == text.encode():
        return False
    half = path.with_suffix(".ipynb.part")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, path)
    return True


def build_sources(root: Path, sources: list[Source], again: bool) -> None:
    """Write the notebooks of all `sources`, two sources at once, and say what was done."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        waiting = [pool.submit(build_source, root, source, again, lambda plan: None) for source in sources]
        try:
            for source, built in zip(sources, waiting, strict=True):
                changed = built.result()
                print(f"{source.path.as_posix()}: {', '.join(map(str, changed)) or 'unchanged'}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
