"""nbval made strict, for any notebook: `pytest --nbval-lax -p handgrad.grading.strict notebook.ipynb`.

nbval 0.11 alone passes, forgives or waits where a grader must not. With this plugin

- a cell whose reference was never run fails, where its output is to be compared;
- a kernel that has died is noticed at once, not at the timeout of 2000 seconds;
- a cell ends at its deadline, whatever it prints and whichever interrupts it swallows, and its output is capped;
- after a timeout or a death the cells below fail, where nbval expects them to and then counts them as no failure;
- the kernel's own reply counts: an error that a cell has hidden is an error;
- numbers in outputs are compared as numbers, to a relative 1e-6;
- cells have names: that of the exercise, else the cell's id.
"""

import math
import re
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import nbval.plugin
import pytest
from nbformat import NotebookNode
from nbval.kernel import RunningKernel

ALIVE_EVERY = 0.25  # seconds between two looks at whether the kernel lives
GRACE = 3.0  # seconds that a cell has after its timeout to react to the interrupt
MOST_OUTPUT = 32 << 20  # characters of a cell's messages
RTOL = 1e-6
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+)")
_ANCHOR = re.compile(r"#+\s*exercise\s*:\s*(\w+)\s*")


class KernelDied(Exception):
    """The kernel's process ended while a cell ran."""


class TooMuchOutput(Exception):
    """A cell puts out more than anybody can read."""


class StrictKernel(RunningKernel):
    """nbval's kernel with an absolute deadline, an eye on the process, a cap on output, and the status of each reply."""

    deadline = math.inf
    output = 0
    status = "ok"

    def begin(self, timeout: float) -> None:
        """Start the clock and the count of a cell."""
        self.deadline = time.monotonic() + timeout + GRACE
        self.output, self.status = 0, "ok"

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            try:
                message = self.get_message(stream="shell", timeout=ALIVE_EVERY)
            except Empty:
                if not self.is_alive():
                    raise KernelDied from None
                if time.monotonic() > end:
                    raise
                continue
            if message["parent_header"].get("msg_id") == msg_id:
                self.status = message["content"]["status"]
                if self.status == "aborted":
                    raise RuntimeError("the kernel aborted the request")
                return

    def get_message(self, stream: str, timeout: float | None = None) -> dict:
        if time.monotonic() > self.deadline:
            raise Empty
        message = super().get_message(stream, timeout)
        if stream == "iopub":
            content = message["content"]
            self.output += len(content.get("text", "")) + sum(len(str(data)) for data in content.get("data", {}).values())
            if self.output > MOST_OUTPUT:
                raise TooMuchOutput
        return message


class StrictNotebook(nbval.plugin.IPyNbFile):
    """A notebook whose cells are judged strictly. `lost`: how the kernel was lost, and in which cell."""

    lost = ""

    def collect(self) -> Iterator["StrictCell"]:
        cell_class, used = self.cell_class(), set()
        for item in super().collect():
            name = _name_of(item.cell, item.cell_num)
            name = name if name not in used else f"{name} (cell {item.cell_num})"
            used.add(name)
            yield cell_class.from_parent(self, name=name, cell_num=item.cell_num, cell=item.cell, options=item.options)

    def cell_class(self) -> type["StrictCell"]:
        """What its cells are made of."""
        return StrictCell

    def setup_sanitize_files(self) -> None:
        """Without nbval's, which reads the file in the encoding of the locale."""
        for name in self.get_sanitize_files():
            self.sanitize_patterns.update(nbval.plugin.get_sanitize_patterns(Path(name).read_text(encoding="utf-8")))

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            self.lost = ""


def _name_of(cell: dict, number: int) -> str:
    exercise = _ANCHOR.match(cell.source)
    return exercise[1] if exercise else cell.get("id") or f"Cell {number}"


class StrictCell(nbval.plugin.IPyNbCell):
    """A cell that cannot pass unseen."""

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where reports say that it stands: by its name, where nbval has a number."""
        return self.path, 0, f"{self.path.name}::{self.name}"

    def setup(self) -> None:
        """Without nbval's: it expects each cell after a timeout to fail, and then forgives it."""

    def runtest(self) -> None:
        notebook, kernel = self.parent, self.parent.kernel
        if notebook.lost:
            self.raise_cell_error(f"not run: {notebook.lost}")
        if not kernel.is_alive():
            self._lose("the kernel had died")
        compared = self.options["check"] and not self.options["skip"]
        if compared and self.cell.execution_count is None:
            self.raise_cell_error("its reference output was never made: run the notebook and save it, then compare")
        kernel.begin(self.config.option.nbval_cell_timeout)
        try:
            super().runtest()
        except KernelDied:
            self._lose("the kernel died")
        except TooMuchOutput:
            kernel.stop()
            self._lose(f"it put out more than {MOST_OUTPUT >> 20} MiB")
        except Exception:
            if notebook.timed_out:
                notebook.lost = f"{self.name} timed out"
            raise
        if notebook.timed_out:
            self._lose("it timed out")
        if kernel.status == "error" and not self.options["check_exception"] and not self.options["skip"]:
            self.raise_cell_error("the kernel replied with an error that the cell did not show")

    def _lose(self, how: str) -> None:
        self.parent.lost = f"{self.name}: {how}"
        self.raise_cell_error(how)

    def compare_outputs(self, test: list, ref: list, skip_compare: tuple | None = None) -> bool:
        return super().compare_outputs(test, [_with_numbers_of(test, output, k) for k, output in enumerate(ref)], skip_compare)


def _with_numbers_of(test: list, reference: dict, place: int) -> dict:
    """The reference, with the numbers of the new output in the place of those that are the same but for rounding."""
    if place >= len(test) or test[place].output_type != reference.output_type:
        return reference
    new, old = test[place], NotebookNode(**reference)
    if "text" in old and "text" in new:
        old["text"] = close_numbers(old["text"], new["text"])
    if "data" in old and "data" in new:
        old["data"] = {kind: close_numbers(text, new["data"].get(kind, text)) for kind, text in old["data"].items()}
    return old


def close_numbers(reference: object, new: object) -> object:
    """`new` where it is `reference` but for numbers that agree to a relative 1e-6; else `reference`."""
    if not isinstance(reference, str) or not isinstance(new, str):
        return reference
    if _NUMBER.sub("#", reference) != _NUMBER.sub("#", new):
        return reference
    pairs = zip(_NUMBER.findall(reference), _NUMBER.findall(new), strict=True)
    return new if all(math.isclose(float(a), float(b), rel_tol=RTOL, abs_tol=0.0) for a, b in pairs) else reference


def pytest_configure() -> None:
    nbval.plugin.RunningKernel = StrictKernel


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Iterator[None]:
    found = yield
    return [
        StrictNotebook.from_parent(parent, path=file_path) if type(item) is nbval.plugin.IPyNbFile else item for item in found
    ]
