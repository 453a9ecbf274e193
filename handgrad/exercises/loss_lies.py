"""The exercise `loss_lies` of chapter 08: a test that tells a right ReLU from wrong ones, which a loss cannot."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.subject import oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip


def relu_with(backward: Callable) -> Callable:
    """ReLU with a backward of its own, `(grad_output, input) -> gradient`."""
    return oracle(torch.relu, backward).apply


OPEN_AT_ZERO = relu_with(lambda g, x: torch.where(x < 0, 0, g))
SHUT_AT_ZERO = relu_with(lambda g, x: torch.where(x <= 0, 0, g))

_RIGHT_RELUS: dict[str, Callable] = {
    "torch.relu": lambda x: torch.relu(x),
    "a backward that zeroes where input < 0": OPEN_AT_ZERO,
    "a backward that zeroes where input <= 0": SHUT_AT_ZERO,
}


def _wrong_relus(draw: Draw) -> dict[str, Callable]:
    part = draw.choice([0.5, 0.8, 2.0])
    return {
        "a backward that returns grad_output as it is": relu_with(lambda g, x: g.clone()),
        "a backward that returns the mask alone": relu_with(lambda g, x: (x > 0).to(g.dtype)),
        "a backward that lets 0.01 of it through for negatives": relu_with(lambda g, x: torch.where(x > 0, g, 0.01 * g)),
        f"a backward that returns {part} times the right gradient": relu_with(lambda g, x: part * g * (x > 0)),
    }


def _verdicts(answer: Callable, relus: dict[str, Callable], draw: Draw) -> Iterator[Case]:
    for name in draw.shuffled(list(relus)):
        said = answer(relus[name])
        said = bool(said) if isinstance(said, Tensor) and said.numel() == 1 else said
        yield {"given": name, "seen": {"is_relu": plain(said)}}


def _slope(fn: Callable, at: float, upstream: float = 1.0) -> float:
    x = tensor(at).requires_grad_()
    (grad,) = torch.autograd.grad(fn(x), x, tensor(upstream))
    return grad.item()


def _is_relu(fn: Callable) -> bool:
    return all(_slope(fn, at, -3.0) == -3.0 * (at > 0) for at in (-2.0, -0.5, 0.5, 2.0))


LOSS_LIES = Exercise(
    name="loss_lies",
    chapter="08_training",
    probes=(
        Probe(
            "right ones pass",
            lambda answer, draw: _verdicts(answer, _RIGHT_RELUS, draw),
            "This ReLU is right and your test refuses it: at 0 itself both slopes are allowed, so keep your inputs off 0.",
        ),
        Probe(
            "wrong ones fail",
            lambda answer, draw: _verdicts(answer, _wrong_relus(draw), draw),
            "This backward is wrong and your test accepts it: ask for the gradient itself, at negative and positive inputs, "
            "with an upstream gradient that is not 1.",
        ),
    ),
    reference=_is_relu,
    slips=(
        Slip(lambda fn: True, "It accepts every backward: return False where the gradient is not that of ReLU."),
        Slip(lambda fn: False, "It refuses every backward, the right ones too."),
        Slip(
            lambda fn: all(_slope(fn, at) == float(at > 0) for at in (-1.0, 1.0)),
            "Your upstream gradient is all ones (sum().backward()), so a backward that ignores it passes: use others, signed.",
        ),
        Slip(
            lambda fn: _slope(fn, 1.0, -3.0) == -3.0,
            "Your inputs are all positive, and there ReLU is the identity: test negative ones too.",
        ),
        Slip(
            lambda fn: _slope(fn, -1.0, -3.0) == 0.0,
            "Your inputs are all negative, and there any factor times 0 is right: test positive ones too.",
        ),
        Slip(
            lambda fn: _slope(fn, 1.0, -1.0) < 0,
            "It accepts whatever goes downhill, as a threshold on the loss does. A network learns with a wrong gradient too: "
            "look at the gradient, not at the loss.",
        ),
    ),
    hints=(
        "Can a network learn although its gradient is wrong? Then what must you look at, if not at its loss?",
        "For an upstream gradient g the right backward gives g where the input is positive and 0 where it is negative.",
        "`fn(x).backward(g)` with x = [-2, -1, 1, 2] and g = [3, -1, 2, -5]; then compare x.grad with [0, 0, 2, -5].",
    ),
)


EXERCISES = (LOSS_LIES,)
