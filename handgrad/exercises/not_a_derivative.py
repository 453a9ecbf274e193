"""The exercise `not_a_derivative` of chapter 12: rounding that lets the gradient through, and a gradient that is reversed."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, leaves, oracle, words
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

ROUND, REVERSE = "RoundThrough", "ReverseGradient"


def _inputs(draw: Draw) -> list[torch.Tensor]:
    ties = tensor([0.5, 1.5, -2.5])  # to the even number, as torch rounds
    return [tensor([-1.7, 0.3, 2.6]), draw.normal(2, 3, scale=4.0), ties]


def _shapes(draw: Draw) -> list[tuple[str, torch.Tensor]]:
    return [
        ("no elements", tensor([])),
        ("one number", tensor(-1.6)),
        ("three dimensions", draw.normal(2, 3, 2, scale=3.0)),
        ("transposed", draw.normal(3, 2, scale=3.0).t()),
        ("float32", draw.normal(4, 6, dtype=torch.float32, scale=3.0)),
    ]


ROUNDING = Subject(
    names=("input",),
    samples=lambda draw: [(x.requires_grad_(),) for x in _inputs(draw)],
    extremes=lambda draw: [(tensor([1e-3, -7.0, 2.5e4, -0.49]).requires_grad_(),)],
    shapes=lambda draw: [(label, (x.requires_grad_(),)) for label, x in _shapes(draw)],
)

STRENGTHS = (0.3, 1.0, 2.5)
REVERSAL = Subject(
    names=("input", "strength"),
    samples=lambda draw: [(x.requires_grad_(), s) for x, s in zip(_inputs(draw), STRENGTHS, strict=True)],
    extremes=lambda draw: [(tensor([1e-3, -7.0, 2.5e4]).requires_grad_(), s) for s in (1 / 3, 0.0, 20, -0.5)],
    shapes=lambda draw: [(label, (x.requires_grad_(), 0.7)) for label, x in _shapes(draw)],
)


def through(x: torch.Tensor) -> torch.Tensor:
    """Rounds, with the gradient of the identity."""
    return x + (x.round() - x).detach()


def reversed_(x: torch.Tensor, strength: float) -> torch.Tensor:
    """The identity, with a gradient of -strength."""
    return x.detach() * (1 + strength) - strength * x


ROUND_RIGHT = oracle(torch.round, lambda g, x: g.clone())
REVERSE_RIGHT = oracle(lambda x, s: x.clone(), lambda g, x, s: (-s * g, None))

_INTENDED = (
    "The gradient that is wanted is grad_output, as it comes.",
    "The gradient that is wanted is -strength * grad_output, for every strength.",
)


def _of_one(place: int, probe: Probe) -> Probe:
    """A probe of one of the two classes; whether an output shares memory with its input is left to the answer."""

    def observe(answer: object, draw: Draw) -> Iterator[Case]:
        for case in probe.observe(answer[place], draw):
            case["seen"].pop("output has memory of its own", None)
            yield case

    slip = _INTENDED[place] if probe.name == "upstream" else probe.slip
    return replace(probe, name=f"{(ROUND, REVERSE)[place]}, {probe.name}", observe=observe, slip=slip)


def _no_derivative(subject: Subject) -> Callable[[object, Draw], Iterator[Case]]:
    """`gradcheck` refuses it: where it does not, the gradient is that of forward, or there is none."""

    def observe(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
        for args in subject.samples(draw)[:2]:
            seen = torch.autograd.gradcheck(answer.apply, leaves(args), raise_exception=False)
            yield {"given": words(subject.names, args), "seen": {"gradcheck accepts it": seen}}

    return observe


_PROBES = ("forward", "returned", "returned shape", "upstream")
_CONDUCT = ("upstream untouched", "second order", "shapes", "calls apart", "device")


def _probes(place: int, subject: Subject, intended: Callable) -> list[Probe]:
    fails = Probe("gradcheck fails", _no_derivative(subject), "gradcheck must refuse it: this gradient is no derivative.")
    form, *numbers = function_probes(subject, *_PROBES)
    linear = audit_probes(lambda draw: subject.samples(draw)[0], subject.names, "linear", reference=intended)
    return [_of_one(place, probe) for probe in (form, *numbers, fails, *function_probes(subject, *_CONDUCT)[1:], *linear)]


def _round_slip(text: str, forward: Callable = torch.round, backward: Callable = lambda g, x: g.clone()) -> Slip:
    return Slip((oracle(forward, backward), REVERSE_RIGHT), text)


def _reverse_slip(text: str, backward: Callable, forward: Callable = lambda x, s: x.clone()) -> Slip:
    return Slip((ROUND_RIGHT, oracle(forward, backward)), text)


class _OnClass(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, strength):
        _OnClass.strength = strength
        return input.clone()

    @staticmethod
    def backward(ctx, g):
        return -_OnClass.strength * g, None


NOT_A_DERIVATIVE = Exercise(
    name="not_a_derivative",
    chapter="12_when",
    probes=(*_probes(0, ROUNDING, through), *_probes(1, REVERSAL, reversed_)),
    reference=(ROUND_RIGHT, REVERSE_RIGHT),
    slips=(
        _round_slip(
            "0 is the real derivative of rounding, and with it nothing before this layer learns. Straight through means: hand "
            "grad_output on as it is.",
            backward=lambda g, x: torch.zeros_like(g),
        ),
        _round_slip("backward returns None: straight through means that it returns grad_output.", backward=lambda g, x: None),
        _round_slip(
            "The gradient is shut off outside of a window. That is the variant for a sign; here it goes through everywhere.",
            backward=lambda g, x: g * (x.abs() <= 1),
        ),
        _round_slip("The gradient is rounded as well: only forward rounds.", backward=lambda g, x: g.round()),
        _round_slip(
            "backward multiplies by a value of forward: straight through, the factor is 1.", backward=lambda g, x: g * x.round()
        ),
        _round_slip(
            "backward ignores grad_output: straight through it hands on what it was given, not ones.",
            backward=lambda g, x: torch.ones_like(g),
        ),
        _round_slip(
            "Halves are rounded up. torch.round takes the even neighbour: 0.5 to 0, 1.5 to 2, -2.5 to -2.",
            lambda x: (x + 0.5).floor(),
        ),
        _round_slip("That is truncation; torch.round takes the nearest whole number.", torch.trunc),
        _round_slip("That is the floor; torch.round takes the nearest whole number.", torch.floor),
        _round_slip("forward hands the input on without rounding it.", lambda x: x.clone()),
        _reverse_slip(
            "That is the real derivative of the identity: the sign is not turned, and strength is lost.",
            lambda g, x, s: (g.clone(), None),
        ),
        _reverse_slip("strength is lost: the gradient is -strength * grad_output.", lambda g, x, s: (-g, None)),
        _reverse_slip("The sign is lost: the gradient is -strength * grad_output.", lambda g, x, s: (s * g, None)),
        _reverse_slip("strength may be 0: no `or`, no default in its place.", lambda g, x, s: (-(s or 1.0) * g, None)),
        _reverse_slip("strength may be negative: leave it as it comes.", lambda g, x, s: (-abs(s) * g, None)),
        _reverse_slip("You divide by strength; it multiplies.", lambda g, x, s: (-g / s, None)),
        _reverse_slip("The sign of grad_output is lost: it may be negative.", lambda g, x, s: (-s * g.abs(), None)),
        _reverse_slip("backward returns one gradient; strength needs a None.", lambda g, x, s: -s * g),
        _reverse_slip("backward ignores grad_output: return -strength times it.", lambda g, x, s: (torch.full_like(g, -s), None)),
        _reverse_slip(
            "forward multiplies by strength. The value passes as it is; only the gradient is turned.",
            lambda g, x, s: (-s * g, None),
            lambda x, s: s * x,
        ),
        _reverse_slip(
            "forward turns the sign. The value passes as it is; only the gradient is turned.",
            lambda g, x, s: (-s * g, None),
            lambda x, s: -s * x,
        ),
        _reverse_slip(
            "forward turns the sign. The value passes as it is; only the gradient is turned.",
            lambda g, x, s: (-s * g, None),
            lambda x, s: -x,
        ),
        Slip((ROUND_RIGHT, _OnClass), "strength stands on the class, where the next call overwrites it: keep it on ctx."),
    ),
    errors=(
        (
            r"incorrect number of gradients",
            "backward returns one gradient for each argument of forward: with strength that is the gradient and None.",
        ),
        (
            r"different than None at position 2",
            "strength is a number, so backward returns None in its place.",
        ),
        (
            r"does not require grad|None of the outputs",
            "Something is detached or marked non-differentiable: no gradient arrives.",
        ),
        (r"save_for_backward can only save", "strength is a number: keep it on ctx, `ctx.strength = strength`."),
        (
            r"has no attribute 'strength'|name 'strength' is not",
            "Keep the strength of this call on ctx: `ctx.strength = strength`.",
        ),
    ),
    rules=(*map(not_instantiated, (ROUND, REVERSE)), *map(forward_not_called, (ROUND, REVERSE))),
    hints=(
        "What would the real derivative of rounding teach the layers before it? What is wanted in its place?",
        "Straight through: grad_input = grad_output. Reversed: grad_input = -strength · grad_output, and None for strength.",
        "`return grad_output`; and `ctx.strength = strength` in forward, `return -ctx.strength * grad_output, None` in backward.",
    ),
)

EXERCISES = (NOT_A_DERIVATIVE,)
