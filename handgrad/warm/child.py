"""What a forked child does before it is a kernel: its descriptors, its limits, its walls."""

import contextlib
import ctypes
import fcntl
import gc
import os
import resource
import signal
import socket
import struct
import sys
import time
from pathlib import Path
from typing import NoReturn

NEWNS, NEWUTS, NEWIPC, NEWPID, NEWNET = 0x00020000, 0x04000000, 0x08000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _REC, _PRIVATE = 1, 2, 4, 0x4000, 0x40000
_PDEATHSIG, _NO_NEW_PRIVS, _DUMPABLE = 1, 38, 4
SCRATCH = "/run/handgrad"  # the one place that a walled-in child may write to, but /dev/shm
_FIRST_UID = 64_000  # of the users that boxed kernels run as, where the zygote is root
_USERS = 1_000

_libc = ctypes.CDLL(None, use_errno=True)


def _call(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave namespaces of the parent's (unshare(2))."""
    _call(_libc.unshare(flags), "unshare")


def setns(fd: int, flags: int) -> None:
    """Enter a namespace (setns(2))."""
    _call(_libc.setns(fd, flags), "setns")


def take_descriptors(fds: list[int]) -> None:
    """Make `fds` the descriptors 0, 1, 2, …; every other one is closed. Only system calls: it runs right after the fork."""
    high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 64) for fd in fds]  # out of the way of the numbers that they are to have
    for number, fd in enumerate(high):
        os.dup2(fd, number)
    os.closerange(len(fds), 4096)
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """Be killed when the process `parent` ends, also where it has ended already."""
    _libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def run(request: dict) -> None:
    """Be the kernel that was asked for (see `handgrad.warm.client.Request`)."""
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    if request.get("private"):
        wall_in(request["number"], request["scratch_mib"], request["hidden"])
    os.chdir(request["cwd"])
    _limit(request.get("limits", {}))
    sys.stdin = sys.__stdin__ = os.fdopen(0, closefd=False)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    _own_random_state(request.get("threads"))
    gc.enable()
    if request["mode"] == "cells":
        from handgrad.warm import shell

        shell.serve(socket.socket(fileno=3), request)
    else:
        from handgrad.warm import kernel

        kernel.serve(request["argv"], ready=3)


def leave(code: object) -> NoReturn:
    """End without the exit handlers, which are the parent's."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _own_random_state(threads: int | None) -> None:
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed()  # Python's own generator is seeded anew by a fork, numpy's is not
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.default_generator.seed()
        if threads:
            torch.set_num_threads(threads)


def wall_in(number: int, scratch_mib: int, hidden: list[str]) -> None:
    """Namespaces of its own, empty places to write to, nothing of the system's state, no privileges.

    The process is the first of its pid namespace already, so what it starts ends with it.
    """
    unshare(NEWNS | NEWIPC | NEWUTS | NEWNET)
    _call(_libc.mount(None, b"/", None, _REC | _PRIVATE, None), "mount private")
    size = f"size={scratch_mib}m,nr_inodes=4096,mode=1777".encode()
    for place in (SCRATCH, "/dev/shm"):
        _call(_libc.mount(b"tmpfs", place.encode(), b"tmpfs", _NOSUID | _NODEV, size), f"mount {place}")
    for place in ("/proc", *hidden):
        _call(_libc.mount(b"tmpfs", place.encode(), b"tmpfs", _RDONLY | _NOSUID | _NODEV, b"size=4k"), f"hide {place}")
    if os.getuid() == 0 and _maps_many_users():
        user = _FIRST_UID + number % _USERS
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    header, none = struct.pack("Ii", 0x20080522, 0), bytes(24)
    _call(_libc.capset(header, none), "capset")
    _call(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    _libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # a change of user took it away


def rehearse() -> None:
    """Fork a child into walls and come back, as the warm process does for each.

    Raises:
        OSError: it is not allowed here; what hinders the child stands on stderr.
    """
    home = os.open("/proc/self/ns/pid", os.O_RDONLY)
    unshare(NEWPID)
    pid = os.fork()
    if pid == 0:
        try:
            wall_in(1, 1, [])
        except OSError as error:
            print(error, file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    setns(home, NEWPID)
    if os.waitpid(pid, 0)[1]:
        sys.exit(1)


def _maps_many_users() -> bool:
    """Whether this user namespace has other users than the one that made it."""
    return _USER_MAP > _FIRST_UID


def _mapped() -> int:
    try:
        return sum(int(line.split()[2]) for line in Path("/proc/self/uid_map").read_text().splitlines())
    except OSError:
        return 0


_USER_MAP = _mapped()  # read now: a walled-in child has no /proc


def _limit(limits: dict[str, int]) -> None:
    """Set resource limits; that of memory counts what is added to what the zygote has."""
    if "memory_mib" in limits:
        status = _MEMORY
        for name, kind in (("VmData", resource.RLIMIT_DATA), ("VmSize", resource.RLIMIT_AS)):
            most = status[name] + limits["memory_mib"] * 2**20
            resource.setrlimit(kind, (most, most))
    kinds = {
        "cpu_seconds": resource.RLIMIT_CPU,
        "file_bytes": resource.RLIMIT_FSIZE,
        "processes": resource.RLIMIT_NPROC,
        "files": resource.RLIMIT_NOFILE,
    }
    for name, kind in kinds.items():
        if name in limits:
            resource.setrlimit(kind, (limits[name], limits[name]))
    if limits:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


_MEMORY: dict[str, int] = {}


def note_memory() -> None:
    """Remember how much memory the zygote has: its children cannot read it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        name, _, amount = line.partition(":")
        if name in ("VmData", "VmSize"):
            _MEMORY[name] = int(amount.split()[0]) * 1024
