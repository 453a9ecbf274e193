"""`handgrad build`: write the notebooks of the sources, executing only those whose code changed."""

import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.validator import iter_validate
from rich.console import Console
from rich.progress import Progress

from handgrad.errors import CourseError
from handgrad.notebooks.plan import Plan, plan_notebooks
from handgrad.notebooks.setup_cell import SETUP_ID
from handgrad.notebooks.source import Source

_AT_ONCE = 2


def build_sources(root: Path, sources: list[Source], again: bool) -> None:
    """Write the notebooks of `sources`, two sources at once, and say which of them changed.

    Args:
        again: execute even where the stored outputs belong to the same code.

    Raises:
        CourseError: a cell failed. Its notebook and those not begun stay as they are.
    """
    console = Console(soft_wrap=True, highlight=False, markup=False)
    progress = Progress(console=console, disable=not console.is_terminal, transient=True)
    with progress, ThreadPoolExecutor(_AT_ONCE) as pool:
        building = [pool.submit(_build_source, root, source, again, progress) for source in sources]
        try:
            for built in as_completed(building):
                for path, changed in built.result().items():
                    console.print(f"{path.as_posix()}: {'written' if changed else 'unchanged'}")
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def read_notebook(path: Path) -> NotebookNode | None:
    """The notebook on disk; None where there is none or it is not a valid one."""
    try:
        notebook = nbformat.v4.reads(path.read_text(encoding="utf-8"))
        # nbformat.validate would repair ids, and warn
        valid = notebook.nbformat == 4 and not any(iter_validate(notebook))
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None
    return notebook if valid else None


def has_been_run(notebook: NotebookNode) -> bool:
    """Whether any cell of a notebook holds a count or an output."""
    return any(cell.get("execution_count") or cell.get("outputs") for cell in notebook.cells)


def _build_source(root: Path, source: Source, again: bool, progress: Progress) -> dict[Path, bool]:
    """Write the notebooks of one source, all or none. Returns for each whether it changed."""
    plans = plan_notebooks(source)
    for plan in plans:
        if not plan.executed:
            _spare_answers(plan, read_notebook(root / plan.path))
    for plan in plans:
        (root / plan.path.parent).mkdir(exist_ok=True)
        if plan.executed and (again or not _keep_outputs(plan, read_notebook(root / plan.path))):
            _execute(root, plan, progress)
    return {plan.path: _write(root / plan.path, plan.notebook) for plan in plans}


def _spare_answers(plan: Plan, stored: NotebookNode | None) -> None:
    """An exercise that has been run is a learner's, and may hold answers that stand nowhere else."""
    if stored and has_been_run(stored):
        raise CourseError(
            f"{plan.path.as_posix()} has been run, so it may hold somebody's answers, and was not written.\n"
            f"Move it elsewhere (handgrad grade finds it there too), or drop it: git checkout {plan.path.as_posix()}"
        )


def _execute(root: Path, plan: Plan, progress: Progress) -> None:
    from handgrad.notebooks.execute import execute

    codes = sum(cell.cell_type == "code" for cell in plan.notebook.cells)
    task = progress.add_task(plan.path.as_posix(), total=codes)
    execute(plan, root, on_cell=lambda: progress.advance(task))
    progress.remove_task(task)


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
    return ("" if cell.get("id") == SETUP_ID else cell.source, cell.metadata.get("tags", []))


def _write(path: Path, notebook: NotebookNode) -> bool:
    """Replace the file in one step, and only if its bytes would change."""
    text = nbformat.writes(notebook) + "\n"
    if path.exists() and path.read_bytes() == text.encode():
        return False
    half = path.with_suffix(".ipynb.part")
    half.write_text(text, encoding="utf-8", newline="\n")
    os.replace(half, path)
    return True
