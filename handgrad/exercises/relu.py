"""Exercises of chapter 03: MyReLU, its value at 0, in-place damage, memory, and a slope."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain, unwrapped
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips


def _samples(draw: Draw) -> list[Args]:
    near = [3e-4, -3e-4, 2e-5, -2e-5]
    inputs = [tensor([-1.0, 1.0, 2.0]), draw.normal(3, 4), tensor(near), tensor([0.5, 2.0])]
    return [(x.requires_grad_(),) for x in inputs]


def _extremes(draw: Draw) -> list[Args]:
    inputs = [tensor([1e-12, -1e-12, 1e-30, -1e-30]), tensor([7.0, -7.0, 150.0, -150.0]), tensor([1e8, -1e8])]
    return [(x.requires_grad_(),) for x in inputs]


def _shapes(draw: Draw) -> list[tuple[str, Args]]:
    inputs = {
        "no elements": tensor([]),
        "one number": tensor(-1.5),
        "one row": draw.normal(1, 3),
        "three dimensions": draw.normal(2, 3, 2),
        "transposed": draw.normal(3, 2).t(),
        "every second column": draw.normal(3, 4)[:, ::2],
        "float32": draw.normal(4, 6, dtype=torch.float32),
    }
    return [(label, (x.requires_grad_(),)) for label, x in inputs.items()]


RELU = Subject(
    names=("input",),
    samples=_samples,
    extremes=_extremes,
    shapes=_shapes,
    kinks=lambda draw: [(tensor([0.0]).requires_grad_(),)],
)

_MASK_SLIPS = (
    Slip(oracle(torch.relu, lambda g, x: g), "backward lets everything through: where is the mask? ReLU is shut for negatives."),
    Slip(
        oracle(torch.relu, lambda g, x: (x > 0).to(x.dtype)),
        "backward ignores grad_output. It returns dy/dx, but the chain rule wants grad_output times that.",
    ),
    Slip(
        oracle(torch.relu, lambda g, x: g.abs() * (x > 0)),
        "The sign of grad_output is lost: an upstream gradient may be negative.",
    ),
    Slip(
        oracle(torch.relu, lambda g, x: g * x.clamp(min=0)),
        "You multiply by the value of ReLU; the chain rule wants its slope, which is 0 or 1.",
    ),
    Slip(oracle(torch.relu, lambda g, x: x > 0), "You return the mask itself; the gradient is grad_output times the mask."),
    Slip(oracle(torch.relu, lambda g, x: g * (x < 0)), "The mask is the wrong way round: positive inputs let the gradient pass."),
    Slip(oracle(torch.relu, lambda g, x: g * 0), "Every gradient is 0: the mask shuts positive inputs too."),
)


def _slope_is_leaky(factor: float) -> Slip:
    wrong = oracle(torch.relu, lambda g, x: torch.where(x > 0, g, factor * g))
    return Slip(wrong, f"Where the input is negative the slope is exactly 0, and yours is {factor}: that is a leaky ReLU.")


MY_RELU = Exercise(
    name="my_relu",
    chapter="03_relu",
    probes=function_probes(
        RELU, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "kink",
        "second order", "stale", "saved", "shapes", "linear", "calls apart", "device",
        advice=("saved",),
    ),
    reference=oracle(torch.relu),
    slips=(
        *function_slips(torch.relu),
        *_MASK_SLIPS,
        _slope_is_leaky(0.1),
        _slope_is_leaky(0.01),
        Slip(
            oracle(torch.relu, lambda g, x: g * (x > 1e-3)),
            "Small positive inputs are shut out: the threshold is 0, not a small number.",
        ),
        Slip(
            oracle(torch.relu, lambda g, x: (g * (x > 0)).sum()),
            "You sum the gradient into one number: each element of the input keeps its own.",
        ),
    ),
    rules=(not_instantiated("MyReLU"), forward_not_called("MyReLU")),
    hints=(
        "Which inputs can change the output at all? For the others, what can a gradient do?",
        "dy/dx is 1 where the input is positive and 0 where it is negative; backward returns grad_output times that.",
        "Save the input with ctx.save_for_backward(input); then `input, = ctx.saved_tensors` and "
        "`return grad_output * (input > 0)`.",
    ),
)  # fmt: skip

SPELLINGS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "torch.relu(x)": torch.relu,
    "x.clamp(min=0)": lambda x: x.clamp(min=0),
    "torch.maximum(x, zero)": lambda x: torch.maximum(x, torch.zeros_like(x)),
    "torch.where(x > 0, x, 0)": lambda x: torch.where(x > 0, x, 0),
    "x * (x > 0)": lambda x: x * (x > 0),
    "(x + x.abs()) / 2": lambda x: (x + x.abs()) / 2,
    "MyReLU.apply(x)": oracle(torch.relu, lambda g, x: torch.where(x < 0, 0, g)).apply,
}


def slopes_at_zero() -> dict[str, float]:
    """The slope that torch gives each spelling of ReLU at exactly 0, read off in a run."""
    slopes = {}
    for spelling, fn in SPELLINGS.items():
        x = tensor(0.0).requires_grad_()
        fn(x).backward()
        slopes[spelling] = x.grad.item()
    return slopes


def _predictions(answer: object, draw: Draw) -> Iterator[Case]:
    given = answer[0]()
    for spelling in SPELLINGS:
        slope = unwrapped(given.get(spelling) if isinstance(given, dict) else given)
        slope = float(slope) if isinstance(slope, int) and not isinstance(slope, bool) else slope
        yield {"given": "x = 0.", "seen": {f"slope of {spelling}": plain(slope)}}


def _five_hundred_losses(answer: object, draw: Draw) -> Iterator[Case]:
    """Whole numbers hit 0 exactly and often; the losses of 500 steps equal those of torch.relu bit for bit."""
    x, y = draw.normal(16, 12).round(), draw.normal(16, 3)
    start = [draw.normal(12, 8).round(), draw.normal(8, 3)]

    def losses(relu: Callable) -> list[float]:
        w1, w2 = (w.clone().requires_grad_() for w in start)
        found = []
        for _ in range(500):
            loss = (relu(x.mm(w1)).mm(w2) - y).pow(2).sum()
            found.append(loss.item())
            grads = torch.autograd.grad(loss, [w1, w2])
            with torch.no_grad():
                for w, g in zip((w1, w2), grads, strict=True):
                    w -= 1e-4 * g
        return found

    pairs = zip(losses(torch.relu), losses(answer[1].apply), strict=True)
    yield {
        "given": "a network of 12 → 8 → 3 units whose first pre-activations are whole numbers",
        "seen": {"losses of 500 steps that differ from those of torch.relu": sum(a != b for a, b in pairs)},
    }


def _of_the_class(probe: Probe) -> Probe:
    """The same probe for the second part of a pair."""
    return replace(probe, observe=lambda answer, draw: probe.observe(answer[1], draw))


VALUE_AT_ZERO = Exercise(
    name="value_at_zero",
    chapter="03_relu",
    probes=(
        Probe(
            "predictions", _predictions, "Run it: x = torch.tensor(0., requires_grad=True), backward, x.grad.",
        ),
        *map(
            _of_the_class,
            function_probes(
                replace(RELU, at_kink=(0.0, 0.0)),
                "forward", "returned", "upstream", "kink", "upstream untouched", "shapes", "calls apart",
            ),
        ),
        Probe("losses", _five_hundred_losses, "One exact zero is enough for two trainings to part: the slope there must be 0."),
    ),
    reference=(slopes_at_zero, oracle(torch.relu)),
    slips=(
        Slip(
            (slopes_at_zero, oracle(torch.relu, lambda g, x: torch.where(x < 0, 0, g))),
            "`input < 0` leaves 0 itself open, so the slope there is 1. torch.relu shuts it.",
        ),
        Slip(
            (slopes_at_zero, oracle(torch.relu, lambda g, x: g * (1 + x.sign()) / 2)),
            "One half is a subgradient too, but torch.relu has chosen 0.",
        ),
        *(Slip((slopes_at_zero, slip.answer), slip.text) for slip in _MASK_SLIPS),
    ),
    hints=(
        "Which side of the kink does each spelling count 0 to? Which of them mix both sides?",
        "torch.relu shuts the gate at 0, so its slope there is 0; a maximum with ties shares the gradient out.",
        "`grad_output * (input > 0)` is shut at 0; `input < 0` or `input >= 0` is open.",
    ),
)  # fmt: skip

IN_PLACE_DAMAGE = Exercise(
    name="in_place_damage",
    chapter="03_relu",
    probes=function_probes(
        RELU, "forward", "returned", "returned shape", "upstream", "upstream untouched", "gradcheck", "shapes", "linear",
    ),
    reference=oracle(torch.relu),
    slips=_MASK_SLIPS,
    hints=(
        "Who else holds the tensor that backward was given?",
        "grad_output is shared: y = relu(h) + h hands one tensor to both branches, sum() hands out one number expanded.",
        "Make a new tensor: grad_output.clone() before you write, or masked_fill (without the underscore), or a product.",
    ),
)  # fmt: skip


class _LeanReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        open_gate = input > 0
        ctx.save_for_backward(open_gate)
        return input * open_gate

    @staticmethod
    def backward(ctx, grad_output):
        (open_gate,) = ctx.saved_tensors
        return grad_output * open_gate


QUARTER_MEMORY = Exercise(
    name="quarter_memory",
    chapter="03_relu",
    probes=function_probes(
        RELU, "forward", "returned", "returned shape", "upstream", "saved", "saved bytes", "stale",
        "upstream untouched", "gradcheck", "shapes",
    ),
    reference=_LeanReLU,
    slips=_MASK_SLIPS,
    hints=(
        "What does backward want to know of each element? How many bits is that?",
        "A float32 takes 4 bytes, a bool 1: the mask `input > 0` is a quarter of the input.",
        "`ctx.save_for_backward(input > 0)`, and save nothing else.",
    ),
)  # fmt: skip


def _leaky(input: torch.Tensor, slope: float) -> torch.Tensor:
    return torch.where(input > 0, input, slope * input)


def _with_slopes(inputs: list[Args], slopes: list[float]) -> list[Args]:
    return [(*args, slopes[i % len(slopes)]) for i, args in enumerate(inputs)]


LEAKY = Subject(
    names=("input", "slope"),
    samples=lambda draw: [
        *_with_slopes(_samples(draw), [0.1, 0.3, 0.02, 0.5]),
        *_with_slopes([(draw.normal(4).requires_grad_(),) for _ in range(3)], [0.0, 1.5, -0.2]),
    ],
    extremes=lambda draw: _with_slopes(_extremes(draw), [0.1]),
    shapes=lambda draw: [(label, (*args, 0.25)) for label, args in _shapes(draw)],
    kinks=lambda draw: [(tensor([0.0]).requires_grad_(), 0.1)],
    at_kink=(0.1, 1.0),
)

LEAKY_RELU = Exercise(
    name="leaky_relu",
    chapter="03_relu",
    probes=function_probes(
        LEAKY, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "kink",
        "second order", "stale", "saved", "shapes", "linear", "calls apart", "device",
        advice=("saved",),
    ),
    reference=oracle(_leaky),
    slips=(
        *function_slips(_leaky),
        Slip(
            oracle(_leaky, lambda g, x, s: (g, None)),
            "backward lets everything through: negatives pass slope times the gradient.",
        ),
        Slip(oracle(_leaky, lambda g, x, s: (g * (x > 0), None)), "Negatives do not get 0 here but slope times the gradient."),
        Slip(
            oracle(_leaky, lambda g, x, s: (torch.where(x > 0, 1.0, s).to(x.dtype), None)),
            "backward ignores grad_output: it returns the local slope alone.",
        ),
        Slip(
            oracle(lambda x, s: torch.maximum(x, s * x), lambda g, x, s: (torch.where(x > 0, g, s * g), None)),
            "max(input, slope * input) is the formula for slopes up to 1 alone: ask for the sign of input.",
        ),
        Slip(
            oracle(_leaky, lambda g, x, s: (torch.where(torch.where(x > 0, x, s * x) > 0, g, s * g), None)),
            "The mask is taken from the output, whose sign is that of the input only for slopes above 0: save the input.",
        ),
        Slip(
            oracle(_leaky, lambda g, x, s: (torch.where(x > 0, g, s * x * g), None)),
            "You multiply by slope times the input, which is the value; the derivative is slope alone.",
        ),
    ),
    errors=(
        (r"incorrect number of gradients", "forward has two arguments, so backward returns two: the gradient and None."),
        (r"save_for_backward can only save", "slope is a number: keep it on ctx, `ctx.slope = slope`."),
        (r"has no attribute 'slope'|name 'slope' is not", "Keep the slope of this call on ctx: `ctx.slope = slope`."),
    ),
    rules=(not_instantiated("LeakyReLU"), forward_not_called("LeakyReLU")),
    hints=(
        "slope is a number, not a tensor. Where can a number wait for backward, one for each call?",
        "dy/dx is 1 where the input is positive and slope where it is negative; slope itself gets None.",
        "`ctx.slope = slope` in forward; `return torch.where(input > 0, grad_output, ctx.slope * grad_output), None`.",
    ),
)  # fmt: skip

EXERCISES = (MY_RELU, VALUE_AT_ZERO, IN_PLACE_DAMAGE, QUARTER_MEMORY, LEAKY_RELU)
