"""The exercise `log1p_exp` of chapter 12: log(1 + exp(x)) with all its digits, and its derivative, wherever x lies."""

from collections.abc import Callable, Iterator

import torch
from torch.nn.functional import logsigmoid

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, oracle, words
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

NAMES = ("input",)


def _log1p_exp(x: torch.Tensor) -> torch.Tensor:
    return -logsigmoid(-x)  # torch computes both ends of it, and of its derivative, with all digits


def _samples(draw: Draw) -> list[Args]:
    inputs = [tensor([-1.0, 0.5, 2.0]), draw.normal(3, 4, scale=1.5), tensor([-5.0, -3.0, 3.5, 4.5])]
    return [(x.requires_grad_(),) for x in inputs]


def _extremes(draw: Draw) -> list[Args]:
    inputs = [tensor([1000.0, -1000.0]), tensor([30.0, 40.0, 700.0, 710.0]), tensor([0.0, 0.3])]
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
        "large, in float32": tensor([100.0, 1000.0, -100.0, -1000.0, 17.5, 89.0], torch.float32),
    }
    return [(label, (x.requires_grad_(),)) for label, x in inputs.items()]


LOG1P_EXP_SUBJECT = Subject(names=NAMES, samples=_samples, extremes=_extremes, shapes=_shapes)


def _digits(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """What is left of value and slope where the rest is 0 or a straight line: its ratio to what it should be.

    Far left both are about exp(x), tiny, and its digits count. Right of 0 the value lies above x, and the slope below 1, by
    about exp(-x); from 20 on, as in torch, nobody asks for it.
    """
    left = ((torch.float64, 1e-11, [-20.0, -36.5, -100.0, -300.0]), (torch.float32, 2e-5, [-10.0, -17.0, -30.0, -60.0]))
    for dtype, tolerance, points in (*left, (torch.float64, 1e-5, [5.5, 9.0, 12.0, 16.0])):
        for point in points:
            x = tensor([point], dtype).requires_grad_()
            output = answer.apply(x)
            (slope,) = torch.autograd.grad(output, x, torch.ones_like(output))
            value, slope, line = output.detach().double(), slope.double(), tensor([max(point, 0.0)])
            rest = tensor([-abs(point)]).exp()
            if point > 0:
                slope = 1 - slope
            names = ("output - input", "1 - slope") if point > 0 else ("output", "slope")
            seen = {
                f"{names[0]}, divided by log1p(exp({-abs(point):g}))": plain(((value - line) / rest.log1p()).item()),
                f"{names[1]}, divided by sigmoid({-abs(point):g})": plain((slope / rest.div(1 + rest)).item()),
            }
            given = f"{words(NAMES, (x,))}, {'float64' if dtype == torch.float64 else 'float32'}"
            yield {"given": given, "seen": seen, "tolerance": [tolerance, 0]}


class _SavedSlope(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input.sigmoid())
        return _log1p_exp(input)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


def _by_autograd(fn: Callable) -> Callable:
    """The backward that torch derives from `fn`, whatever forward computes."""

    def backward(g: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            return torch.autograd.grad(fn(x), x, g)[0]

    return backward


_OVERFLOW = (
    "exp(input) overflows (in float64 above 709): take the larger of input and 0 out, max(input, 0) + log1p(exp(-|input|))."
)
_CANCELS = (
    "1 + exp(input) rounds to 1 far left, and the digits of exp(input) are gone before the logarithm sees them: "
    "torch.log1p(z) is log(1 + z) without the sum."
)
_BENT = (
    "The clamp bends it: beyond its bound the value stands still (or the slope does), where log(1 + exp(x)) goes on as x itself."
)
_EARLY = "You take log(1 + exp(x)) for x too early: at 16 they still differ by 1e-7. Below 20 the rest, log1p(exp(-x)), counts."
_NOUGHT = (
    "The slope is 0 beyond a bound: that is the derivative of the clamp. log(1 + exp(x)) goes on there, with slope 1 or exp(x)."
)
_MASKED = (
    "torch.where computes both branches, and autograd both slopes: where exp(x) is infinite in the branch that is masked, "
    "0 * inf is NaN. Write the slope itself, sigmoid(input)."
)
_KINKS = (
    "At 0 the slope is 1/2. max(x, 0) and |x| have two kinks that cancel in the sum, and autograd takes a slope for each by "
    "itself: write the slope yourself, sigmoid(input)."
)

_BOUNDS = (10, 20, 30, 50, 80, 88, 100, 700, 709)
_LOSES_DIGITS = (
    *((_CANCELS, fn) for fn in (
        lambda x: torch.where(x > 20, x, torch.log(1 + x.exp())),
        lambda x: x.clamp(min=0) + torch.log(1 + (-x.abs()).exp()),
    )),
    *((_OVERFLOW, fn) for fn in (lambda x: torch.log(1 + x.exp()), lambda x: x.exp().log1p())),
    *((_BENT, lambda x, most=most: x.clamp(max=most).exp().log1p()) for most in _BOUNDS),
    *((_BENT, lambda x, most=most: x.clamp(-most, most).exp().log1p()) for most in _BOUNDS),
    *((_EARLY, lambda x, most=most: torch.where(x > most, x, x.exp().log1p())) for most in (5, 8, 10, 15)),
)  # fmt: skip
_WRONG_SLOPES = (
    *((_BENT, lambda g, x, most=most: g * x.clamp(-most, most).sigmoid()) for most in _BOUNDS),
    *((_NOUGHT, lambda g, x, most=most: g * x.sigmoid() * (x < most)) for most in _BOUNDS),
    *((_MASKED, _by_autograd(lambda x, most=most: torch.where(x > most, x, x.exp().log1p()))) for most in _BOUNDS),
    *(
        (_KINKS, _by_autograd(lambda x, part=part: part(x) + (-x.abs()).exp().log1p()))
        for part in (torch.relu, lambda x: x.clamp(min=0))
    ),
    (
        "For large inputs the slope is exp(x) / (1 + exp(x)) = inf / inf, which is NaN: torch.sigmoid has it without overflow.",
        lambda g, x: g * x.exp() / (1 + x.exp()),
    ),
    (
        "1 - 1 / (1 + exp(x)) subtracts two numbers that are almost equal far left: torch.sigmoid(input) has all digits.",
        lambda g, x: g * (1 - 1 / (1 + x.exp())),
    ),
    (
        "1 - exp(-y) and 1 - sigmoid(-x) subtract two numbers that are almost equal far left: -torch.expm1(-output), or "
        "torch.sigmoid(input), has all digits.",
        lambda g, x: g * (1 - (-_log1p_exp(x)).exp()),
    ),
    (
        "That is the derivative of log alone, 1 / (1 + exp(x)): the inner derivative, exp(x), is missing.",
        lambda g, x: g * (-x).sigmoid(),
    ),
    (
        "backward ignores grad_output. It returns dy/dx, but the chain rule wants grad_output times that.",
        lambda g, x: x.sigmoid(),
    ),
    (
        "You take the sigmoid of the output. Of the input it is sigmoid(input), of the output 1 - exp(-output).",
        lambda g, x: g * _log1p_exp(x).sigmoid(),
    ),
    ("That is ReLU's slope, a step; this function turns smoothly.", lambda g, x: g * (x > 0)),
    (
        "You multiply by s(1 - s), the derivative of the sigmoid; here the slope is s itself.",
        lambda g, x: g * x.sigmoid() * (-x).sigmoid(),
    ),
)

LOG1P_EXP = Exercise(
    name="log1p_exp",
    chapter="12_when",
    probes=(
        *function_probes(LOG1P_EXP_SUBJECT, "forward", "returned", "returned shape"),
        Probe(
            "digits",
            _digits,
            "What is compared is the ratio to the true number, which far left is about exp(input): tiny, and not 0. "
            "Value or slope is wrong, or what is left of it was lost in a sum with something large.",
        ),
        *function_probes(
            LOG1P_EXP_SUBJECT, "upstream", "gradcheck", "upstream untouched", "second order", "stale", "saved", "shapes",
            "calls apart", "device",
        )[1:],
        *audit_probes(lambda draw: (draw.normal(5, scale=3.0).requires_grad_(),), NAMES, "linear", reference=_log1p_exp),
    ),
    reference=oracle(_log1p_exp),
    slips=(
        *function_slips(_log1p_exp),
        *(Slip(oracle(fn, lambda g, x: g * x.sigmoid()), text) for text, fn in _LOSES_DIGITS),
        *(Slip(oracle(_log1p_exp, backward), text) for text, backward in _WRONG_SLOPES),
        Slip(
            _SavedSlope,
            "The slope that you saved is an intermediate result, a constant to a second backward. Save the input or the output, "
            "or declare once_differentiable.",
        ),
    ),
    rules=(not_instantiated("Log1pExp"), forward_not_called("Log1pExp")),
    hints=(
        "What is log(1 + exp(1000)), but for what no float can hold? And exp(-1000), has it digits to lose?",
        "max(x, 0) + log1p(exp(-|x|)) never overflows; the slope is the logistic function 1 / (1 + exp(-x)), or 1 - exp(-y).",
        "`input.clamp(min=0) + torch.log1p(torch.exp(-input.abs()))`; then `return grad_output * torch.sigmoid(input)`.",
    ),
)  # fmt: skip

EXERCISES = (LOG1P_EXP,)
