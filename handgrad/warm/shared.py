"""The warm process that all Jupyter clients of a user share: found by its socket, or started where there is none."""

import contextlib
import fcntl
import hashlib
import os
import resource
import socket
import stat
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from handgrad.warm import client, kernel

GRACE = 10.0  # seconds that it outlives its last kernel

# variables that Python and what the warm process imports read once, when they are loaded
_READ_ONCE = ("PYTHON", "LD_", "LANG", "LC_", "HOME", "OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "GLIBC_", "MALLOC_", "NPY_")
_READ_ONCE += (
    "TORCH",
    "PYTORCH",
    "ATEN_",
    "CUDA",
    "CUBLAS",
    "CUDNN",
    "NCCL",
    "NVIDIA",
    "HIP_",
    "HSA_",
    "ROCR_",
    "DEBUGPY",
    "PYDEVD",
)


def fork(interpreter: Sequence[str], request: client.Request, fds: Sequence[int]) -> client.Process:
    """A kernel from the warm process of `interpreter` (a Python and its options); it is started where it does not run.

    Raises:
        WarmError: it cannot be started, or it cannot fork.
    """
    environment = _environment(request)
    path = _folder() / f"{_key(interpreter, environment)}.socket"
    with contextlib.suppress(client.NotThere):
        return client.fork(str(path), request, fds)
    with _locked(path.with_suffix(".lock")):
        with contextlib.suppress(client.NotThere):  # another client has started it meanwhile
            return client.fork(str(path), request, fds)
        with _started(path, interpreter, environment):
            return client.fork(str(path), request, fds)


def _environment(request: client.Request) -> dict[str, str]:
    """The variables that the warm process itself is started with."""
    wanted = {name: value for name, value in request.env.items() if name.startswith(_READ_ONCE)}
    if wanted.get("PYTHONPATH"):  # what is relative there is meant from where the kernel starts
        entries = wanted["PYTHONPATH"].split(os.pathsep)
        wanted["PYTHONPATH"] = os.pathsep.join(os.path.join(request.cwd, entry) for entry in entries)
    return wanted


def _key(interpreter: Sequence[str], environment: Mapping[str, str]) -> str:
    """A name for all that a kernel inherits from the warm process: another interpreter, package or limit is another process."""
    code = [*Path(__file__).parent.glob("*.py"), *map(Path, {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})]
    stamps = sorted((str(path), path.stat().st_mtime_ns) for path in code)
    lines = Path("/proc/self/status").read_text().splitlines()
    inherited = [
        line for line in lines if line.startswith(("Uid", "Gid", "Groups", "Umask", "NoNewPrivs", "Seccomp", "Cpus_allowed:"))
    ]
    inherited += [os.readlink(path) for path in sorted(Path("/proc/self/ns").iterdir())]
    inherited += [Path("/proc/self/cgroup").read_text(), str(os.getpriority(os.PRIO_PROCESS, 0))]
    limits = [(name, resource.getrlimit(getattr(resource, name))) for name in dir(resource) if name.startswith("RLIMIT_")]
    parts = (tuple(interpreter), sorted(environment.items()), stamps, inherited, limits)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def _folder() -> Path:
    """The user's own folder for the sockets.

    Raises:
        WarmError: somebody else could reach into it.
    """
    base = os.environ.get("XDG_RUNTIME_DIR", "")
    folder = Path(base) / "handgrad" if os.path.isdir(base) else Path(tempfile.gettempdir()) / f"handgrad-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise client.WarmError(f"{folder} cannot be made: {error.strerror}") from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise client.WarmError(f"{folder} is not a folder of yours alone (chmod 700 {folder})")
    return folder


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _started(path: Path, interpreter: Sequence[str], environment: dict[str, str]) -> Iterator[None]:
    """Start it, and hold on to it until it has a kernel.

    Raises:
        WarmError: it did not start; its last words are in the message.
    """
    path.unlink(missing_ok=True)
    log = path.with_suffix(".log")
    preload = ",".join((*client.PRELOAD, *kernel.PRELOAD))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, log.open("wb") as stderr:
        try:
            listener.bind(str(path))
        except OSError as error:
            raise client.WarmError(f"{path} cannot be a socket: {error}. A shorter XDG_RUNTIME_DIR?") from None
        listener.listen(64)
        command = [*interpreter, "-m", "handgrad.warm.zygote", "--detach", "--grace", str(GRACE)]
        command += ["--ahead", f"{kernel.__name__}:{kernel.practise.__name__}"]
        command += ["--preload", preload, "--listen-fd", str(listener.fileno())]
        subprocess.run(  # only until it has detached itself
            command,
            pass_fds=[listener.fileno()],
            env={"PATH": os.defpath} | environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        lease = client.lease(str(path))
    except client.WarmError as error:
        words = log.read_text(errors="replace").strip()[-2000:]
        raise client.WarmError(f"{error}\n{words}".rstrip()) from None
    with lease:
        yield
