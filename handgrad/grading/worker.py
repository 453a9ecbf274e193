"""A grading process: one pytest session with strict nbval, fed with submissions, one line of JSON each, until its input ends.

It is trusted, and runs no answer: those run in a kernel, forked and boxed or an ordinary one, and come back as outputs. It reads
the submission, takes the answers, asks whether they may be run, runs them inside the official notebook, judges their records, and
writes the result as one line (the format stands in `handgrad.grading.results`). `handgrad.grading.workers` starts it.
"""

import contextlib
import gc
import importlib
import json
import os
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from queue import Empty
from typing import NoReturn, TextIO

import nbval.plugin
import pytest
from _pytest.runner import runtestprotocol

from handgrad.check import RECORD
from handgrad.grading import box
from handgrad.grading.forked_kernel import ForkedKernel
from handgrad.grading.grade import grade_one
from handgrad.grading.results import tasks_of
from handgrad.grading.settings import Settings
from handgrad.grading.strict import KernelDied, StrictCell, StrictKernel, StrictNotebook
from handgrad.own_course import VARIABLE, own_course
from handgrad.warm.client import Request

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_MOST_TRACEBACK = 20_000  # characters


class GradedNotebook(StrictNotebook):
    """A merged notebook (see `handgrad.notebooks.answers.merge`). `used`: whether an answer has run in its kernel."""

    settings: Settings
    used = False

    def collect(self) -> Iterator["GradedCell"]:
        self.cells = list(super().collect())
        yield from self.cells

    def cell_class(self) -> type["GradedCell"]:
        return GradedCell

    def setup(self) -> None:
        if self.settings.warm:
            self.kernel = _forked(self.settings, str(self.path.parent))
        else:
            super().setup()

    def renew_kernel(self, before: "GradedCell") -> None:
        """Start another kernel and run the cells of the course, but no answer, that stand above `before`."""
        self.teardown()
        self.setup()
        self.timed_out, self.lost = False, ""
        for cell in self.cells[: self.cells.index(before)]:
            if not cell.exercise:
                self.kernel.begin(self.config.option.nbval_cell_timeout)
                message = self.kernel.execute_cell_input(cell.cell.source, allow_stdin=False)
                self.kernel.await_reply(message, timeout=self.config.option.nbval_cell_timeout)
                self.kernel.await_idle(message, timeout=self.config.option.nbval_cell_timeout)


class GradedCell(StrictCell):
    """A cell of a merged notebook. `seen` is what the judge is told of it."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        role = self.cell.metadata.get("handgrad", {})
        self.exercise, self.part = role.get("exercise"), role.get("part")
        self.seen = {"exercise": self.exercise, "part": self.part, "passed": False, "lost": None, "error": None, "record": None}
        self.seen |= {"found": [], "alone": bool(self.parent.settings.warm)}

    def runtest(self) -> None:
        notebook = self.parent
        gone = bool(notebook.lost) or notebook.timed_out or not notebook.kernel.is_alive()
        if gone and self.part == "check":
            self._give_up("died")  # in its answer cell, or after that had replied
        # a forked shell costs little, so that each exercise has its own
        first_of_its_own = self.part == "answer" and bool(notebook.settings.warm) and notebook.used
        if gone or first_of_its_own:
            notebook.renew_kernel(before=self)
        notebook.used = notebook.used or self.part == "answer"
        if notebook.settings.warm:
            notebook.kernel.watched = bool(self.exercise)  # the course's own cells change nothing
        failure = None
        try:
            super().runtest()
        except Exception as error:
            failure = error
        self._look_at_outputs()
        self.seen["found"] = getattr(notebook.kernel, "found", [])
        if notebook.timed_out:
            self._give_up("timed out")
        if notebook.lost or not notebook.kernel.is_alive():
            self._give_up("too much output" if "put out" in notebook.lost else "died")
        if failure:
            raise failure
        self.seen["passed"] = True

    def _give_up(self, how: str) -> NoReturn:
        self.parent.lost = self.parent.lost or how
        self.seen["lost"] = how
        self.raise_cell_error(f"{self.exercise}: {how}")

    def _look_at_outputs(self) -> None:
        for output in self.test_outputs or ():
            if output.output_type == "error":
                traceback = _COLOUR.sub("", "\n".join(output.traceback))[:_MOST_TRACEBACK]
                self.seen["error"] = {"name": output.ename, "traceback": traceback}
            elif self.part == "check" and RECORD in output.get("data", {}):
                self.seen["record"] = output.data[RECORD]


def _forked(settings: Settings, folder: str, before: str = "handgrad.grading.box:prepare") -> ForkedKernel:
    told = {"HANDGRAD_SEED": str(settings.seed), "HANDGRAD_PROGRESS": "off"}
    if settings.boxed:
        inside = box.environment() | told
        request = Request("cells", inside, box.SCRATCH, private=True, hidden=box.hidden(), limits=box.LIMITS, before=before)
    else:
        request = Request("cells", dict(os.environ) | told, folder, before=before)
    return ForkedKernel(settings.warm, request)


@lru_cache
def _reference(settings: Settings, name: str) -> dict | None:
    """What the reference of an exercise does, observed where answers are, so that this process need not import what it takes.

    None where there is no warm process, or it failed: the judge then observes it here.
    """
    if not settings.warm:
        return None
    kernel = _forked(settings, tempfile.gettempdir(), before="")
    try:
        kernel.begin(settings.cell_timeout)
        imports = "from handgrad.check import check\nfrom handgrad.exercises import EXERCISES\n"
        kernel.await_reply(kernel.execute_cell_input(f'{imports}check("{name}", EXERCISES["{name}"].reference)'))
        while (message := kernel.get_message())["msg_type"] != "status":
            if RECORD in message["content"].get("data", {}):
                return message["content"]["data"][RECORD]
        return None
    except (Empty, KernelDied):
        return None
    finally:
        kernel.stop()


class _Loop:
    """The pytest plugin that feeds the session: a line is a submission, a merged notebook, or asks what there is to earn."""

    def __init__(self, settings: Settings, source: TextIO, sink: TextIO) -> None:
        self.settings, self.source, self.sink = settings, source, sink

    def pytest_configure(self) -> None:
        nbval.plugin.RunningKernel = StrictKernel
        GradedNotebook.settings = self.settings

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        session.config.pluginmanager.unregister(reporter)  # it would keep every report until the end

    def pytest_internalerror(self, excrepr: object) -> None:
        print(excrepr, file=sys.stderr, flush=True)  # nobody else is left to tell it

    def pytest_collection(self, session: pytest.Session) -> bool:
        session.items = []
        return True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for line in self.source:
            job = json.loads(line)
            with contextlib.redirect_stdout(sys.stderr):
                if "merged" in job:
                    result = {"cells": run_merged(session, job["merged"])}
                elif "tasks_of" in job:
                    result = tasks_of(Path(job["tasks_of"]))
                else:
                    reference = partial(_reference, self.settings)
                    result = grade_one(job, self.settings, lambda merged: run_merged(session, merged), reference)
            self.sink.write(json.dumps({"number": job["number"], "result": result}, ensure_ascii=False) + "\n")
            self.sink.flush()
        return True


def run_merged(session: pytest.Session, merged: dict) -> list[dict]:
    """Run the cells of a merged notebook, and say what was seen of each."""
    with tempfile.TemporaryDirectory(prefix="handgrad-") as name:
        path = Path(name) / "graded.ipynb"
        path.write_text(json.dumps(merged), encoding="utf-8", newline="\n")
        notebook = GradedNotebook.from_parent(session, path=path)
        cells = list(notebook.collect())
        try:
            for cell, following in zip(cells, [*cells[1:], None], strict=True):
                reports = runtestprotocol(cell, log=False, nextitem=following)
                broken = next((report for report in reports if report.when == "setup" and report.failed), None)
                if broken is not None:
                    cell.seen["error"] = {"name": "SetUpError", "traceback": str(broken.longrepr)[-_MOST_TRACEBACK:]}
        finally:
            notebook.teardown()
        return [cell.seen for cell in cells]


def serve(settings: Settings, source: TextIO, sink: TextIO) -> int:
    """Grade what arrives on `source`, line by line, until it ends."""
    options = ["-s", "-qq", "--no-header", "-p", "nbval.plugin"]
    unused = ("cacheprovider", "logging", "warnings", "doctest", "unraisableexception", "threadexception", "faulthandler")
    options += [word for name in unused for word in ("-p", f"no:{name}")]
    options += ["-c", os.devnull, "--rootdir", tempfile.gettempdir()]
    options += ["--color", "no", "--nbval-lax", "--nbval-cell-timeout", str(settings.cell_timeout)]
    options += ["--nbval-kernel-name", settings.kernel]
    return int(pytest.main(options, plugins=[_Loop(settings, source, sink)]))


def work(settings: Settings, connection: socket.socket) -> NoReturn:
    """Grade what arrives on a connection, after a line that says who works there."""
    os.set_inheritable(connection.fileno(), False)  # no kernel is to have it
    with connection.makefile("w", encoding="utf-8") as sink, connection.makefile(encoding="utf-8") as source:
        sink.write(json.dumps({"worker": os.getpid()}) + "\n")
        sink.flush()
        code = serve(settings, source, sink)
    os._exit(0 if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED) else 1)


def _hung_up(connection: socket.socket) -> bool:
    try:
        return not connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
    except BlockingIOError:
        return False


def fork_workers(settings: Settings, connections: list[socket.socket]) -> NoReturn:
    """Fork a grading process for each connection, and another where one is lost, until their input ends."""
    os.environ |= {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    os.environ |= {"HANDGRAD_SEED": str(settings.seed), "HANDGRAD_PROGRESS": "off"}  # ordinary kernels inherit them
    if settings.boxed and not settings.warm:
        os.environ["JUPYTER_DEFAULT_PROVISIONER_NAME"] = "handgrad-boxed"
    if course := own_course():
        os.environ[VARIABLE] = str(course)  # they start in another folder
    if settings.warm:
        importlib.import_module("torch._dynamo")  # as gradcheck and torch.compile would, in each of them
    gc.freeze()
    at_work: dict[int, socket.socket] = {}

    def fork(connection: socket.socket) -> None:
        pid = os.fork()
        if pid == 0:
            for other in connections:
                if other is not connection:
                    other.close()
            work(settings, connection)
        at_work[pid] = connection

    for connection in connections:
        fork(connection)
    while at_work:
        pid, status = os.wait()
        connection = at_work.pop(pid)
        if status != 0 and not _hung_up(connection):
            fork(connection)
    os._exit(0)  # without the long way down from torch
