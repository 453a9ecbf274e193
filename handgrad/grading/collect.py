"""A pytest plugin for grading runs: nbval that outlives each answer, and writes down what it saw.

It is loaded by `-p handgrad.grading.collect`. The notebook is one that `handgrad.notebooks.answers.merge` made.
Beyond nbval: a dead kernel is noticed at once, a cell ends at its deadline whatever it does,
and after either the next exercise runs in a fresh kernel.
"""

import json
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from typing import NoReturn

import nbval.plugin
import pytest
from nbval.kernel import RunningKernel

from handgrad.check import RECORD

_ALIVE_EVERY = 0.25  # seconds between two looks at whether the kernel lives
_GRACE = 3.0  # seconds that a cell has after its timeout to react to the interrupt
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class KernelDied(Exception):
    """The kernel's process ended while a cell ran."""


class WatchedKernel(RunningKernel):
    """nbval's kernel with an absolute deadline and an eye on the process."""

    deadline = math.inf

    def await_reply(self, msg_id: str, timeout: float) -> None:
        end = time.monotonic() + timeout
        while True:
            try:
                return super().await_reply(msg_id, timeout=_ALIVE_EVERY)
            except Empty:
                if not self.is_alive():
                    raise KernelDied from None
                if time.monotonic() > end:
                    raise

    def get_message(self, stream: str, timeout: float | None = None) -> dict:
        if time.monotonic() > self.deadline:
            raise Empty
        return super().get_message(stream, timeout)


class GradedNotebook(nbval.plugin.IPyNbFile):
    """A merged notebook."""

    def collect(self) -> Iterator["GradedCell"]:
        self.cells = [
            GradedCell.from_parent(self, name=item.name, cell_num=item.cell_num, cell=item.cell, options=item.options)
            for item in super().collect()
        ]
        yield from self.cells

    def renew_kernel(self, before: "GradedCell") -> None:
        """Start another kernel and run the cells of the course, but no answer, that stand above `before`."""
        self.teardown()
        self.setup()
        self.timed_out = False
        for cell in self.cells[: self.cells.index(before)]:
            if not cell.exercise:
                message = self.kernel.execute_cell_input(cell.cell.source, allow_stdin=False)
                self.kernel.await_reply(message, timeout=self.config.option.nbval_cell_timeout)


class GradedCell(nbval.plugin.IPyNbCell):
    """A cell of a merged notebook. `seen` is its line of the report."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        role = self.cell.metadata.get("handgrad", {})
        self.exercise, self.part = role.get("exercise"), role.get("part")
        self.seen = {"exercise": self.exercise, "part": self.part, "passed": False, "lost": None, "error": None, "record": None}

    def setup(self) -> None:
        """Without nbval's: it expects each cell after a timeout to fail, and then forgives it."""

    def runtest(self) -> None:
        notebook = self.parent
        if notebook.timed_out or not notebook.kernel.is_alive():
            if self.part == "check":
                self._lose("died")  # in its answer cell, or after that had replied
            notebook.renew_kernel(before=self)
        notebook.kernel.deadline = time.monotonic() + self.config.option.nbval_cell_timeout + _GRACE
        failure = None
        try:
            super().runtest()
        except Exception as error:
            failure = error
        self._look_at_outputs()
        if notebook.timed_out:
            self._lose("timed out")
        if not notebook.kernel.is_alive():
            self._lose("died")
        if failure:
            raise failure
        self.seen["passed"] = True

    def _lose(self, how: str) -> NoReturn:
        self.seen["lost"] = how
        self.raise_cell_error(f"{self.exercise}: {how}")

    def _look_at_outputs(self) -> None:
        for output in self.test_outputs or ():
            if output.output_type == "error":
                traceback = _COLOUR.sub("", "\n".join(output.traceback))
                self.seen["error"] = {"name": output.ename, "traceback": traceback}
            elif self.part == "check" and RECORD in output.get("data", {}):
                self.seen["record"] = output.data[RECORD]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--handgrad-report", type=Path, required=True, help="where the report of a grading run is written")


def pytest_configure() -> None:
    nbval.plugin.RunningKernel = WatchedKernel


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Iterator[None]:
    found = yield
    return [
        GradedNotebook.from_parent(parent, path=file_path) if type(item) is nbval.plugin.IPyNbFile else item for item in found
    ]


def pytest_sessionfinish(session: pytest.Session) -> None:
    report = [item.seen for item in session.items if isinstance(item, GradedCell)]
    session.config.option.handgrad_report.write_text(json.dumps(report), encoding="utf-8", newline="\n")
