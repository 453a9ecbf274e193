"""The exercise `where_paths_part` of chapter 08: the step at which two trainings part, and the zero before it."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw
from handgrad.audit.formats import show
from handgrad.audit.record import Case, plain, unwrapped
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.loss_lies import OPEN_AT_ZERO, SHUT_AT_ZERO, relu_with


def train(x, y, w1, w2, relu, learning_rate, steps):
    """The loop that the exercises hand out: losses and the number of exact zeros before ReLU, one of each a step."""
    losses, zeros = [], []
    for _ in range(steps):
        h = x.mm(w1)
        loss = (relu(h).mm(w2) - y).pow(2).sum()
        losses.append(loss.item())
        zeros.append((h == 0).sum().item())
        grads = torch.autograd.grad(loss, [w1, w2])
        with torch.no_grad():
            w1 -= learning_rate * grads[0]
            w2 -= learning_rate * grads[1]
    return losses, zeros


def leaves(*weights: Tensor) -> list[Tensor]:
    """Copies to train, so that the weights themselves stay as they are."""
    return [weight.detach().clone().requires_grad_() for weight in weights]


def _first_difference(a: list[float], b: list[float]) -> int | None:
    return next((t for t, pair in enumerate(zip(a, b, strict=True)) if pair[0] != pair[1]), None)


def _parting(find: Callable = _first_difference, zeros_at: int = -1, copies: bool = True) -> Callable:
    """The answer of `where_paths_part`; with other arguments than the defaults a wrong one."""

    def where_paths_part(x, y, w1, w2, relu_a, relu_b, learning_rate, steps):
        own = leaves if copies else lambda *weights: weights
        losses_a, zeros = train(x, y, *own(w1, w2), relu_a, learning_rate, steps)
        losses_b, _ = train(x, y, *own(w1, w2), relu_b, learning_rate, steps)
        step = find(losses_a, losses_b)
        return (None, 0) if step is None else (step, zeros[step + zeros_at])

    return where_paths_part


def _with_zeros(draw: Draw, rate: float, later: bool) -> tuple[Tensor, ...]:
    """Whole numbers, so that a zero is a zero on every machine, for which `<` and `<=` part in step 1, or in step 2 (`later`).

    `later`: the one unit that holds a zero has no outgoing weight at first, so nothing flows back to it in step 0.
    """
    while True:
        x, y = draw.normal(4, 3, scale=2.0).round(), draw.normal(4, 2).round()
        w1, w2 = draw.normal(3, 4, scale=2.0).round(), draw.normal(4, 2).round()
        if later:
            w2[(x.mm(w1) == 0).any(dim=0)] = 0
        one, other = (train(x, y, *leaves(w1, w2), relu, rate, 4)[0] for relu in (OPEN_AT_ZERO, torch.relu))
        step = _first_difference(one, other)
        # apart by far more than rounding, which differs between machines
        if step == (2 if later else 1) and abs(one[step] - other[step]) > 1e-12 * one[step]:
            return x, y, w1.requires_grad_(), w2.requires_grad_()


def _parting_case(answer: Callable, words: str, data: tuple, relus: Callable[[], tuple], rate: float, steps: int = 8) -> Case:
    result = answer(*data[:2], *leaves(*data[2:]), *relus(), rate, steps)
    step, zeros = result if isinstance(result, (tuple, list)) and len(result) == 2 else (result, None)
    seen = {"first step with another loss": plain(unwrapped(step)), "zeros one step before": plain(unwrapped(zeros))}
    return {"given": words, "seen": seen}


def _open_and_shut(answer: Callable, draw: Draw) -> Iterator[Case]:
    # at the small rates the losses differ by less than a tolerance would show
    for later, rate in draw.shuffled([(False, 2.0**-8), (True, 2.0**-8), (False, 2.0**-20), (True, 2.0**-14), (False, 2.0**-40)]):
        data = _with_zeros(draw, rate, later)
        words = f"`<` and `<=`, learning_rate={rate:.2g}, x = {show(plain(data[0]))}, w1 = {show(plain(data[2]))}"
        yield _parting_case(answer, words, data, lambda: (OPEN_AT_ZERO, SHUT_AT_ZERO), rate)


def _never(answer: Callable, draw: Draw) -> Iterator[Case]:
    data = _with_zeros(draw, 2.0**-8, False)
    yield _parting_case(answer, "`<=` and torch.relu, with zeros on the way", data, lambda: (SHUT_AT_ZERO, torch.relu), 2.0**-8)


def _turning(step: int) -> Callable:
    """A ReLU whose backward is right until it has been called `step` times."""
    calls = 0

    def backward(g: Tensor, x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return g * (x > 0) * (1.0 if calls <= step else 0.5)

    return relu_with(backward)


def _any_two(answer: Callable, draw: Draw) -> Iterator[Case]:
    for _ in range(2):
        step = draw.integer(3, 9)
        data = draw.normal(4, 3), draw.normal(4, 2), draw.normal(3, 4), draw.normal(4, 2)
        words = f"torch.relu, and one whose gradient is halved from step {step} on"
        yield _parting_case(answer, words, data, lambda step=step: (torch.relu, _turning(step)), 1e-3, 12)
    # from zeros the one never moves: its losses are all the same, so a loss does not say its step
    data = draw.normal(4, 3), draw.normal(4, 2), draw.normal(3, 4).zero_(), draw.normal(4, 2)
    for words, relus in (("`<=` and `<`", (SHUT_AT_ZERO, OPEN_AT_ZERO)), ("`<` and `<=`", (OPEN_AT_ZERO, SHUT_AT_ZERO))):
        yield _parting_case(answer, f"{words}, all of w1 is 0", data, lambda relus=relus: relus, 1e-3)


WHERE_PATHS_PART = Exercise(
    name="where_paths_part",
    chapter="08_training",
    probes=(
        Probe("< and <=", _open_and_shut, "Compare the two lists of losses, step by step: where is the first that differs?"),
        Probe("never", _never, "Where no step differs, return (None, 0)."),
        Probe("any two", _any_two, "The step comes from the two lists of losses, not from where zeros stand."),
    ),
    reference=_parting(),
    slips=(
        Slip(
            _parting(copies=False),
            "The second training starts where the first ended, since train changes its weights in place: give each a copy.",
        ),
        Slip(
            _parting(zeros_at=0),
            "These are the zeros of the step itself; the gradient that differs was computed one step before.",
        ),
        Slip(
            _parting(lambda a, b: None if (t := _first_difference(a, b)) is None else t - 1, 0),
            "The loss of that step is still equal: zeros stand there, and the loss differs one step later.",
        ),
        Slip(
            _parting(lambda a, b: next((t for t, loss in enumerate(a) if abs(loss - b[t]) > 1e-5 * loss), None)),
            "A tolerance hides the step at which the paths part: equal means equal, bit for bit. Compare with !=.",
        ),
        Slip(lambda *args: (1, 1), "That is one answer for all data: find the step in the losses."),
    ),
    errors=(
        (
            r"does not require grad and does not have a grad_fn|one of the differentiated Tensors does not require grad",
            "A copy of the weights must be a leaf that asks for a gradient: w1.detach().clone().requires_grad_().",
        ),
        (r"leaf Variable that requires grad|can only change leaf|modified by an inplace", "Copy with w1.detach().clone()."),
    ),
    hints=(
        "What does train do to the weights that it is given? And what does the second training start from?",
        "The first t with losses_a[t] != losses_b[t]; the cause is a zero in step t - 1.",
        "`w1.detach().clone().requires_grad_()` for each training; then a loop over `enumerate(zip(losses_a, losses_b))`.",
    ),
)


EXERCISES = (WHERE_PATHS_PART,)
