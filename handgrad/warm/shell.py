"""Cells in an IPython shell that was built before the fork, without a kernel's sockets and threads.

Over one stream socket come requests {"id", "code"} and go Jupyter-shaped messages {"id", "type", "content"}, each as JSON after
its length in four bytes. The last message of a cell is `idle`, with the status and what `watch` found.
"""

import contextlib
import importlib
import io
import json
import os
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

MOST_OUTPUT = 1 << 20  # bytes of a cell's output that are passed on
MOST_RECORD = 16 << 20  # bytes of one message: a record of numbers may be larger than what is printed


class _Wire:
    """The socket, and how much a cell may still say."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.reader = connection.makefile("rb")
        self.cell: object = None
        self.left = MOST_OUTPUT

    def receive(self) -> dict | None:
        head = self.reader.read(4)
        if len(head) < 4:
            return None
        request = json.loads(self.reader.read(struct.unpack("!I", head)[0]))
        self.cell, self.left = request["id"], MOST_OUTPUT
        return request

    def send(self, kind: str, content: dict) -> None:
        data = json.dumps({"id": self.cell, "type": kind, "content": content}, default=repr).encode()
        self.connection.sendall(struct.pack("!I", len(data)) + data)

    def say(self, kind: str, content: dict) -> None:
        """Send what a cell puts out, as long as it has not said too much."""
        size = len(json.dumps(content, default=repr))
        if size > (MOST_RECORD if kind == "display_data" else self.left):
            if self.left > 0:
                self.left = 0
                self.send("stream", {"name": "stderr", "text": f"\n[more than {MOST_OUTPUT >> 20} MiB: the rest is left out]\n"})
            return
        self.left -= 0 if kind == "display_data" else size
        self.send(kind, content)


_wire: _Wire | None = None


def _say(kind: str, content: dict) -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, _Stream):
            stream.flush()
    if _wire is not None:
        _wire.say(kind, content)


class _Stream(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, name: str) -> None:
        self.stream = name
        self.parts: list[str] = []
        self.size = 0

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        return 1 if self.stream == "stdout" else 2

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self.parts.append(text)
        self.size += len(text)
        if self.size > 1 << 16:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self.parts and _wire is not None:
            text, self.parts, self.size = "".join(self.parts), [], 0
            _wire.say("stream", {"name": self.stream, "text": text})


class _Publisher(DisplayPublisher):
    def publish(self, data: dict, metadata: dict | None = None, *, transient: dict | None = None, update: bool = False, **_: Any):
        kind = "update_display_data" if update else "display_data"
        _say(kind, {"data": data, "metadata": metadata or {}, "transient": transient or {}})

    def clear_output(self, wait: bool = False) -> None:
        _say("clear_output", {"wait": wait})


class _Hook(DisplayHook):
    def start_displayhook(self) -> None:
        pass

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        _say("execute_result", {"execution_count": self.prompt_count, "data": format_dict, "metadata": md_dict or {}})

    def finish_displayhook(self) -> None:
        pass


class _Shell(InteractiveShell):
    display_pub_class = Type(_Publisher)
    displayhook_class = Type(_Hook)

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        _say("error", {"ename": etype.__name__, "evalue": str(evalue), "traceback": list(stb)})

    def enable_gui(self, gui: object = None) -> None:
        pass

    def init_io(self) -> None:
        pass


_shell: InteractiveShell | None = None


def build() -> None:
    """Build the shell, and let it run, print and raise once, so that no child pays for it."""
    global _shell
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"
    config.InteractiveShell.automagic = False  # `sx ls` is no Python, and is not to be a command either
    _shell = _Shell.instance(config=config)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for code in (
            "warm_ = 1\nprint(warm_)\nwarm_",
            "class Warm_:\n    def f(self):\n        raise ValueError\nWarm_().f()",
            "1 +",
        ):
            _shell.run_cell(code, store_history=False)
    for name in ("warm_", "Warm_"):
        _shell.user_ns.pop(name, None)


def serve(connection: socket.socket, request: dict) -> None:
    """Run the cells that arrive, until the other end hangs up.

    Args:
        request: `before` names a function, `module:function`, that is called first; what it returns, if anything, is called
            after each cell that is `watched`, and its list of words goes with the cell's last message.
    """
    global _wire
    wire = _wire = _Wire(connection)
    sys.stdout, sys.stderr = _Stream("stdout"), _Stream("stderr")
    watch: Callable[[], list[str]] | None = None
    if request.get("before"):
        module, _, name = request["before"].partition(":")
        watch = getattr(importlib.import_module(module), name)()
    run, streams = _shell.run_cell, (sys.stdout, sys.stderr)
    while (cell := wire.receive()) is not None:
        status = "ok"
        try:
            result = run(cell["code"], store_history=False)
            status = "ok" if result.success else "error"
        except KeyboardInterrupt:
            status = "error"
            wire.say("error", {"ename": "KeyboardInterrupt", "evalue": "", "traceback": ["KeyboardInterrupt"]})
        except SystemExit as ended:
            status = "error"
            wire.say("error", {"ename": "SystemExit", "evalue": str(ended), "traceback": [f"SystemExit: {ended}"]})
        for stream in streams:
            stream.flush()
        wire.send("idle", {"status": status, "found": watch() if watch and cell["watched"] else []})
    os._exit(0)
