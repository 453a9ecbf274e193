"""What a Function written in Python costs beside torch's own operation: ratios, by the number of elements and for a whole loop.

Run `python benchmarks/function_cost.py`; it takes about two minutes. The device is the course's, `HANDGRAD_DEVICE` chooses it.
With `--write` what was measured on a CPU is kept in `handgrad/function_cost.json`, from which chapter 08 prints its table and
chapter 12 draws its figure; then `handgrad build --again 08_training 12_when`.

ReLU stands for an operation of one step, softplus for one of several: as a composition it makes six nodes and as many tensors,
as a Function one node. torch.utils.benchmark keeps the time: on a CPU that of the processor, which is not lent to others, on one
thread; on a GPU the clock's, waiting for its work.
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

from handgrad import device

RESULTS = Path(__file__).parents[1] / "handgrad" / "function_cost.json"
# memory that was freed is kept for the next tensor, as torch itself does on a GPU; else the system's page faults are measured
KEEP = {"MALLOC_MMAP_THRESHOLD_": "2000000000", "MALLOC_TRIM_THRESHOLD_": "4000000000"}
SIZES = [10**n for n in range(7)]
ROUNDS = 30
AT_ONCE = 500_000  # elements, in as many calls as that takes, at most 300
STEPS = 100
LOOPS = 7


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


class ReLUByIndex(ReLU):
    """ReLU whose backward writes zeros into a clone, through a mask, as the old tutorial does."""

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


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
    "ReLU, clone and index": (ReLUByIndex.apply, torch.relu),
    "softplus, a composition": (composed, F.softplus),
    "softplus, a Function": (Softplus.apply, F.softplus),
}


def train(relu: Callable) -> None:
    """The loop of chapter 08, 64 × 1000 → 100 → 10."""
    x, y = torch.randn(64, 1000), torch.randn(64, 10)
    w1, w2 = torch.randn(1000, 100, requires_grad=True), torch.randn(100, 10, requires_grad=True)
    for _ in range(STEPS):
        loss = (relu(x.mm(w1)).mm(w2) - y).pow(2).sum()
        loss.backward()
        with torch.no_grad():
            for weight in (w1, w2):
                weight -= 1e-6 * weight.grad
                weight.grad.zero_()


def ratio(pair: tuple[Callable, Callable], statement: str, number: int, rounds: int, **names: object) -> float:
    """The time of a statement with the first of two functions as `f`, as a multiple of that with the second.

    The least of several means, taken in turns, so that whatever else the machine does weighs on both alike.
    """
    clock = {"timer": time.process_time} if device().type == "cpu" else {}
    timers = [Timer(statement, globals={"torch": torch, "f": f, **names}, **clock) for f in pair]
    times = [[timer.timeit(number).mean for timer in timers] for _ in range(rounds)]
    ours, theirs = (min(column) for column in zip(*times, strict=True))
    return round(ours / theirs, 1)


def by_size(pair: tuple[Callable, Callable], size: int) -> float:
    """The ratio for one call, forward and backward."""
    x, upstream = torch.randn(size, requires_grad=True), torch.randn(size)
    number = max(1, min(300, AT_ONCE // size))
    return ratio(pair, "torch.autograd.grad(f(x), x, upstream)", number, ROUNDS, x=x, upstream=upstream)


def main() -> None:
    """Print the ratios, and write them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"keep the ratios in {RESULTS.name}")
    write = parser.parse_args().write
    if not KEEP.keys() <= os.environ.keys():  # malloc reads them when the process starts
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **KEEP})
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.set_default_device(device())
    print(f"torch {torch.__version__}, {device().type}; times as multiples of the built-in operation's")
    print(f"{'elements':<26}" + "".join(f"{size:>9}" for size in SIZES) + f"{'the loop':>10}")
    ratios: dict[str, list[float]] = {}
    loop: dict[str, float] = {}
    for name, pair in PAIRS.items():
        ratios[name] = [by_size(pair, size) for size in SIZES]
        line = f"{name:<26}" + "".join(f"{value:>9.1f}" for value in ratios[name])
        if pair[1] is torch.relu:
            loop[name] = ratio(pair, "train(f)", 1, LOOPS, train=train)
            line += f"{loop[name]:>10.1f}"
        print(line, flush=True)
    if write:
        if device().type != "cpu":
            sys.exit("The chapters show a CPU's ratios: HANDGRAD_DEVICE=cpu python benchmarks/function_cost.py --write")
        measured = {"torch": torch.__version__.partition("+")[0], "elements": SIZES, "ratios": ratios, "loop": loop}
        RESULTS.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
