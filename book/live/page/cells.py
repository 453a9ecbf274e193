"""Runs the cells of a page, which share one namespace, and says what a notebook would say."""

import ast
import contextlib
import io
import json
import linecache
import traceback
from collections.abc import Callable

import stand_ins

stand_ins.install()

import torch  # noqa: E402

import handgrad  # noqa: E402

MOST_CHARACTERS = 100_000
_OWN = "<cell "

_check = handgrad.check
namespace: dict = {"__name__": "__main__", "torch": torch}


def check(name: str, answer: object) -> None:
    """handgrad's check, where the small torch can ask all that it asks; else it says that it cannot."""
    unable = _unable(name)
    if unable:
        print(f"{name}: not checked. The small torch of this page cannot run: {', '.join(unable)}. Use the notebook.")
    else:
        _check(name, answer)


def _unable(name: object) -> list[str]:
    """The probes in which the reference itself fails here: comparing with that would say nothing."""
    from handgrad.exercises import EXERCISES
    from handgrad.verdict import reference_record

    if not isinstance(name, str) or name not in EXERCISES:
        return []
    probes = reference_record(name, 0)["probes"]
    return [probe for probe, cases in probes.items() if not cases or _broke_off(cases[-1])]


def _broke_off(case: dict) -> bool:
    return not case["given"] and "raised" in case.get("seen", {})


handgrad.check = check
namespace.update(check=check, hint=handgrad.hint, progress=handgrad.progress)


class _Writer(io.TextIOBase):
    """Hands on what is printed, a line or more at a time, until it is too much to read."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._waiting, self._left = write, "", MOST_CHARACTERS

    def write(self, text: str) -> int:
        self._waiting += text
        if "\n" in self._waiting or len(self._waiting) > 1000:
            self.flush()
        return len(text)

    def flush(self) -> None:
        text, self._waiting = self._waiting[: self._left], ""
        if text:
            self._left -= len(text)
            self._write(text if self._left else f"{text}\n… more than {MOST_CHARACTERS} characters; the rest is left out.\n")


def run(number: int, source: str, write: Callable[[str], None]) -> str:
    """Run one cell.

    Args:
        number: of the cell, as tracebacks name it.
        write: gets what is printed, as soon as it is.

    Returns:
        JSON: `html`, the rich form of the last expression, and `error`, a traceback of the cells' own lines; each may be null.
    """
    name = f"{_OWN}{number}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    output, html, error = _Writer(write), None, None
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            tree = ast.parse(source, name)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, name, "exec"), namespace)
            if last is not None:
                html = _show(eval(compile(ast.Expression(last.value), name, "eval"), namespace))
        except BaseException as raised:
            error = _told(raised)
        output.flush()
    return json.dumps({"html": html, "error": error})


def _show(value: object) -> str | None:
    if hasattr(value, "_repr_html_"):
        return value._repr_html_()
    if value is not None:
        print(repr(value))
    return None


def _told(error: BaseException) -> str:
    """The traceback without the frames of torch, of handgrad and of this file."""
    if hasattr(error, "_render_traceback_"):
        return "\n".join(error._render_traceback_())
    told = traceback.TracebackException.from_exception(error)
    level: traceback.TracebackException | None = told
    while level is not None:
        level.stack = traceback.StackSummary.from_list([frame for frame in level.stack if frame.filename.startswith(_OWN)])
        level = level.__cause__ or level.__context__
    return "".join(told.format())
