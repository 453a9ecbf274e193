"""The hostile answers of `tests/attacks/`, handed in to plain nbval, nbgrader, otter and handgrad: which of them earn points.

Run `python benchmarks/attacks.py`; it takes some ten minutes. Each answer is a wrong MyReLU with something beside it that is to
make it count. The peers get one answer a run, inside bubblewrap with limits, so that none of it touches the machine; handgrad
gets them all as one class, in its own box. An answer earns its points, earns none, or the run ends without a result for it, or
not at all.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from peers import EXERCISE, HANDGRAD, HOME, PEERS, ROOT, Peer

ATTACKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/attacks").glob("*.py"))}
LIMIT = 90.0  # seconds for a run
USER = 61_000  # and up: each attack has its own, and so its own share of processes, where this is run by root
_EARNS, _NOTHING, _NO_RESULT, _NO_END = "earns", "earns nothing", "no result", "no end"


def box(folder: Path) -> list[str]:
    """The command that runs a peer where it can write to `folder` alone, and has neither network nor many processes."""
    command = ["prlimit", "--nproc=400", "--fsize=1000000000", "--as=16000000000", "--cpu=120", "--core=0"]
    command += ["bwrap", "--unshare-all", "--unshare-user", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"]
    command += ["--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run", "--ro-bind", str(HOME), str(HOME)]
    return [*command, "--bind", str(folder), str(folder), "--chdir", str(folder)]


def try_one(peer: Peer, name: str) -> str:
    """What one attack comes to with one peer."""
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch) / "class"
        folder.mkdir()
        peer.lay_out(folder, {"learner": f"# exercise: {EXERCISE}\n{ATTACKS[name]}"})
        (folder / "pytest.ini").touch()
        as_user, user = {}, USER + list(ATTACKS).index(name)
        if os.getuid() == 0:
            for path in (folder.parent, *folder.parent.rglob("*")):
                os.chown(path, user, user)
            as_user = {"user": user, "group": user, "extra_groups": []}
        try:
            subprocess.run(
                [*box(folder), *peer.command(folder)],
                env=peer.environment | {"HOME": str(folder)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=LIMIT,
                **as_user,
            )
        except subprocess.TimeoutExpired:
            return _NO_END
        try:
            return _EARNS if "learner" in peer.passed(folder) else _NOTHING
        except (OSError, ValueError, SyntaxError, subprocess.CalledProcessError):
            return _NO_RESULT


def try_handgrad() -> dict[str, str]:
    """What each attack comes to with handgrad."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        HANDGRAD.lay_out(folder, {name: f"# exercise: {EXERCISE}\n{source}" for name, source in ATTACKS.items()})
        subprocess.run(HANDGRAD.command(folder), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        passed = HANDGRAD.passed(folder)
    return {name: _EARNS if name in passed else _NOTHING for name in ATTACKS}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2 if os.getuid() == 0 else 1, help="runs at a time")
    parser.add_argument("--only", nargs="+", choices=[peer.name for peer in PEERS], default=[peer.name for peer in PEERS])
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=list(ATTACKS), metavar="NAME")
    options = parser.parse_args()
    peers = [peer for peer in PEERS if peer.name in options.only]
    for peer in peers:
        peer.install()
    found: dict[str, dict[str, str]] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for peer in peers:
            outcomes = pool.map(lambda name, peer=peer: try_one(peer, name), options.attacks)
            found[peer.name] = dict(zip(options.attacks, outcomes, strict=True))
            print(peer.name, file=sys.stderr)
    found[HANDGRAD.name] = {name: outcome for name, outcome in try_handgrad().items() if name in options.attacks}
    print(f"{'':<34}" + "".join(f"{name:>16}" for name in found))
    for name in options.attacks:
        print(f"{name:<34}" + "".join(f"{outcomes[name]:>16}" for outcomes in found.values()))
    for word in (_EARNS, _NOTHING, _NO_RESULT, _NO_END):
        print(f"{word:<34}" + "".join(f"{Counter(outcomes.values())[word]:>16}" for outcomes in found.values()))


if __name__ == "__main__":
    main()
