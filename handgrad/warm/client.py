"""The side of whoever wants a kernel: start a warm process, ask it for forks, end what it gave."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# what a first gradcheck, a first traceback and a first record would import
PRELOAD = ("torch", "torch.fx.experimental.symbolic_shapes", "sympy", "numpy.random")


_START = 120.0  # seconds for its imports, on a slow disk


class WarmError(Exception):
    """The warm process could not be started, or could not fork; the message says why."""


class NotThere(WarmError):
    """Nobody answers."""


class Process:
    """A forked kernel, known by the connection that keeps it alive."""

    def __init__(self, connection: socket.socket, pid: int, pidfd: int) -> None:
        self.pid = pid
        self._connection, self._pidfd = connection, pidfd
        self._status: int | None = None

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self.wait(0)

    def wait(self, timeout: float | None = None) -> int | None:
        """`poll`, after at most `timeout` seconds."""
        if self._pidfd < 0 and self._status is None:
            self._status = -signal.SIGKILL
        if self._status is None and select.select([self._pidfd], [], [], timeout)[0]:
            self._read_status()
        return self._status

    def _read_status(self) -> None:
        self._connection.settimeout(5)
        try:
            data = self._connection.recv(4096)
            self._status = json.loads(data)["exit"] if data else -signal.SIGKILL
        except (OSError, ValueError, KeyError):
            self._status = -signal.SIGKILL  # the warm process itself is gone, and its children with it

    def send_signal(self, number: int) -> None:
        """Signal the kernel; nothing where it has ended."""
        with contextlib.suppress(ProcessLookupError, OSError):
            signal.pidfd_send_signal(self._pidfd, number)

    def fileno(self) -> int:
        """Readable when the kernel has ended."""
        return self._pidfd

    def close(self) -> None:
        """Kill whatever is left of it."""
        if self._pidfd >= 0:
            self._connection.close()
            os.close(self._pidfd)
            self._pidfd = -1


@dataclass(frozen=True)
class Request:
    """What a fork is asked to be.

    Attributes:
        mode: `cells` (see `handgrad.warm.shell`) or `kernel` (ipykernel, with `argv`).
        env, cwd: its environment and its folder.
        threads: of torch; None leaves the number of the warm process.
        private: namespaces of its own and no privileges; the warm process must be allowed to make them.
        scratch_mib: of each place that a private one may write to.
        hidden: folders that a private one sees empty.
        limits: `memory_mib`, `cpu_seconds`, `file_bytes`, `processes`, `files`.
        before: `module:function` to call before the first cell.
    """

    mode: str
    env: dict[str, str]
    cwd: str
    argv: tuple[str, ...] = ()
    threads: int | None = 1
    private: bool = False
    scratch_mib: int = 64
    hidden: tuple[str, ...] = ()
    limits: dict[str, int] | None = None
    before: str = ""


def fork(path: str, request: Request, fds: Sequence[int]) -> Process:
    """Ask the warm process that listens on `path` for a kernel, whose first descriptors are `fds`.

    Raises:
        NotThere: there is none.
        WarmError: it could not fork.
    """
    message = {**vars(request), "limits": request.limits or {}}
    connection, reply, received = _ask(path, message, fds)
    if "error" in reply:
        connection.close()
        raise WarmError(f"the warm process could not fork: {reply['error']}")
    return Process(connection, reply["pid"], received[0])


def lease(path: str) -> socket.socket:
    """A connection that keeps the warm process on `path` alive; it is ready for forks then.

    Raises:
        NotThere: it did not start.
    """
    return _ask(path, {"lease": True}, ())[0]


def _ask(path: str, message: dict, fds: Sequence[int]) -> tuple[socket.socket, dict, list[int]]:
    """A connection, and the warm process's answer to its first message, with descriptors."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
    try:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        connection.settimeout(_START)
        connection.connect(path)
        socket.send_fds(connection, [json.dumps(message).encode()], list(fds))
        data, received, _, _ = socket.recv_fds(connection, 4096, 1)
    except OSError as error:
        connection.close()
        raise NotThere(f"the warm process does not answer: {error}") from None
    if not data:
        connection.close()
        raise NotThere("the warm process ended")
    return connection, json.loads(data), received


class Zygote:
    """A warm process of one's own, as a context manager; it ends with the block, and every kernel with it.

    `start`, `wait` and `close` are the same in three steps, for whoever has something to do while it imports.

    Raises:
        WarmError: it did not start; its last words are in the message.

    Args:
        preload: modules that it imports.
        cells: whether it gives shells for cells, else kernels.
        wrapper: a command that it is run by, such as a box; it must hand on descriptor `pass_fd`.
        then: `module:function` that it calls once all is imported.
    """

    def __init__(self, preload: Sequence[str] = PRELOAD, cells: bool = True, wrapper: Sequence[str] = (), then: str = "") -> None:
        self.preload, self.cells, self.wrapper, self.then = preload, cells, list(wrapper), then

    def __enter__(self) -> "Zygote":
        self.start()
        try:
            self.wait()
        except WarmError:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Start it. From now on `path` is where it listens, and what asks it for a fork waits until it is ready."""
        self._lease: socket.socket | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="handgrad-")
        self.path = str(Path(self._folder.name) / "warm")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(self.path)
        os.chmod(self.path, 0o600)
        listener.listen(64)
        options = ["--cells"] if self.cells else []
        command = [sys.executable, "-m", "handgrad.warm.zygote", "--listen-fd", str(listener.fileno()), *options]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "MPLBACKEND": "agg"}
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._process = subprocess.Popen(
            [*self.wrapper, *command, "--preload", ",".join(self.preload), "--then", self.then],
            pass_fds=[listener.fileno()],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            start_new_session=True,
        )
        listener.close()

    def wait(self) -> None:
        """Wait until it is ready.

        Raises:
            WarmError: it never will be.
        """
        if self._lease:
            return
        try:
            self._lease = lease(self.path)
        except WarmError as error:
            self._process.kill()
            self._process.wait()
            raise WarmError(f"{error}\n{self.last_words()}".rstrip()) from None

    def fork(self, request: Request, fds: Sequence[int]) -> Process:
        """See `fork`; when the warm process has ended, its last words are in the message."""
        try:
            return fork(self.path, request, fds)
        except WarmError as error:
            raise WarmError(f"{error}\n{self.last_words()}".rstrip()) from None

    def last_words(self) -> str:
        """What the warm process wrote to stderr."""
        self._log.seek(0)
        return self._log.read().decode(errors="replace")[-4000:].strip()

    def close(self) -> None:
        """End it, and every kernel."""
        if self._lease:
            self._lease.close()
        else:
            self._process.kill()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()
        self._folder.cleanup()
