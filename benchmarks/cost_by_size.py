"""What a Function written in Python costs beside torch's own operation, by the number of elements: ratios.

Run `python benchmarks/cost_by_size.py`, or with `--write` to keep what was measured in `handgrad/cost_by_size.json`, which the
chapter "When to write a Function" draws; then `handgrad build --again 12_when`. It takes about a minute.

ReLU stands for an operation of one step, softplus for one of several: as a composition it makes six nodes and as many
tensors, as a Function one node. torch.utils.benchmark keeps the time: that of the processor, which is not lent to others, on one
CPU thread, whatever the course's device is.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.benchmark import Timer

RESULTS = Path(__file__).parents[1] / "handgrad" / "cost_by_size.json"
# memory that was freed is kept for the next tensor, as torch itself does on a GPU; else the system's page faults are measured
KEEP = {"MALLOC_MMAP_THRESHOLD_": "2000000000", "MALLOC_TRIM_THRESHOLD_": "4000000000"}
SIZES = [10**n for n in range(7)]
ROUNDS = 30
AT_ONCE = 500_000  # elements, in as many calls as that takes, at most 300


class ReLU(torch.autograd.Function):
    """ReLU whose backward multiplies by a mask."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)


def composed(x: torch.Tensor) -> torch.Tensor:
    """Softplus from torch's operations."""
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


class Softplus(torch.autograd.Function):
    """The same operations in forward, and a backward of two."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return composed(input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(input)


PAIRS: dict[str, tuple[Callable, Callable]] = {
    "ReLU, a Function": (ReLU.apply, torch.relu),
    "softplus, a composition": (composed, F.softplus),
    "softplus, a Function": (Softplus.apply, F.softplus),
}


def ratio(function: Callable, built_in: Callable, size: int) -> float:
    """The time of forward and backward, as a multiple of the built-in operation's.

    The least of several means, taken in turns, so that whatever else the machine does weighs on both alike.
    """
    x, upstream = torch.randn(size, requires_grad=True), torch.randn(size)
    statement = "torch.autograd.grad(f(x), x, upstream)"
    names = {"torch": torch, "x": x, "upstream": upstream}
    timers = [Timer(statement, timer=time.process_time, globals={**names, "f": f}) for f in (function, built_in)]
    number = max(1, min(300, AT_ONCE // size))
    times = [[timer.timeit(number).mean for timer in timers] for _ in range(ROUNDS)]
    ours, theirs = (min(column) for column in zip(*times, strict=True))
    return ours / theirs


def main() -> None:
    """Print the ratios, and write them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"keep the ratios in {RESULTS.name}")
    write = parser.parse_args().write
    if not KEEP.keys() <= os.environ.keys():  # malloc reads them when the process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP})
    torch.manual_seed(0)
    torch.set_num_threads(1)
    found = {}
    for name, pair in PAIRS.items():
        found[name] = [round(ratio(*pair, size), 1) for size in SIZES]
        print(f"{name:<26}" + "".join(f"{value:>6.1f}" for value in found[name]), flush=True)
    if write:
        measured = {"torch": torch.__version__.partition("+")[0], "elements": SIZES, "ratios": found}
        RESULTS.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
