"""What a Function written in Python costs beside the built-in operation: ratios, for ReLU, by size, and for a whole loop.

Run `python benchmarks/function_cost.py`; it takes about a minute. The device is the course's, `HANDGRAD_DEVICE` chooses it.
Two custom backwards stand beside torch.relu: `grad_output * (input > 0)`, and the old tutorial's clone that is written into
through a mask. torch.utils.benchmark keeps the time and waits for the GPU where there is one; one CPU thread.
"""

from collections.abc import Callable

import torch
from torch.utils.benchmark import Timer

from handgrad import device

SHAPES = {(1,): 1000, (64, 100): 500, (64, 1000): 100, (1024, 4096): 4}  # and how many calls are timed at once
ROUNDS = 7
STEPS = 500


class MaskReLU(torch.autograd.Function):
    """ReLU whose backward multiplies by a mask."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)


class IndexReLU(MaskReLU):
    """ReLU whose backward writes zeros into a clone."""

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[input < 0] = 0
        return grad_input


RELUS: dict[str, Callable] = {
    "torch.relu": torch.relu,
    "g * (x > 0)": MaskReLU.apply,
    "clone and index": IndexReLU.apply,
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


def ratios(statement: str, number: int, **names: object) -> dict[str, float]:
    """What a statement that calls `relu` costs with each ReLU, as a multiple of torch.relu.

    The least of several means, taken in turns, so that whatever else the machine does weighs on all of them alike.
    """
    timers = {name: Timer(statement, globals={"torch": torch, "relu": relu, **names}) for name, relu in RELUS.items()}
    rounds = [{name: timer.timeit(number).mean for name, timer in timers.items()} for _ in range(ROUNDS)]
    least = {name: min(times[name] for times in rounds) for name in RELUS}
    return {name: seconds / least["torch.relu"] for name, seconds in least.items()}


def print_row(label: str, row: dict[str, float]) -> None:
    """One line of the table."""
    print(f"{label:<24}" + "".join(f"{ratio:>16.1f}" for ratio in row.values()), flush=True)


def main() -> None:
    """Print the table."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    torch.set_default_device(device())
    print(f"torch {torch.__version__}, {device().type}; times as multiples of torch.relu's")
    print(f"{'':<24}" + "".join(f"{name:>16}" for name in RELUS))
    for shape, number in SHAPES.items():
        x, upstream = torch.randn(shape, requires_grad=True), torch.randn(shape)
        row = ratios("torch.autograd.grad(relu(x), x, upstream)", number, x=x, upstream=upstream)
        print_row(f"one call, {' × '.join(map(str, shape))}", row)
    print_row(f"loop of {STEPS} steps", ratios("train(relu)", 1, train=train))


if __name__ == "__main__":
    main()
