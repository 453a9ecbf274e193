"""The kernel provisioner `handgrad-warm`: kernels for any Jupyter client by fork from a process that has imported torch already.

A kernelspec names it in its metadata, or JUPYTER_DEFAULT_PROVISIONER_NAME=handgrad-warm for all that name none. What it cannot
fork starts in the ordinary way, and a warning says so once.
"""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

from handgrad.warm.client import Process, Request, WarmError

_READY = 20.0  # seconds; a kernel that is not ready then may still be later
_DEATH = 5.0  # seconds from a kill to the end
_said: set[str] = set()
_kept: set["ForkedKernel"] = set()  # a kernel lives on when its manager is forgotten, as an ordinary one does


class ForkedKernel:
    """A forked kernel with the face of `subprocess.Popen`, as far as `LocalProvisioner` looks at it."""

    def __init__(self, process: Process, files: dict[str, IO[bytes]]) -> None:
        self._process, self._files = process, files
        self.pid, self.returncode = process.pid, process.poll()
        self.stdin, self.stdout, self.stderr = (files.get(name) for name in ("stdin", "stdout", "stderr"))
        _kept.add(self)

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        self.returncode = self._process.poll()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and let go of what is left.

        Raises:
            subprocess.TimeoutExpired: it has not ended within `timeout` seconds.
        """
        status = self.returncode = self._process.wait(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("a forked kernel", timeout or 0)
        self._process.close()
        _kept.discard(self)
        return status

    async def ended(self, timeout: float | None = None) -> None:
        """Return when it has ended, or after `timeout` seconds."""
        if self.poll() is None:
            await _readable(self._process.fileno(), timeout)

    def send_signal(self, number: int) -> None:
        """Signal the kernel alone."""
        self._process.send_signal(number)


class WarmProvisioner(LocalProvisioner):
    """Starts kernels by fork where that is possible, else as `LocalProvisioner` does."""

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork a kernel, and return when it listens."""
        ready, theirs = os.pipe()
        try:
            self.process = await asyncio.to_thread(_fork, cmd, theirs, self._scrub_kwargs(kwargs))
        except WarmError as problem:
            os.close(theirs)
            os.close(ready)
            self._say_once(str(problem))
            return await super().launch_kernel(cmd, **kwargs)
        os.close(theirs)
        self.pid = self.pgid = self.process.pid
        self.cwd = kwargs.get("cwd", Path.cwd())
        try:
            # a client that connects too early tries again only after 0.1 s
            await _readable(ready, _READY)
        finally:
            os.close(ready)
        return self.connection_info

    def _say_once(self, problem: str) -> None:
        if problem not in _said:
            _said.add(problem)
            self.log.warning("handgrad-warm: a kernel starts in the ordinary way, since %s", problem)

    async def kill(self, restart: bool = False) -> None:
        """Kill the kernel, and see it end: a kernel manager would look only every 0.1 s."""
        killed = self.process
        await super().kill(restart)
        if isinstance(killed, ForkedKernel):
            await killed.ended(_DEATH)

    async def wait(self) -> int | None:
        """The exit status, as soon as there is one."""
        if isinstance(self.process, ForkedKernel):
            await self.process.ended()
        return await super().wait()


def _fork(cmd: Sequence[str], ready: int, options: dict[str, Any]) -> ForkedKernel:
    """The kernel that `cmd` asks for, with `options` as `subprocess.Popen` takes them.

    Raises:
        WarmError: it cannot be forked; the message says why.
    """
    interpreter, arguments = _of_ipykernel(cmd)
    stdin, stdout, stderr = (options.pop(name, None) for name in ("stdin", "stdout", "stderr"))
    environment = dict(options.pop("env", None) or os.environ) | {"JPY_PARENT_PID": str(os.getpid())}
    folder = os.path.abspath(options.pop("cwd", None) or Path.cwd())
    unknown = [name for name, value in options.items() if value]
    if unknown:
        raise WarmError(f"a fork does not know the option {unknown[0]}")
    from handgrad.warm import shared

    request = Request("kernel", environment, folder, argv=tuple(arguments), threads=None)
    with contextlib.ExitStack() as theirs:
        streams = _Streams(theirs, stdin, stdout, stderr)
        try:
            process = shared.fork(interpreter, request, [*streams.fds, ready])
        except (OSError, WarmError) as problem:
            for file in streams.files.values():
                file.close()
            raise WarmError(str(problem)) from None
    return ForkedKernel(process, streams.files)


def _of_ipykernel(cmd: Sequence[str]) -> tuple[list[str], list[str]]:
    """Python with its options, and ipykernel's own arguments.

    Raises:
        WarmError: `cmd` does not start an ipykernel in this Python's environment, or this system has no safe fork.
    """
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        raise WarmError("forking is safe on Linux alone")
    options = list(cmd[1 : cmd.index("-m")]) if "-m" in cmd else []
    rest = list(cmd[1 + len(options) :])
    if rest[:2] != ["-m", "ipykernel_launcher"] or any(not option.startswith(("-X", "-W")) for option in options):
        raise WarmError(f"{' '.join(cmd[:3])} … is not an ipykernel")
    asked = Path(shutil.which(cmd[0]) or cmd[0])
    ours = Path(sys.executable)
    # a virtual environment's python is a link: the file alone does not tell one environment from another
    if asked.parent.resolve() != ours.parent.resolve() or asked.resolve() != ours.resolve():
        raise WarmError(f"{asked} is not the Python of this client ({ours})")
    return [sys.executable, *options], rest[2:]


class _Streams:
    """The three first descriptors of a kernel, as `Popen` would open them, and the ends of pipes that stay here."""

    def __init__(self, theirs: contextlib.ExitStack, stdin: Any, stdout: Any, stderr: Any) -> None:
        self._theirs = theirs
        self.files: dict[str, IO[bytes]] = {}
        self.fds: list[int] = []
        for number, wanted in enumerate((subprocess.DEVNULL if stdin is None else stdin, stdout, stderr)):
            self.fds.append(self._open(number, wanted))

    def _open(self, number: int, wanted: Any) -> int:
        if wanted == subprocess.PIPE:
            read, write = os.pipe()
            ours, given = (write, read) if number == 0 else (read, write)
            self.files[("stdin", "stdout", "stderr")[number]] = os.fdopen(ours, "wb" if number == 0 else "rb", buffering=0)
            return self._until_forked(given)
        if wanted == subprocess.STDOUT:
            return self.fds[1]
        if wanted is None or wanted == subprocess.DEVNULL:
            with contextlib.suppress(OSError):  # closed in a client without a terminal
                if wanted is None:
                    return self._until_forked(os.dup(number))
            return self._until_forked(os.open(os.devnull, os.O_RDWR))
        return wanted if isinstance(wanted, int) else wanted.fileno()

    def _until_forked(self, fd: int) -> int:
        self._theirs.callback(os.close, fd)
        return fd


async def _readable(fd: int, timeout: float | None) -> None:
    """Return when `fd` can be read, or after `timeout` seconds."""
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    own = os.dup(fd)  # a loop has one reader a descriptor, and more than one may wait
    loop.add_reader(own, lambda: future.done() or future.set_result(None))
    try:
        await asyncio.wait_for(future, timeout)
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(own)
        os.close(own)
