"""The exercise `counterexample` of chapter 04: an input that tells a threshold near 0 from one at 0."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.formats import show
from handgrad.audit.record import Case, described, plain
from handgrad.audit.subject import oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip

MOST = 20


def _right() -> Callable:
    return oracle(torch.relu).apply


def _with_gate_at(threshold: float) -> Callable:
    return oracle(torch.relu, lambda g, x: g * (x > threshold)).apply


def _thresholds(draw: Draw) -> list[float]:
    others = [draw.choice([0.5, 0.3, 2.0]), draw.choice([2e-5, 5e-5]), -draw.choice([1e-3, 0.02]), -draw.choice([3e-5, 0.7])]
    return [1e-3, *draw.shuffled(others)]


def _form(answer: Callable, draw: Draw) -> Iterator[Case]:
    for threshold in _thresholds(draw):
        yield {"given": f"threshold = {threshold}", "seen": {"x": _kind(answer(threshold))}}


def _kind(x: object) -> str:
    if not isinstance(x, Tensor) or x.dtype != torch.float64 or not 1 <= x.numel() <= MOST:
        return described(x)
    return f"1 to {MOST} float64 numbers" if torch.isfinite(x).all() else "numbers that are not finite"


def _gradcheck(relu: Callable, x: Tensor) -> bool:
    return torch.autograd.gradcheck(relu, x.detach().clone().requires_grad_(), raise_exception=False)


def _verdicts(label: str, relu: Callable[[float], Callable], wanted: bool) -> Callable:
    """A probe: what gradcheck says at the answer, of a ReLU for each threshold."""

    def observe(answer: Callable, draw: Draw) -> Iterator[Case]:
        for threshold in _thresholds(draw):
            x = answer(threshold)
            words = f"threshold = {threshold}, x = {show(plain(x))}"
            yield {"given": words, "seen": {label: _gradcheck(relu(threshold), x)}, "accept": {label: [wanted]}}

    return observe


def _at(place: Callable[[float], float]) -> Callable:
    return lambda threshold: tensor([place(threshold)])


COUNTEREXAMPLE = Exercise(
    name="counterexample",
    chapter="04_gradcheck",
    probes=(
        Probe(
            "form",
            _form,
            f"Return one float64 tensor of at most {MOST} numbers, with torch.tensor([…], dtype=torch.float64).",
            gate=True,
        ),
        Probe(
            "right one passes",
            _verdicts("gradcheck of torch's ReLU", lambda threshold: _right(), True),
            "gradcheck refuses the right ReLU here too, so x proves nothing: a number is closer to 0 than its step of 1e-6.",
        ),
        Probe(
            "wrong one fails",
            _verdicts("gradcheck of the wrong ReLU", _with_gate_at, False),
            "Beyond the threshold, and on the other side of 0, both do the same: a number must lie between 0 and the threshold.",
        ),
    ),
    reference=_at(lambda threshold: threshold / 2),
    slips=(
        Slip(
            _at(lambda threshold: 0.0),
            "At the kink itself gradcheck refuses the right ReLU too: it sees half of the slope. Step off it.",
        ),
        Slip(
            lambda threshold: tensor([-1.0, 0.0, 1.0]),
            "At the kink itself gradcheck refuses the right ReLU too: it sees half of the slope. Step off it.",
        ),
        Slip(_at(abs), "The threshold may be negative, and then the numbers that tell are negative too."),
        Slip(
            _at(lambda threshold: abs(threshold) / 2),
            "The threshold may be negative, and then the numbers that tell are negative.",
        ),
        Slip(_at(lambda threshold: 5e-4), "This number tells a threshold of 1e-3 and no other: compute it from the threshold."),
    ),
    hints=(
        "Where do `x > 0` and `x > threshold` give different answers? And how far does gradcheck go to each side of x?",
        "A number between 0 and the threshold, and farther from 0 than gradcheck's step of 1e-6.",
        "`return torch.tensor([threshold / 2], dtype=torch.float64)`",
    ),
)

EXERCISES = (COUNTEREXAMPLE,)
