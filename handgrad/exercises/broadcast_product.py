"""The exercise `broadcast_product` of chapter 06: what broadcasting repeated is summed on the way back."""

from collections.abc import Callable, Iterator

import torch
from torch import Size, Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, leaves, oracle
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

NAMES = ("x", "y")
Shape = tuple[int, ...]
Reduce = Callable[[Tensor, Size], Tensor]


def _args(
    draw: Draw,
    x: Shape,
    y: Shape,
    asked: tuple[bool, bool] = (True, True),
    dtype: torch.dtype = torch.float64,
    scale: float = 1.0,
) -> Args:
    return tuple(draw.normal(*s, dtype=dtype, scale=scale).requires_grad_(a) for s, a in zip((x, y), asked, strict=True))


PRODUCT = Subject(
    names=NAMES,
    samples=lambda draw: [
        _args(draw, (2, 1), (3,)),
        _args(draw, (2, 3), (3,)),
        _args(draw, (3,), (2, 3)),
        _args(draw, (3,), (2, 1)),
        _args(draw, (2, 3), (2, 3)),
        _args(draw, (1, 3), (2, 1)),
        _args(draw, (2, 1, 2), (3, 1)),
        _args(draw, (2, 1), (2, 1, 3)),
        _args(draw, (2, 2), (2,)),  # where sizes agree, the wrong axis has the right shape
        _args(draw, (2, 1), (2, 2)),
        _args(draw, (), (2, 2)),
        _args(draw, (1,), (2, 3)),
        _args(draw, (1, 1), (1,)),
        _args(draw, (2, 3), (3,), (True, False)),
        _args(draw, (2, 3), (3,), (False, True)),
        (tensor([[0.0], [2.0]]).requires_grad_(), tensor([1.0, 0.0, -3.0]).requires_grad_()),
    ],
    extremes=lambda draw: [_args(draw, (2, 1), (3,), scale=1000.0)],
    shapes=lambda draw: [
        ("two numbers", _args(draw, (), ())),
        ("a number in front", _args(draw, (2,), ())),
        ("no elements", _args(draw, (0, 3), (3,))),
        ("no columns", _args(draw, (2, 1), (0,))),
        ("four dimensions", _args(draw, (2, 1, 3, 1), (2, 1, 2))),
        ("three alike", _args(draw, (3, 3), (3, 1))),
        ("five dimensions", _args(draw, (1, 2, 1, 2, 1), (2, 1, 3))),
        ("transposed", (draw.normal(3, 2).t().requires_grad_(), draw.normal(1, 2).t().requires_grad_())),
        ("every second column", (draw.normal(2, 6)[:, ::2].requires_grad_(), draw.normal(6)[::2].requires_grad_())),
        ("float32", _args(draw, (4, 1), (3, 1, 5), dtype=torch.float32)),
    ],
)


def _apart(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """Two calls of different shapes, then the backward of the first: shapes kept on the class are those of the second."""
    for pair in (((2, 1), (3,)), ((2, 3), (3,))), (((3,), (2, 3)), ((2, 2), (1, 2))):
        calls = [leaves(_args(draw, *shapes)) for shapes in pair]
        outputs = [answer.apply(*args) for args in calls]
        outputs[0].backward(draw.normal(*outputs[0].shape))
        first, second = (" and ".join(map(str, shapes)) for shapes in pair)
        seen = {f"gradient of {name}": plain(a.grad) for name, a in zip(NAMES, calls[0], strict=True)}
        yield {"given": f"f called for shapes {first}, then for {second}; the backward of the first", "seen": seen}


def _spread(shape: Size, dim: int, keep_ones: bool = True) -> list[int]:
    """The dimensions of an output of `dim` dimensions along which `shape` was repeated, those of size 1 left alone if told."""
    front = dim - len(shape)
    return [*range(front), *(front + i for i, size in enumerate(shape) if size == 1 and keep_ones)]


def _front_only(grad: Tensor, shape: Size) -> Tensor:
    axes = _spread(shape, grad.dim(), keep_ones=False)
    return grad.sum(axes) if axes else grad


def _ones_only(grad: Tensor, shape: Size) -> Tensor:
    axes = [axis for axis in _spread(shape, grad.dim()) if axis >= grad.dim() - len(shape)]
    return grad.sum(axes, keepdim=True) if axes else grad


def _dropped(grad: Tensor, shape: Size) -> Tensor:
    axes = _spread(shape, grad.dim())
    return grad.sum(axes) if axes else grad


def _kept(grad: Tensor, shape: Size) -> Tensor:
    axes = _spread(shape, grad.dim())
    return grad.sum(axes, keepdim=True) if axes else grad


def _from_left(grad: Tensor, shape: Size) -> Tensor:
    longer = (*shape, *[1] * (grad.dim() - len(shape)))
    axes = [i for i, (mine, whole) in enumerate(zip(longer, grad.shape, strict=True)) if mine == 1 != whole]
    summed = grad.sum(axes, keepdim=True) if axes else grad
    return summed.reshape(shape) if summed.numel() == shape.numel() else summed


def _mean(grad: Tensor, shape: Size) -> Tensor:
    return grad.sum_to_size(shape) * (shape.numel() / max(grad.numel(), 1))


def _first_copy(grad: Tensor, shape: Size) -> Tensor:
    """The gradient of the first copy alone."""
    axes = _spread(shape, grad.dim())
    for axis in axes:
        grad = grad.narrow(axis, 0, min(1, grad.shape[axis]))
    return grad.reshape(shape) if grad.numel() == shape.numel() else grad.sum_to_size(shape)


def _whole_or_all(grad: Tensor, shape: Size) -> Tensor:
    return grad if grad.shape == shape else grad.sum().expand(shape)


def _empty_list(grad: Tensor, shape: Size) -> Tensor:
    return grad.sum_to_size(shape) if grad.shape != shape else grad.sum()


def _slip(text: str, reduce: Reduce = lambda grad, shape: grad.sum_to_size(shape), parts: Callable | None = None) -> Slip:
    """A Product that sums by `reduce`, or whose gradients before the sums are `parts(upstream, x, y)`."""

    def backward(g: Tensor, x: Tensor, y: Tensor) -> tuple:
        for_x, for_y = parts(g, x, y) if parts else (g * y, g * x)
        return reduce(for_x, x.shape), reduce(for_y, y.shape)

    return Slip(oracle(torch.mul, backward), text)


def _sums_first(g: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return g.sum_to_size(x.shape) * y.expand_as(g).sum_to_size(x.shape), g.sum_to_size(y.shape) * x.expand_as(g).sum_to_size(
        y.shape
    )


SUMMED_FIRST = (
    "grad_output is summed before it is multiplied: each copy has its own part, grad_output times the other factor. Multiply "
    "first, then sum."
)

ON_THE_CLASS = "Keep what a call needs on ctx, its shapes too: on the class the next call overwrites it."

BROADCAST_PRODUCT = Exercise(
    name="broadcast_product",
    chapter="06_linear",
    probes=(
        *function_probes(
            PRODUCT, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "calls apart",
            "stale", "shapes", "linear", "second order", "device", "saved",
            advice=("saved",),
        ),
        Probe("two shapes", _apart, ON_THE_CLASS, errors=((r"Error", ON_THE_CLASS),)),
        *audit_probes(lambda draw: _args(draw, (2, 1), (3,)), NAMES, "other dtype", reference=torch.mul),
    ),
    reference=oracle(torch.mul),
    slips=(
        *function_slips(torch.mul),
        _slip(
            "The gradients come back in the shape of the product, and the engine sums them for you. Sum over what was repeated, "
            "and leave nothing to it.",
            lambda grad, shape: grad,
        ),
        _slip(
            "Dimensions that were missing in front are summed, those of size 1 are not: the factor was repeated along both.",
            _front_only,
        ),
        _slip(
            "Dimensions of size 1 are summed, those that were missing in front are not: the factor was repeated along both.",
            _ones_only,
        ),
        _slip(
            "A dimension of size 1 is lost in the sum: keep it (keepdim=True). Only a missing one is summed away.", _dropped
        ),
        _slip(
            "A dimension that the factor never had is kept with size 1: sum those in front without keepdim, or reshape.", _kept
        ),
        _slip("The shapes are compared from the left: torch compares from the right, and fills up in front.", _from_left),
        _slip("The copies' gradients are averaged. Each copy adds its share, so sum.", _mean),
        _slip("The gradient of one copy alone comes back: a number that was repeated gets the sum over all.", _first_copy),
        _slip(
            "Where a shape differs you sum over everything: sum only the dimensions along which the factor was repeated.",
            _whole_or_all,
        ),
        _slip(
            "Where nothing was repeated everything is summed: sum over an empty list of dimensions means over all. Ask first.",
            _empty_list,
        ),
        Slip(oracle(torch.mul, _sums_first), SUMMED_FIRST),
        Slip(
            oracle(
                torch.mul,
                lambda g, x, y: (
                    g.sum_to_size(x.shape) * (y.expand_as(g).sum_to_size(x.shape) * (x.numel() / max(g.numel(), 1))),
                    (g * x).sum_to_size(y.shape),
                ),
            ),
            SUMMED_FIRST,
        ),
        _slip("Each factor meets itself: the gradient of x is grad_output times y.", parts=lambda g, x, y: (g * x, g * y)),
        _slip(
            "backward ignores grad_output: the gradient of x is grad_output times y.",
            parts=lambda g, x, y: (y.expand_as(g), x.expand_as(g)),
        ),
        Slip(
            oracle(torch.mul, lambda g, x, y: ((g * x).sum_to_size(y.shape), (g * y).sum_to_size(x.shape))),
            "The gradients are swapped: backward returns them in the order of forward's arguments, x first.",
        ),
    ),
    errors=(
        (
            r"forward\(\) (takes|missing)|incorrect number of gradients",
            "forward takes ctx, x and y, and backward returns a gradient for each.",
        ),
        (
            r"index out of range|Dimension out of range",
            "A factor may have fewer dimensions than the output, even none: compare from the right, fill up in front.",
        ),
        (
            r"shape '.*' is invalid for input of size",
            "Before this reshape something was summed too much or too little: compare the shapes from the right. (A sum over an "
            "empty list of dimensions sums over all.)",
        ),
        (
            r"must match the (size|existing size)|[Ee]xpanded size|not be expanded|is not expandable",
            "Two shapes do not broadcast: multiply grad_output by the other factor as it is, and sum after that.",
        ),
        (r"invalid gradient at index", "A gradient has not the shape of its argument: sum over what was repeated."),
    ),
    rules=(not_instantiated("Product"), forward_not_called("Product")),
    given=("forward",),
    hints=(
        "Write the shape of one factor under that of the output, right-aligned. Along which dimensions was it repeated?",
        "Gradient of x: grad_output · y, summed over the dimensions that x lacks in front (they go) and over those where x has "
        "size 1 (they stay). The same for y.",
        "`while g.dim() > len(shape): g = g.sum(0)`, then for each `i` with `shape[i] == 1`: `g = g.sum(i, keepdim=True)`.",
    ),
)  # fmt: skip

EXERCISES = (BROADCAST_PRODUCT,)
