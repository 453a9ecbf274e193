"""Exercises of chapter 06: the three gradients of a linear layer, any shape, and only what is asked for."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import torch
from torch.nn.functional import linear

from handgrad.audit import layers
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, leaves, oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

NAMES = layers.NAMES
ALL = (True, True, True)


def linear_args(
    draw: Draw, leading: tuple[int, ...], n_in: int, n_out: int, asked: tuple = ALL, dtype: torch.dtype = torch.float64
) -> Args:
    """input, weight and bias, each with a gradient asked for or not."""
    shapes = ((*leading, n_in), (n_out, n_in), (n_out,))
    return tuple(draw.normal(*shape, dtype=dtype).requires_grad_(asks) for shape, asks in zip(shapes, asked, strict=True))


def _samples(draw: Draw) -> list[Args]:
    return [
        linear_args(draw, (2,), 4, 3),
        linear_args(draw, (2,), 4, 3)[:2],
        (*linear_args(draw, (2,), 4, 3)[:2], None),
        linear_args(draw, (1,), 3, 2),
        linear_args(draw, (3,), 4, 2, (False, True, True)),
        linear_args(draw, (3,), 4, 2, (True, False, True)),
        linear_args(draw, (3,), 4, 2, (True, True, False)),
    ]


def _shapes(draw: Draw) -> list[tuple[str, Args]]:
    x, w, b = linear_args(draw, (3,), 4, 2)
    return [
        ("one output", linear_args(draw, (3,), 4, 1)),
        ("one input feature", linear_args(draw, (3,), 1, 2)),
        ("no examples", linear_args(draw, (0,), 4, 2)),
        ("three of each", linear_args(draw, (3,), 3, 3)),
        ("a bias of zeros", (x, w, (0 * b).detach().requires_grad_())),
        ("transposed input and weight", (draw.normal(4, 3).t().requires_grad_(), draw.normal(4, 2).t().requires_grad_(), b)),
        ("every second bias", (x, w, draw.normal(4)[::2].requires_grad_())),
        ("float32", linear_args(draw, (6,), 5, 4, dtype=torch.float32)),
    ]


def _large(draw: Draw) -> list[Args]:
    return [tuple((1000 * a).detach().requires_grad_() for a in linear_args(draw, (2,), 4, 3))]


LINEAR = Subject(names=NAMES, samples=_samples, extremes=_large, shapes=_shapes)


def _flat(t: torch.Tensor) -> torch.Tensor:
    return t.reshape(-1, t.shape[-1])


def _slip(
    text: str,
    grad_input: Callable = lambda g, x, w: g @ w,
    grad_weight: Callable = lambda g, x, w: _flat(g).t() @ _flat(x),
    grad_bias: Callable = lambda g, x, w: _flat(g).sum(0),
) -> Slip:
    """A LinearFunction that is right but for what is given."""

    def backward(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None) -> tuple:
        return grad_input(g, x, w), grad_weight(g, x, w), None if bias is None else grad_bias(g, x, w)

    return Slip(oracle(linear, backward), text)


class _OffByOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        return linear(input, weight, bias)

    @staticmethod
    def backward(ctx, g):
        input, weight, bias = ctx.saved_tensors
        needs_input, needs_weight = ctx.needs_input_grad[1:]
        gradients = g @ weight if needs_input else None, g.t() @ input if needs_weight else None
        return *gradients, None if bias is None else g.sum(0)


LINEAR_SLIPS = (
    *function_slips(linear),
    _slip(
        "The bias gradient is a mean over the batch. backward sums; a mean, if there is one, is already in grad_output.",
        grad_bias=lambda g, x, w: _flat(g).mean(0),
    ),
    _slip(
        "The weight gradient is divided by N. backward sums over the batch; a mean, if there is one, is already in grad_output.",
        grad_weight=lambda g, x, w: _flat(g).t() @ _flat(x) / len(_flat(g)),
    ),
    _slip(
        "All three gradients are divided by N. A mean, if there is one, is already in grad_output.",
        lambda g, x, w: g @ w / len(g),
        lambda g, x, w: g.t() @ x / len(g),
        lambda g, x, w: g.mean(0),
    ),
    _slip(
        "The bias gradient is 0, so the bias never learns: each output holds the bias once, so sum grad_output over the batch.",
        grad_bias=lambda g, x, w: torch.zeros_like(_flat(g)[0]),
    ),
    _slip(
        "The weight gets no gradient: backward returns None for it, or it came in detached (.data, .detach()).",
        grad_weight=lambda g, x, w: None,
    ),
    _slip(
        "The bias gets None as its gradient, so it never learns: it is grad_output summed over the batch.",
        grad_bias=lambda g, x, w: None,
    ),
    _slip("The bias gradient is that of the first example alone: sum over the batch.", grad_bias=lambda g, x, w: _flat(g)[0]),
    _slip(
        "backward ignores grad_output and puts ones in its place: that is right under y.sum() and nowhere else.",
        lambda g, x, w: torch.ones_like(g) @ w,
        lambda g, x, w: torch.ones_like(_flat(g)).t() @ _flat(x),
        lambda g, x, w: torch.ones_like(_flat(g)).sum(0),
    ),
    Slip(
        oracle(linear, lambda g, x, w, *bias: (g @ w, _flat(g).t() @ _flat(x), _flat(g).sum(0))),
        "Without a bias there is nothing to differentiate: the third gradient is None where bias is None.",
    ),
    Slip(
        _OffByOne,
        "needs_input_grad does not count ctx: [0] belongs to input, [1] to weight, [2] to bias.",
    ),
)

LINEAR_ERRORS = (
    (
        r"invalid gradient at index \d - expected device",
        "A tensor is made on the default device: use new_ones, zeros_like or device=input.device.",
    ),
    (
        r"invalid gradient at index (0 - got \[3, 4\]|1 - got \[2, 4\])",
        "The first two gradients are swapped: backward returns them in the order of forward's arguments, input first.",
    ),
    (
        r"invalid gradient at index 1 - got \[4, 3\]",
        "The weight gradient is transposed: weight is (out, in), so it is grad_output.t() @ input.",
    ),
    (
        r"invalid gradient at index 2 - got \[\]",
        "The bias gradient lost its shape (squeeze, or a sum over everything): sum over the batch alone, [1] stays [1].",
    ),
    (
        r"shapes cannot be multiplied \(2x3 and 4x3\)",
        "grad_input is grad_output @ weight, (N, out) times (out, in): weight.t() belongs to forward.",
    ),
    (
        r"shapes cannot be multiplied \(2x4 and 3x4\)",
        "weight is stored as (out, in), like nn.Linear's: forward multiplies by weight.t().",
    ),
    (
        r"cannot access local variable|referenced before assignment",
        "A gradient that nobody asked for is never assigned: begin with grad_input = grad_weight = grad_bias = None.",
    ),
    (
        r"tuple index out of range",
        "needs_input_grad has one entry for each argument handed over, ctx not counted: [0] belongs to input, and without "
        "a bias there may be no [2]. Test `bias is not None` first.",
    ),
    (
        r"forward\(\) (takes|missing)",
        "forward takes ctx, input, weight and bias=None, each tensor by itself: autograd does not look into a list.",
    ),
    (
        r"different than None at position 3",
        "Without a bias there is nothing to differentiate: the third gradient is None where bias is None.",
    ),
)


def _two_layers(*pairs: tuple[tuple, tuple]) -> Probe:
    """Two calls that differ in what they are given or asked, each with its own backward."""

    def probe(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
        for pair in pairs:
            calls = [leaves(linear_args(draw, (2,), 4, 3, (*asked, False)[:3])[: len(asked)]) for asked in pair]
            outputs = [answer.apply(*args) for args in calls]
            for which, args, output in zip(("first", "second"), calls, outputs, strict=True):
                output.backward(draw.normal(*output.shape))
                seen = {f"gradient of {name}": plain(a.grad) for name, a in zip(NAMES, args, strict=False)}
                asked = [name for name, a in zip(NAMES, args, strict=False) if a.requires_grad]
                given = f"{'with' if len(args) == 3 else 'without'} a bias, asked for {', '.join(asked)}"
                yield {"given": f"f(…) called twice, then the backward of the {which}, {given}", "seen": seen}

    return Probe("two layers", probe, "A second layer changes what the first keeps: keep it on ctx, not on the class.")


def _in_bfloat16(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """A float32 constant shows here alone: float64 takes it up, and float32 is one itself."""
    for bias in (True, False):
        args = linear_args(draw, (2,), 4, 3, dtype=torch.bfloat16)[: 3 if bias else 2]
        given = f"input of shape (2, 4), {'with' if bias else 'without'} a bias, all in bfloat16"
        yield {"given": given, "seen": {"output": described(answer.apply(*leaves(args)))}}


LINEAR_GRADIENTS = Exercise(
    name="linear_gradients",
    chapter="06_linear",
    probes=(
        *function_probes(
            LINEAR, "forward", "returned", "upstream", "gradcheck", "upstream untouched", "calls apart", "stale", "shapes",
            "linear", "device", "returned shape", "second order", "saved",
            advice=("returned shape", "second order", "saved"),
        ),
        _two_layers(((True, True, True), (True, True)), ((True, True), (True, True, True))),
    ),
    reference=oracle(linear),
    slips=LINEAR_SLIPS,
    errors=LINEAR_ERRORS,
    rules=(not_instantiated("LinearFunction"), forward_not_called("LinearFunction")),
    given=("forward",),
    hints=(
        "Each gradient has the shape of its argument. Which products of grad_output (N, out) give (N, in) and (out, in)?",
        "grad_input = grad_output · weight, grad_weight = grad_outputᵀ · input, grad_bias = grad_output summed over the batch.",
        "`grad_output @ weight`, `grad_output.t() @ input`, `grad_output.sum(0) if bias is not None else None`.",
    ),
)  # fmt: skip

ANY_SHAPE = Subject(
    names=NAMES,
    samples=lambda draw: [
        linear_args(draw, (2, 2), 3, 2),
        linear_args(draw, (2,), 4, 3),
        linear_args(draw, (), 4, 3),
        (*linear_args(draw, (2, 2), 3, 2)[:2], None),
        linear_args(draw, (2, 1, 2), 3, 2, (False, True, True)),
    ],
    shapes=lambda draw: [
        ("one output", linear_args(draw, (2, 5), 4, 1)),
        ("one output, one example", linear_args(draw, (), 4, 1)),
        ("one example", linear_args(draw, (1, 1), 3, 2)),
        ("no examples", linear_args(draw, (0,), 4, 3)),
        ("no examples in two dimensions", linear_args(draw, (2, 0), 4, 3)),
        ("transposed", (draw.normal(4, 2, 3).transpose(0, 2).requires_grad_(), *linear_args(draw, (), 4, 2)[1:])),
        ("float32", linear_args(draw, (2, 5), 4, 3, dtype=torch.float32)),
    ],
)

LINEAR_ANY_SHAPE = Exercise(
    name="linear_any_shape",
    chapter="06_linear",
    probes=(
        *function_probes(
            ANY_SHAPE, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "calls apart",
            "second order", "shapes", "linear", "device",
            advice=("second order",),
        ),
        _two_layers((ALL, (True, True)), ((True, True), ALL)),
        Probe("bfloat16", _in_bfloat16, "The output has the dtype of input: a tensor made without one is float32."),
    ),
    reference=oracle(linear),
    slips=(
        *LINEAR_SLIPS,
        _slip(
            "The bias gradient is grad_output as it is: sum over all leading dimensions, and leave nothing to the engine.",
            grad_bias=lambda g, x, w: g,
        ),
        _slip(
            "The bias gradient is summed over the first dimension alone: all leading dimensions are examples.",
            grad_bias=lambda g, x, w: g.sum(0) if g.dim() > 1 else g,
        ),
        _slip(
            "The bias gradient keeps dimensions of size 1: its shape is (out,), so sum without keepdim.",
            grad_bias=lambda g, x, w: _flat(g).sum(0, keepdim=True),
        ),
    ),
    errors=(
        (
            r"invalid gradient at index 2 - got \[\]",
            "The bias gradient lost its shape (squeeze, or a sum over everything): sum over the leading dimensions alone.",
        ),
        (
            r"must be a matrix|mat1 must|2D|t\(\) expects",
            "mm and t() take matrices only: matmul (@) takes any leading dimensions; flatten them for the weight gradient.",
        ),
        (r"Dimension out of range", "One example alone has no leading dimension: reshape(-1, features) makes one."),
        (r"cannot reshape tensor of 0 elements", "With no elements reshape cannot guess: give the last size, x.shape[-1]."),
        *LINEAR_ERRORS,
    ),
    rules=(not_instantiated("AnyShapeLinear"), forward_not_called("AnyShapeLinear")),
    hints=(
        "What do the leading dimensions mean to the weights? Does it matter how the examples are arranged?",
        "Flatten all leading dimensions into one N, and the three formulas hold; grad_input keeps input's arrangement.",
        "`flat = grad_output.reshape(-1, grad_output.shape[-1])`, the same for input; then `flat.t() @ …` and `flat.sum(0)`.",
    ),
)  # fmt: skip


def _combinations(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """Called by itself, the node returns a tensor for what is asked for, and None for what is not."""
    for asked in product((True, False), repeat=3):
        args = linear_args(draw, (2,), 4, 3, asked, torch.float32)  # the engine casts, so float64 would hide a wrong dtype
        yield from _raw(answer, args, draw)
        if not asked[2]:
            yield from _raw(answer, (*args[:2], None), draw)


def _raw(answer: type[torch.autograd.Function], args: Args, draw: Draw) -> Iterator[Case]:
    wanted = [name for name, a in zip(NAMES, args, strict=True) if a is not None and a.requires_grad]
    given = f"asked for: {', '.join(wanted) or 'nothing'}{'' if args[2] is not None else '; bias is None'}"
    output = answer.apply(*leaves(args))
    if output.grad_fn is None:
        yield {"given": given, "seen": {"output requires grad": output.requires_grad}}
        return
    grads = output.grad_fn.apply(draw.normal(*output.shape, dtype=output.dtype))
    grads = (*(grads if isinstance(grads, tuple) else (grads,)), None, None, None)
    yield {"given": given, "seen": {f"gradient of {name}": described(g) for name, g in zip(NAMES, grads, strict=False)}}


EVERY_COMBINATION = replace(
    LINEAR,
    samples=lambda draw: [
        *(linear_args(draw, (2,), 4, 3, asked) for asked in product((True, False), repeat=3) if any(asked)),
        (*linear_args(draw, (2,), 4, 3)[:2], None),
        linear_args(draw, (2,), 4, 3)[:2],
        linear_args(draw, (2,), 4, 3),
    ],
)

NOT_ASKED = "Nobody asked for this gradient: leave it None, and look at ctx.needs_input_grad before you compute it."

NEEDS_INPUT_GRAD = Exercise(
    name="needs_input_grad",
    chapter="06_linear",
    probes=(
        *function_probes(EVERY_COMBINATION, "form", "forward")[1:],
        Probe("asked for", _combinations, NOT_ASKED),
        *function_probes(EVERY_COMBINATION, "upstream", "work", "calls apart", "stale", "shapes", "device")[1:],
        _two_layers((ALL, (False, True, False)), ((True, False, True), (False, True, True)), ((False, True), ALL)),
    ),
    reference=oracle(linear),
    slips=(_slip(NOT_ASKED), *LINEAR_SLIPS),
    errors=LINEAR_ERRORS,
    rules=(not_instantiated("FrugalLinear"), forward_not_called("FrugalLinear")),
    given=("forward",),
    hints=(
        "ctx.needs_input_grad is a tuple of bools. Which of its places belongs to which argument?",
        "A product is computed only under its own `if`; what no `if` sets stays None.",
        "`grad_input = grad_weight = grad_bias = None`, then `if ctx.needs_input_grad[0]: grad_input = …`, and so on.",
    ),
)  # fmt: skip


EXERCISES = (LINEAR_GRADIENTS, LINEAR_ANY_SHAPE, NEEDS_INPUT_GRAD)
