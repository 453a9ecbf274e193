"""The warm process: it imports torch and IPython once, and forks a kernel for whoever asks.

It listens on a socket that its starter opened (`--listen-fd`), one SOCK_SEQPACKET connection a kernel:

    client → zygote   a request (see `handgrad.warm.client`) with file descriptors
    zygote → client   {"pid": …} with a pidfd; {"error": …} when it could not fork; {"exit": …} when the kernel has ended
    client hangs up   what is left of the kernel is killed and reaped

A connection that sends {"lease": true} starts nothing, and is told {"ready": true}. The zygote ends when no connection is left.
Nothing here may start a thread, an event loop, an OpenMP region or a backward pass: a fork after one of these hangs or dies in
the child (pytorch issues 17199, 33885).
"""

import argparse
import contextlib
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from handgrad.warm import child

FIRST_GRACE = 30.0  # seconds without a connection, before the first
_QUIET = 0.2  # seconds without a request until a child is forked ahead, so as not to slow down the kernel that has just begun


class BecomeChild(BaseException):
    """Unwinds the server's loop in a forked child, so that nothing of it stays on the stack."""

    def __init__(self, request: dict) -> None:
        super().__init__()
        self.request = request


@dataclass(eq=False)
class _Kernel:
    connection: socket.socket
    pid: int | None = None
    pidfd: int | None = None
    ended: bool = False
    dropped: bool = False


class _Server:
    def __init__(self, listener: socket.socket, grace: float, ahead: str = "") -> None:
        self.selector = selectors.DefaultSelector()
        self.listener, self.grace, self.ahead = listener, grace, ahead
        self.kernels: set[_Kernel] = set()
        self.spare: tuple[int, socket.socket] | None = None  # a child forked ahead, and where it waits for its request
        self.namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        self.number = 0
        self.pid = os.getpid()
        self.selector.register(listener, selectors.EVENT_READ)

    def serve(self) -> None:
        grace = FIRST_GRACE
        while True:
            wants_spare = bool(self.ahead and self.number and not self.spare)
            events = self.selector.select(_QUIET if wants_spare else None if self.kernels else grace)
            if not events and wants_spare:
                self._fork_ahead()
                continue
            if not events:
                return
            grace = self.grace
            for key, _ in events:
                kernel = key.data
                try:
                    if kernel is None:
                        self._accept()
                    elif key.fileobj is kernel.connection:
                        if not kernel.dropped:  # it may have been earlier in this batch of events
                            self._receive(kernel)
                    else:
                        self._ended(kernel)
                except Exception as error:  # one bad request must not end the process that all kernels come from
                    print("handgrad warm:", repr(error), file=sys.stderr, flush=True)
                    if kernel is not None and not kernel.dropped:
                        _send(kernel, {"error": f"{type(error).__name__}: {error}"})
                        self._drop(kernel)

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        kernel = _Kernel(connection)
        self.kernels.add(kernel)
        self.selector.register(connection, selectors.EVENT_READ, kernel)

    def _receive(self, kernel: _Kernel) -> None:
        try:
            data, fds, _, _ = socket.recv_fds(kernel.connection, 1 << 20, 8)
        except ConnectionResetError:
            data, fds = b"", []
        if not data:
            self._drop(kernel)
            return
        try:
            request = json.loads(data)
            if request.get("lease"):
                _send(kernel, {"ready": True})
            else:
                self._fork(kernel, request, fds)
        finally:
            if os.getpid() == self.pid:
                for fd in fds:
                    os.close(fd)

    def _fork(self, kernel: _Kernel, request: dict, fds: list[int]) -> None:
        self.number += 1
        request["number"] = self.number
        pid = self._take_spare(request, fds) if self.spare and request["mode"] == "kernel" and not request.get("private") else 0
        if not pid:
            if request.get("private"):
                child.unshare(child.NEWPID)  # the next child is the first of a namespace of its own
            pid = os.fork()
            if pid == 0:
                self._become_child(request, fds)
            if request.get("private"):
                child.setns(self.namespace, child.NEWPID)
        kernel.pid, kernel.pidfd = pid, os.pidfd_open(pid)
        self.selector.register(kernel.pidfd, selectors.EVENT_READ, kernel)
        socket.send_fds(kernel.connection, [json.dumps({"pid": pid}).encode()], [kernel.pidfd])

    def _fork_ahead(self) -> None:
        """Fork the next kernel before it is asked for: it practises what a kernel does, so that its pages are its own by then."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid == 0:
            ours.close()
            self._become_child(None, [], theirs)
        theirs.close()
        self.spare = pid, ours

    def _take_spare(self, request: dict, fds: list[int]) -> int:
        """Hand the request to the child forked ahead; its number, or 0 where it does not take it."""
        pid, channel = self.spare
        self.spare = None
        with channel:
            channel.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            channel.settimeout(1)
            with contextlib.suppress(OSError):
                socket.send_fds(channel, [json.dumps(request).encode()], fds)
                if channel.recv(1):
                    return pid
        print("handgrad warm: the kernel forked ahead was lost, and none is from now on", file=sys.stderr, flush=True)
        self.ahead = ""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return 0

    def _become_child(self, request: dict | None, fds: list[int], channel: socket.socket | None = None) -> NoReturn:
        """Be a kernel; without a request, wait for it on `channel`."""
        try:
            # close the objects before the numbers, lest one of them closes a number that is used again
            self.selector.close()
            self.listener.close()
            os.close(self.namespace)
            for other in self.kernels:
                other.connection.close()
                if other.pidfd is not None:
                    os.close(other.pidfd)
            if channel is not None:
                request, fds = self._practise(channel)
            elif self.spare:
                self.spare[1].close()
            child.take_descriptors(fds)
        except BaseException:
            os._exit(70)  # never go on as a second zygote
        raise BecomeChild(request)

    def _practise(self, channel: socket.socket) -> tuple[dict, list[int]]:
        child.die_with_parent(self.pid)
        call(self.ahead)
        with channel:
            data, fds, _, _ = socket.recv_fds(channel, 1 << 20, 8)
            channel.send(b"1")
        return json.loads(data), fds

    def _ended(self, kernel: _Kernel) -> None:
        """Tell the exit status, and keep the zombie: its number cannot be another process's while the client may signal it."""
        self.selector.unregister(kernel.pidfd)
        kernel.ended = True
        if kernel.dropped:
            self._reap(kernel)
            return
        state = os.waitid(os.P_PID, kernel.pid, os.WEXITED | os.WNOWAIT)
        status = state.si_status if state.si_code == os.CLD_EXITED else -state.si_status
        _send(kernel, {"exit": status})

    def _drop(self, kernel: _Kernel) -> None:
        """Kill what is left of a kernel; it is reaped when it has ended, for which nobody waits here."""
        kernel.dropped = True
        self.kernels.discard(kernel)
        self.selector.unregister(kernel.connection)
        kernel.connection.close()
        if kernel.pid is None:
            return
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(kernel.pid, signal.SIGKILL)
        if kernel.ended or kernel.pidfd is None:
            self._reap(kernel)

    def _reap(self, kernel: _Kernel) -> None:
        os.waitpid(kernel.pid, 0)
        if kernel.pidfd is not None:
            os.close(kernel.pidfd)


def _send(kernel: _Kernel, message: dict) -> None:
    with contextlib.suppress(OSError):
        kernel.connection.send(json.dumps(message).encode(), socket.MSG_DONTWAIT)


def call(place: str) -> None:
    """Call `module:function`."""
    module, _, name = place.partition(":")
    getattr(importlib.import_module(module), name)()


def preload(modules: Sequence[str], cells: bool, then: str = "") -> None:
    """Import modules; for children that run cells, build and warm up the shell that they run in.

    Args:
        then: `module:function` to call afterwards. It must compute nothing.

    Raises:
        RuntimeError: an import left a thread, after which a fork is not safe.
    """
    for name in modules:
        importlib.import_module(name)
    if cells:
        from handgrad.warm import shell

        shell.build()
    child.note_memory()
    if then:
        call(then)
    if threading.active_count() > 1:
        raise RuntimeError(f"a module that was imported started threads: {threading.enumerate()}")
    pid = os.fork()  # a first child, to see that it can be, and since OpenBLAS ends its threads then
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("a module that was imported computed with several threads")
    gc.collect()
    gc.freeze()
    gc.disable()


def main() -> None:
    """Serve until the last client is gone; in a child, be the kernel that was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--listen-fd", type=int, required=True)
    parser.add_argument("--preload", default="")
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--then", default="")
    parser.add_argument("--ahead", default="", help="module:function that a child forked ahead calls while it waits")
    parser.add_argument("--grace", type=float, default=0.0, help="seconds that it outlives its last connection")
    parser.add_argument("--detach", action="store_true", help="be nobody's child, so that no client has to reap it")
    options = parser.parse_args()
    if options.detach:
        if os.fork():
            os._exit(0)
        os.setsid()
    if sys.path[0] == os.getcwd():
        del sys.path[0]  # python -m put it there
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is the client's to handle
    listener = socket.socket(fileno=options.listen_fd)
    preload([name for name in options.preload.split(",") if name], options.cells, options.then)
    try:
        _Server(listener, options.grace, options.ahead).serve()
    except BecomeChild as become:
        request = become.request
    else:
        with contextlib.suppress(OSError):
            os.unlink(listener.getsockname())  # before it is closed: whoever finds nobody makes another in its place
        os._exit(0)  # without the long way down from torch
    try:
        child.run(request)
    except SystemExit as ended:
        child.leave(ended.code)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        child.leave(1)
    child.leave(0)


if __name__ == "__main__":
    main()
