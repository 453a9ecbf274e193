"""The exercise `softmax` of chapter 06: outputs that share their inputs, so that one product is not enough."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, leaves, numbers, oracle
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips


def _args(x: Tensor) -> Args:
    return (x.requires_grad_(),)


def _in_rows(x: Tensor) -> Tensor:
    return x.softmax(-1)


ROWS = Subject(
    names=("x",),
    samples=lambda draw: [
        _args(draw.normal(2, 3)),
        _args(draw.normal(4)),
        _args(draw.normal(2, 2, 3)),
        _args(draw.normal(3, 3)),
        _args(draw.normal(3, 2)),
    ],
    shapes=lambda draw: [
        ("no rows", _args(draw.normal(0, 3))),
        ("one number in a row", _args(draw.normal(3, 1))),
        ("one row", _args(draw.normal(1, 4))),
        ("one number alone", _args(draw.normal(1))),
        ("four dimensions", _args(draw.normal(2, 1, 3, 2))),
        ("three of each", _args(draw.normal(3, 3, 3))),
        ("equal numbers", _args(tensor([[2.0, 2.0, 2.0], [1.0, 3.0, 3.0]]))),
        ("transposed", _args(draw.normal(3, 2).t())),
        ("every second column", _args(draw.normal(2, 6)[:, ::2])),
        ("float32", _args(draw.normal(4, 5, dtype=torch.float32))),
    ],
)


def _large(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """exp overflows above 709, and in float32 above 88; what lies far below the largest of its own row is 0, not NaN."""
    wide = [[1000.0, 1001.0, 999.5], [-1000.0, -1001.0, -999.5]], [0.0, 0.0, 0.0, 3000.0], [[-750.0, -751.0]]
    rows = [(x, torch.float64, 1e-7) for x in wide] + [([[100.0, 99.0, -100.0], [-100.0, -101.0, -100.0]], torch.float32, 1e-3)]
    for data, dtype, tolerance in rows:
        (x,) = leaves(_args(tensor(data, dtype)))
        y = answer.apply(x)
        y.backward(draw.normal(*y.shape, dtype=y.dtype))
        given = f"x = {numbers(x)}, {str(dtype).removeprefix('torch.')}"
        yield {"given": given, "seen": {"output": plain(y), "gradient of x": plain(x.grad)}, "tolerance": [tolerance, tolerance]}


def _shifted_by(shift: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Softmax of `x - shift(x)`, the same on paper whatever is taken off."""

    def softmax(x: Tensor) -> Tensor:
        powers = (x - shift(x)).exp()
        return powers / powers.sum(-1, keepdim=True)

    return softmax


def _of_output(backward: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda g, x: backward(g, _in_rows(x))


def _right(g: Tensor, y: Tensor) -> Tensor:
    return y * (g - (g * y).sum(-1, keepdim=True))


def _by_the_formula(softmax: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda g, x: _right(g, softmax(x))


def _recomputed(softmax: Callable[[Tensor], Tensor]) -> type[torch.autograd.Function]:
    return oracle(_in_rows, _by_the_formula(softmax))


class _SavedPowers(torch.autograd.Function):
    """Right once: what it saves is neither input nor output."""

    @staticmethod
    def forward(ctx, x):
        powers = (x - x.amax(-1, keepdim=True)).exp()
        total = powers.sum(-1, keepdim=True)
        ctx.save_for_backward(powers, total)
        return powers / total

    @staticmethod
    def backward(ctx, g):
        powers, total = ctx.saved_tensors
        return _right(g, powers / total)


_UNSHIFTED = _shifted_by(torch.zeros_like)

_FORWARDS = (
    (
        "exp overflows: take the largest number of each row off first, amax(-1, keepdim=True), which changes no output.",
        _UNSHIFTED,
    ),
    (
        "You take off the largest number of all rows. In a row that lies far below it every exp is 0, and 0/0 is NaN: take "
        "each row's own.",
        _shifted_by(lambda x: x.amax().expand_as(x) if x.numel() else x),
    ),
    (
        "You take off the mean, and a number far above it still overflows: take off the largest of the row.",
        _shifted_by(lambda x: x.mean(-1, keepdim=True)),
    ),
    ("You sum over the first dimension: each row, along the last, has its own sum.", lambda x: x.softmax(0)),
    (
        "You divide by the sum of all: each row, along the last dimension, has its own sum.",
        lambda x: x.flatten().softmax(0).view_as(x),
    ),
    ("That is the logarithm of the softmax.", lambda x: x.log_softmax(-1)),
    ("That is exp without its sum: divide by the sum of the row.", lambda x: x.exp()),
    ("That is the sigmoid, which looks at one number at a time: divide by the sum of the row.", torch.sigmoid),
)

_BACKWARDS = (
    (
        "That is grad_output times the slope of an output in its own input, the diagonal alone. Each input moves the other "
        "outputs of its row too: sum what each of them is worth.",
        lambda g, y: g * y * (1 - y),
    ),
    (
        "The sum below depends on the input too: what is missing is - y times the row's sum of grad_output * y.",
        lambda g, y: g * y,
    ),
    (
        "grad_output is summed as it is: in the sum each output counts with its value, grad_output * y.",
        lambda g, y: y * (g - g.sum(-1, keepdim=True)),
    ),
    ("You take the mean of grad_output * y over the row: it is the sum.", lambda g, y: y * (g - (g * y).mean(-1, keepdim=True))),
    ("Outside the sum grad_output is missing: y * (grad_output - sum).", lambda g, y: y * (1 - (g * y).sum(-1, keepdim=True))),
    ("The factor y in front is missing: y * (grad_output - sum).", lambda g, y: g - (g * y).sum(-1, keepdim=True)),
    ("The sum has the wrong sign: it is subtracted.", lambda g, y: y * (g + (g * y).sum(-1, keepdim=True))),
    (
        "You sum over the first dimension: each row has its own sum, along the last.",
        lambda g, y: y * (g - (g * y).sum(0, keepdim=True)),
    ),
    ("You sum over everything: each row, along the last dimension, has its own sum.", lambda g, y: y * (g - (g * y).sum())),
    ("That is the gradient of log_softmax.", lambda g, y: g - y * g.sum(-1, keepdim=True)),
    ("backward ignores grad_output: every output is worth the same to it, and then the gradient is 0.", lambda g, y: 0 * g),
    ("backward ignores grad_output, and returns the slope of an output in its own input.", lambda g, y: y * (1 - y)),
)

SOFTMAX = Exercise(
    name="softmax",
    chapter="06_linear",
    probes=(
        *function_probes(ROWS, "forward", "returned", "returned shape", "upstream"),
        Probe(
            "large numbers",
            _large,
            "exp overflows, or 0 is divided by 0. Take the largest number of each row off first, in backward too if it "
            "computes the output again.",
        ),
        *function_probes(
            ROWS, "gradcheck", "upstream untouched", "calls apart", "shapes", "linear", "second order", "device", "saved",
            advice=("saved",),
        )[1:],
        # of the output too, which is what one saves here
        *audit_probes(lambda draw: _args(draw.normal(2, 3)), ROWS.names, "stale", "other dtype", reference=_in_rows),
    ),
    reference=oracle(_in_rows),
    slips=(
        *function_slips(_in_rows),
        *(Slip(oracle(fn, _by_the_formula(fn)), text) for text, fn in _FORWARDS),
        *(Slip(oracle(_in_rows, _of_output(backward)), text) for text, backward in _BACKWARDS),
        Slip(_recomputed(_UNSHIFTED), "backward computes the output anew and takes no maximum off. Save the output instead."),
        Slip(_recomputed(lambda x: x), "backward takes the input for the output: the formula wants y, so save that."),
        Slip(
            _recomputed(lambda x: (x - x.amax(-1, keepdim=True)).exp()),
            "backward takes exp for the output: divide by the sum of the row, or save the output.",
        ),
        Slip(
            _recomputed(lambda x: _in_rows(_in_rows(x))),
            "backward takes the softmax of the output. What was saved is y itself: put it into the formula as it is.",
        ),
        Slip(
            _SavedPowers,
            "What you saved was made along the way, to a second backward a constant: save the output y (or the input).",
        ),
    ),
    errors=(
        (
            r"must match the size of tensor",
            "A sum or a maximum over the row has lost its dimension: with keepdim=True it stays, with size 1, and broadcasts.",
        ),
        (
            r"1-D|matrix or a vector|2-D tensor|must be a (matrix|vector)",
            "outer, diag and mv take one row, and there may be many. The formula needs no matrix: a sum over each row will do.",
        ),
        (r"Dimension out of range", "There may be any number of dimensions in front: the last one is -1."),
        (r"return_types.max", "max along a dimension returns values and indices: take amax(-1, keepdim=True)."),
        (r"forward\(\) (takes|missing)", "forward takes ctx and x."),
        (r"incorrect number of gradients", "forward has one argument, x, so backward returns one gradient."),
    ),
    rules=(not_instantiated("Softmax"), forward_not_called("Softmax")),
    hints=(
        "How many outputs of its row does one input move? And what would happen to them if all inputs grew by 1?",
        "Gradient of x: y · (grad_output - the row's sum of grad_output · y). A number taken off a whole row changes no y.",
        "`e = (x - x.amax(-1, keepdim=True)).exp()`, `y = e / e.sum(-1, keepdim=True)`, save y; then "
        "`y * (grad_output - (grad_output * y).sum(-1, keepdim=True))`.",
    ),
)  # fmt: skip

EXERCISES = (SOFTMAX,)
