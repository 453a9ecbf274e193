"""nbval's kernel as a forked shell: what nbval calls, spoken over one socket (see `handgrad.warm.shell`)."""

import itertools
import json
import math
import os
import select
import signal
import socket
import struct
import time
from queue import Empty

from handgrad.grading.strict import GRACE, MOST_OUTPUT, KernelDied, TooMuchOutput
from handgrad.warm import client


class ForkedKernel:
    """A forked shell with the methods of nbval's `RunningKernel` and `StrictKernel`.

    Args:
        path: where the warm process listens.
        request: what the fork is to be.
    """

    language = "python"

    def __init__(self, path: str, request: client.Request) -> None:
        self._socket, theirs = socket.socketpair()
        null = os.open(os.devnull, os.O_RDWR)
        try:
            self._process = client.fork(path, request, [null, null, null, theirs.fileno()])
        finally:
            os.close(null)
            theirs.close()
        self._numbers = itertools.count(1)
        self._received = bytearray()
        self._messages: list[dict] = []
        self._done: set[str] = set()
        self._ended = False
        self.deadline, self.output, self.status, self.found = math.inf, 0, "ok", []
        self.watched = True  # whether it is asked, after a cell, what the cell has changed

    def begin(self, timeout: float) -> None:
        """Start the clock and the count of a cell."""
        self.deadline = time.monotonic() + timeout + GRACE
        self.output, self.status = 0, "ok"

    def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
        """Send a cell; its id comes back with each of its messages."""
        number = str(next(self._numbers))
        data = json.dumps({"id": number, "code": cell_input, "watched": self.watched}).encode()
        try:
            self._socket.sendall(struct.pack("!I", len(data)) + data)
        except OSError:
            self._ended = True
        return number

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Wait until the cell has ended.

        Raises:
            Empty: not within `timeout` seconds.
            KernelDied: it never will.
            TooMuchOutput: it says more than anybody can read.
        """
        end = min(self.deadline, math.inf if timeout is None else time.monotonic() + timeout)
        while msg_id not in self._done:
            self._read_one(end)

    def get_message(self, stream: str = "iopub", timeout: float | None = None) -> dict:
        """The next message."""
        end = min(self.deadline, math.inf if timeout is None else time.monotonic() + timeout)
        while not self._messages:
            self._read_one(end)
        return self._messages.pop(0)

    def await_idle(self, parent_id: str, timeout: float) -> None:
        """Drop messages up to the cell's last."""
        while True:
            message = self.get_message("iopub", timeout)
            of_cell = message["parent_header"]["msg_id"] == parent_id
            if of_cell and message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return

    def _read_one(self, end: float) -> None:
        """Read until there is a whole message, and keep it."""
        while True:
            if len(self._received) >= 4:
                size = struct.unpack("!I", self._received[:4])[0]
                if size > MOST_OUTPUT:
                    raise TooMuchOutput
                if len(self._received) >= 4 + size:
                    data = bytes(self._received[4 : 4 + size])
                    del self._received[: 4 + size]
                    self._keep(data)
                    return
            if self._ended:
                raise KernelDied
            wait = end - time.monotonic()
            if wait <= 0 or not select.select([self._socket], [], [], None if wait == math.inf else wait)[0]:
                raise Empty
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            self._ended = not data
            self.output += len(data)
            if self.output > MOST_OUTPUT:
                raise TooMuchOutput
            self._received += data

    def _keep(self, data: bytes) -> None:
        """Take one message. It comes from where an answer ran, so it may be anything."""
        try:
            message = json.loads(data)
            kind, content, cell = str(message["type"]), dict(message["content"]), str(message["id"])
        except (ValueError, TypeError, KeyError, RecursionError):
            self._ended = True
            raise KernelDied from None
        if kind == "idle":
            self._done.add(cell)
            self.status = "error" if content.get("status") == "error" else "ok"
            found = content.get("found")
            self.found = [str(word)[:200] for word in found[:20]] if isinstance(found, list) else ["a reply without its watch"]
            kind, content = "status", {"execution_state": "idle"}
        else:
            content = _as_nbval_reads(kind, content)
            if content is None:
                return
        self._messages.append({"msg_type": kind, "content": content, "parent_header": {"msg_id": cell}})

    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def interrupt(self) -> None:
        """What Ctrl-C does."""
        self._process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        """End it, and all that it started."""
        self._socket.close()
        self._process.close()


def _as_nbval_reads(kind: str, content: dict) -> dict | None:
    """The content with the fields that nbval takes for granted, each of the right type; None for what it has no use for."""
    if kind == "stream":
        return {"name": "stderr" if content.get("name") == "stderr" else "stdout", "text": str(content.get("text", ""))}
    if kind in ("display_data", "execute_result"):
        data = content.get("data")
        return {"data": data if isinstance(data, dict) else {}, "metadata": {}, "execution_count": None}
    if kind == "error":
        lines = content.get("traceback")
        lines = [str(line) for line in lines] if isinstance(lines, list) else []
        return {"ename": str(content.get("ename", "")), "evalue": str(content.get("evalue", "")), "traceback": lines}
    return None
