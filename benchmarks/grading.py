"""Grading a class: handgrad beside plain nbval, nbgrader and otter, and beside the floor, in one run.

Run `python benchmarks/grading.py`. The peers are installed once, in environments of their own under `benchmarks/.peers/`. A
class of N learners hands in my_relu, in each twelve seven right and five wrong, no two alike (the answers of `tests/answers/`).
The tools take turns, and each is timed as a whole command, its start and its reports included. With `--trouble` one learner's
answer loops for ever and one's ends the process. Linux only, since the box is bubblewrap; `--only`, `--sizes` and `--rounds`
make it shorter.

The floor is what cannot be saved: from a process that has imported torch and sympy, a fork for each learner, two at a time, in
which the same cells go through exec(). What the probes cost of it is the floor's time less that of the same cells without the
check.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import psutil
from peers import EXERCISE, HANDGRAD, PEERS, ROOT, Peer, official, only_exercise, write_notebook

from handgrad.notebooks.answers import Answer, merge, read_notebook

FLOOR, FLOOR_UNCHECKED = "floor", "floor, no check"
TROUBLE = {3: "while True:\n    pass\n", 14: "import os\nos._exit(3)\n"}
SAMPLE_EVERY = 0.5  # seconds between two looks at what runs
ENDLESS = 120.0  # seconds after which a tool that has no limit of its own is stopped, with `--trouble`


@dataclass(frozen=True)
class Cost:
    """One run of a tool.

    Attributes:
        wall, cpu: seconds, by the clock and of processors.
        memory: MiB at the most, shared pages counted once.
        passed: the learners whose answers have all their points; None where nobody judges.
        forks: of the floor, its seconds without the imports.
    """

    wall: float
    cpu: float
    memory: float
    passed: set[str] | None
    forks: float | None


class Floor(Peer):
    """Fork and exec(), see above."""

    def install(self) -> None:
        """Nothing is needed."""

    def lay_out(self, folder: Path, answers: dict[str, str]) -> None:
        for learner, source in answers.items():
            merged = only_exercise(merge(official(), {EXERCISE: Answer(source, "anchor")}))
            if self.name == FLOOR_UNCHECKED:
                merged["cells"] = [c for c in merged["cells"] if c["metadata"].get("handgrad", {}).get("part") != "check"]
            write_notebook(folder / f"{learner}.ipynb", merged)

    def command(self, folder: Path) -> list[str]:
        return [sys.executable, __file__, "--floor", str(folder)]

    def passed(self, folder: Path) -> None:
        """Nobody judges."""


def run_floor(folder: Path) -> None:
    """Fork for each notebook in `folder`, two at a time, and exec() its cells."""
    import IPython.display  # noqa: F401
    import sympy  # noqa: F401
    import torch._dynamo
    import torch.fx.experimental.symbolic_shapes  # noqa: F401

    import handgrad.check
    import handgrad.observe  # noqa: F401

    os.environ["HANDGRAD_SEED"] = "1"  # as where handgrad grades, a check observes, and judges nothing
    start, running = time.perf_counter(), 0
    for path in sorted(folder.glob("*.ipynb")):
        if running == 2:
            os.wait()
        else:
            running += 1
        if os.fork() == 0:
            names: dict = {}
            try:
                for cell in read_notebook(path)["cells"]:
                    exec(compile("".join(cell["source"]), path.name, "exec"), names)
            except BaseException:
                os._exit(1)
            os._exit(0)
    for _ in range(running):
        os.wait()
    (folder / "seconds").write_text(str(time.perf_counter() - start), encoding="utf-8")


def answers_of_a_class(size: int, trouble: bool) -> dict[str, str]:
    """The answers by learner: seven right and five wrong in each twelve."""
    right, wrong = (cycle(sorted((ROOT / "tests/answers" / kind / EXERCISE).glob("*.py"))) for kind in ("right", "wrong"))
    answers = {}
    for number in range(size):
        text = next(right if number % 12 < 7 else wrong).read_text(encoding="utf-8")
        if trouble:
            text = TROUBLE.get(number, text)
        answers[f"learner{number:04}"] = f"# exercise: {EXERCISE}\n# {number}\n{text}"
    return answers


def measure(peer: Peer, answers: dict[str, str], limit: float | None) -> Cost:
    """Lay a class out and grade it, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="grading-") as name:
        folder = Path(name)
        peer.lay_out(folder, answers)
        for place in (".git", "pyproject.toml"):  # nobody's settings but these
            (folder / place).touch()
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        with (folder / "log").open("w") as log:
            process = subprocess.Popen(
                peer.command(folder), cwd=ROOT if peer is HANDGRAD else folder, env=peer.environment, stdout=log, stderr=log
            )
            sampler = Sampler(process.pid)
            try:
                process.wait(limit)
            except subprocess.TimeoutExpired:
                for child in (*psutil.Process(process.pid).children(recursive=True), process):
                    child.kill()
                process.wait()
            wall = time.perf_counter() - start
            sampler.stop()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        try:
            passed = peer.passed(folder)
        except OSError:
            print((folder / "log").read_text(encoding="utf-8", errors="replace")[-3000:], file=sys.stderr)
            passed = None
        seconds = folder / "seconds"
        forks = float(seconds.read_text()) if seconds.exists() else None
        return Cost(wall, max(cpu, sampler.cpu), sampler.memory, passed, forks)


class Sampler(threading.Thread):
    """Looks at a process and all that it started, and keeps the most `memory`, in MiB, and the most `cpu`, in seconds.

    What a process has used that was killed in its own pid namespace is in no parent's account, so the system's sum is too small.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid, self._done = pid, threading.Event()
        self.memory = self.cpu = 0.0
        self.start()

    def run(self) -> None:
        while not self._done.wait(SAMPLE_EVERY):
            seen = list(self._look())
            self.memory = max(self.memory, sum(size for size, _ in seen) / 2**20)
            self.cpu = max(self.cpu, sum(seconds for _, seconds in seen))

    def _look(self) -> Iterator[tuple[int, float]]:
        """Bytes and seconds of each, with the seconds of children that it has waited for."""
        try:
            root = psutil.Process(self._pid)
            processes = [root, *root.children(recursive=True)]
        except psutil.Error:
            return
        for process in processes:
            try:
                times = process.cpu_times()
                yield process.memory_full_info().pss, times.user + times.system + times.children_user + times.children_system
            except psutil.Error:
                continue

    def stop(self) -> None:
        """End it."""
        self._done.set()
        self.join()


def table(size: int, costs: dict[str, list[Cost]]) -> Iterator[str]:
    """The lines of the table for one size: medians, and ratios to handgrad's wall time."""
    median = {name: statistics.median(cost.wall for cost in runs) for name, runs in costs.items()}
    base = median.get(HANDGRAD.name)
    yield f"\n{size} learners, medians of {max(map(len, costs.values()))}"
    yield f"{'':<18}{'ms each':>10}{'CPU ms each':>13}{'MiB':>7}{'passed':>8}{'× handgrad':>12}{'least … most s':>18}"
    for name, runs in costs.items():
        cpu, memory = (statistics.median(getattr(cost, field) for cost in runs) for field in ("cpu", "memory"))
        walls = [cost.wall for cost in runs]
        passed = "" if runs[0].passed is None else len(runs[0].passed)
        ratio = f"{median[name] / base:.2f}" if base else ""
        each = f"{1000 * median[name] / size:>10.1f}{1000 * cpu / size:>13.1f}"
        yield f"{name:<18}{each}{memory:>7.0f}{passed:>8}{ratio:>12}{f'{min(walls):.1f} … {max(walls):.1f}':>18}"
    if FLOOR in median and FLOOR_UNCHECKED in median:
        whole, unchecked = (statistics.median(cost.forks for cost in costs[name]) / size for name in (FLOOR, FLOOR_UNCHECKED))
        probes = whole - unchecked
        yield f"the floor without its imports: {1000 * whole:.1f} ms each, of which the probes take {1000 * probes:.1f}"
        if base:
            yield f"handgrad, with all that it imports, takes {base / size / whole:.2f} times that"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tools = {tool.name: tool for tool in (HANDGRAD, *PEERS, Floor(FLOOR, ()), Floor(FLOOR_UNCHECKED, ()))}
    parser.add_argument("--sizes", type=int, nargs="+", default=[24, 96, 384])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=tools, default=list(tools))
    parser.add_argument("--trouble", action="store_true", help="one answer loops, one ends its process; without the floor")
    parser.add_argument("--floor", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.floor:
        run_floor(options.floor)
        return
    chosen = [tool for name, tool in tools.items() if name in options.only and not (options.trouble and name.startswith(FLOOR))]
    for tool in chosen:
        tool.install()
    for size in options.sizes:
        answers = answers_of_a_class(size, options.trouble)
        costs: dict[str, list[Cost]] = {tool.name: [] for tool in chosen}
        for _ in range(options.rounds):
            for tool in chosen:
                costs[tool.name].append(measure(tool, answers, ENDLESS if options.trouble else None))
                print(".", end="", file=sys.stderr, flush=True)
        print("\n".join(table(size, costs)), flush=True)


if __name__ == "__main__":
    main()
