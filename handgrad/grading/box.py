"""The box that a class is graded in: bubblewrap round the warm process, and walls round each of its children.

Inside there is the system and Python read-only, the package without its references, and nothing else: no network, no other
submission, no solution, no report. Each submission has namespaces, users and scratch space of its own (`handgrad.warm.child`).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import handgrad
from handgrad.own_course import CHECKS, VARIABLE, own_course
from handgrad.warm.child import SCRATCH

# what an answer may use
LIMITS = {"memory_mib": 2048, "cpu_seconds": 120, "file_bytes": 32 << 20, "processes": 64, "files": 256}
_PACKAGE = Path(handgrad.__file__).resolve().parent
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")


def box_command(writable: Sequence[Path] = (), walls: bool = True) -> list[str]:
    """The command that runs another one inside the box; descriptors that it is handed stay open.

    Args:
        writable: folders of the outside that it may write to.
        walls: whether what runs inside may build walls round its children, as the warm process does. An answer may not.
    """
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent"]
    if os.geteuid() != 0 or not walls:
        command += ["--unshare-user"]
    if os.geteuid() != 0 and walls:
        # as root of the box's own users: else bubblewrap makes users within users, who have no say over its process namespace
        command += ["--uid", "0", "--gid", "0"]
    command += ["--cap-add" if walls else "--cap-drop", "ALL", "--hostname", "handgrad"]
    for place in _SYSTEM:
        command += ["--ro-bind-try", place, place]
    needed = list(dict.fromkeys((*_needed(), *_own_checks())))
    for parent in sorted({parent for place in needed for parent in place.parents if len(parent.parts) > 1}):
        command += ["--perms", "0755", "--dir", str(parent)]  # else only who made the box may pass through
    for place in map(str, needed):
        command += ["--ro-bind", place, place]
    command += ["--dev", "/dev", "--proc", "/proc", "--dir", "/tmp", "--tmpfs", SCRATCH]
    for place in map(str, writable):
        command += ["--bind", place, place]
    command += ["--remount-ro", "/", "--chdir", SCRATCH]
    if os.environ.get("HANDGRAD_DEVICE") == "cuda":
        for device in sorted(Path("/dev").glob("nvidia*")):
            command += ["--dev-bind", str(device), str(device)]
    command += ["--clearenv"]
    for name, value in environment().items():
        command += ["--setenv", name, value]
    return command


def environment() -> dict[str, str]:
    """The environment inside: nothing of the caller's but the device and the folder of a course of their own."""
    inside = {"PATH": "/usr/bin:/bin", "HOME": SCRATCH, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    inside |= {"MKL_NUM_THREADS": "1", "TMPDIR": SCRATCH, "MPLCONFIGDIR": SCRATCH, "PYTHONDONTWRITEBYTECODE": "1"}
    inside |= {"HANDGRAD_DEVICE": os.environ.get("HANDGRAD_DEVICE", "cpu")}
    course = own_course()
    return inside | ({VARIABLE: str(course)} if course else {})


def hidden() -> tuple[str, ...]:
    """The folders that the warm process has read, and that no answer may: whatever holds a reference."""
    return tuple(map(str, (_PACKAGE / "exercises", _PACKAGE / "mutants", *_own_checks())))


def _own_checks() -> list[Path]:
    course = own_course()
    return [course / CHECKS] if course else []


def _needed() -> list[Path]:
    """The folders of this Python, of its packages, and of handgrad."""
    places = [Path(sys.base_prefix), Path(sys.prefix), _PACKAGE]
    executable = Path(sys.executable)
    while executable.is_symlink():  # a venv's python points to another, perhaps by way of a third
        executable = executable.parent / executable.readlink()
        places.append(executable.resolve().parents[1])
    system = [Path(place) for place in _SYSTEM]
    return [place for place in places if not any(place.is_relative_to(other) for other in system)]


def box_problem() -> str | None:
    """Why there is no box on this machine, with the cure; None where it works."""
    cure = (
        "Without a box answers run with your rights: they can read, change and send whatever you can. "
        "Grade inside a container or a virtual machine, or add --trust if you have read the answers."
    )
    if sys.platform != "linux":
        return f"the box is bubblewrap, which is for Linux alone. {cure}"
    if shutil.which("bwrap") is None:
        return f"bubblewrap is not installed: sudo apt install bubblewrap (Fedora: sudo dnf install bubblewrap). {cure}"
    program = "from handgrad.warm import child; child.rehearse()"
    done = subprocess.run(
        [*box_command(), sys.executable, "-c", program], capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return f"bubblewrap cannot make a box here ({last}). Often user namespaces are switched off. {cure}"
    return None


def prepare() -> Callable[[], list[str]]:
    """In a child, before any answer runs: forget what answers are compared with, and watch what they change."""
    from handgrad.exercises import EXERCISES
    from handgrad.grading.tripwire import FORGOTTEN, armed

    for exercise in EXERCISES.values():
        for field, nothing in FORGOTTEN.items():
            object.__setattr__(exercise, field, nothing)
    return armed()
