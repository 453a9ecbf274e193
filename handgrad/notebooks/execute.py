"""Run a planned notebook in a fresh kernel and judge each cell's outputs; a cell that is not as planned stops the build."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from click import unstyle
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from handgrad.errors import CourseError
from handgrad.notebooks.plan import Plan
from handgrad.notebooks.source import SourceCell

_SECONDS_A_CELL = 300


class _ThisInterpreter(KernelSpecManager):
    """Every kernel name means the Python that builds, whichever kernels are installed; forked where that can be."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--log-level=ERROR"]
        warm = {"kernel_provisioner": {"provisioner_name": "handgrad-warm"}}
        return KernelSpec(argv=argv, display_name="Python 3", language="python", metadata=warm)


def execute(plan: Plan, root: Path, on_cell: Callable[[], None]) -> None:
    """Fill in the outputs of `plan.notebook`, calling `on_cell` after each of its code cells.

    Raises:
        CourseError: a cell failed, did not raise as its tag says, wrote to stderr, or was not *done* in its check.
    """
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=_ThisInterpreter())
    client = NotebookClient(
        plan.notebook,
        km=manager,
        timeout=_SECONDS_A_CELL,
        startup_timeout=_SECONDS_A_CELL,
        allow_errors=True,
        record_timing=False,
        resources={"metadata": {"path": str(root / plan.path.parent)}},
    )
    with tempfile.TemporaryDirectory() as folder, client.setup_kernel(env=_environment(folder), cleanup_kc=True):
        count = 0
        for i, (cell, written) in enumerate(zip(plan.notebook.cells, plan.written, strict=True)):
            if cell.cell_type != "code":
                continue
            count += 1
            try:
                client.execute_cell(cell, i, execution_count=count)
            except CellTimeoutError:
                raise _failure(plan, cell, written, f"it ran longer than {_SECONDS_A_CELL} s") from None
            except DeadKernelError:
                raise _failure(plan, cell, written, "the kernel died in it") from None
            cell.outputs = _joined(cell.outputs)
            _judge(plan, cell, written)
            on_cell()


def _environment(ipython_folder: str) -> dict[str, str]:
    """The builder's own environment without what would change an output: another device, a grader's seed, pytest's mark."""
    unwanted = {"HANDGRAD_SEED", "MPLBACKEND", "PYTEST_VERSION", "PYTEST_CURRENT_TEST"}
    return {name: value for name, value in os.environ.items() if name not in unwanted} | {
        "HANDGRAD_DEVICE": "cpu",
        "HANDGRAD_PROGRESS": "off",
        "IPYTHONDIR": ipython_folder,
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The outputs with neighbouring pieces of one stream made one, since where a kernel cuts them is chance."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if last and output.output_type == "stream" and last.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _judge(plan: Plan, cell: NotebookNode, written: SourceCell | None) -> None:
    tags = cell.metadata.get("tags", [])
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if errors and "raises-exception" not in tags:
        raise _failure(plan, cell, written, _readable(errors[0]))
    if "raises-exception" in tags and not errors:
        raise _failure(plan, cell, written, "its tag raises-exception says that it raises, and it did not; repair it or the tag")
    for error in errors:
        # the frames hold absolute paths, which differ from machine to machine
        error.traceback = [f"{error.ename}: {error.evalue}"]
    warned = _stream(cell, "stderr")
    if warned and "allow-stderr" not in tags:
        raise _failure(plan, cell, written, f"it wrote to stderr, which a published page must not show:\n{warned}")
    if written and written.checks and not _stream(cell, "stdout").startswith(f"{written.checks}: done"):
        said = _stream(cell, "stdout") or "nothing"
        raise _failure(plan, cell, written, f"the check of the solution is not done; it said:\n{said}")


def _stream(cell: NotebookNode, name: str) -> str:
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == name)


def _readable(error: NotebookNode) -> str:
    """The error as a learner would want it: the frames of cells, then type and message; nothing of installed packages."""
    frames = [unstyle(frame).rstrip() for frame in error.traceback]
    return "\n".join([frame for frame in frames if frame.startswith("Cell In")] + [f"{error.ename}: {error.evalue}"])


def _failure(plan: Plan, cell: NotebookNode, written: SourceCell | None, reason: str) -> CourseError:
    place = f"{plan.source.path.as_posix()}:{written.line}" if written else f"{plan.source.path.as_posix()}, set-up cell"
    code = "\n".join(f"    {line}".rstrip() for line in cell.source.split("\n"))
    return CourseError(
        f"{place}: {plan.path.as_posix()} was not built, because of this cell:\n\n{code}\n\n{unstyle(reason).rstrip()}\n\n"
        f"Repair the cell in {plan.source.path.as_posix()}, then run: handgrad build {plan.source.stem}"
    )
