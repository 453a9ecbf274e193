"""The exercise `fused_linear_relu` of chapter 12: a linear layer and its ReLU in one Function, without the pre-activation."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.nn.functional import linear

from handgrad.audit import layers
from handgrad.audit.calls import Strangers
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.kept import Kept
from handgrad.audit.record import Case
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, oracle
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips
from handgrad.exercises.linear import ALL, LINEAR_ERRORS, linear_args

NAMES = layers.NAMES


def fused(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Both operations, in plain torch."""
    return torch.relu(linear(x, weight, bias))


def _args(draw: Draw, batch: int, n_in: int, n_out: int, asked: tuple = ALL, dtype: torch.dtype = torch.float64) -> Args:
    """input, weight and bias; no pre-activation close to the kink, and gates of both kinds where there is room for them."""
    while True:
        x, weight, bias = args = linear_args(draw, (batch,), n_in, n_out, asked, dtype)
        before = linear(x.detach(), weight.detach(), bias.detach())
        mixed = before.numel() < 2 or bool((before > 0).any() and (before < 0).any())
        if mixed and bool((before.abs() > 0.01).all()):
            return args


def _samples(draw: Draw) -> list[Args]:
    near = tensor([[3e-4], [-3e-4], [2e-5], [-2e-5]]).requires_grad_()
    return [
        _args(draw, 2, 4, 3),
        _args(draw, 1, 3, 2),
        (near, tensor([[1.0], [-2.0]]).requires_grad_(), tensor([0.0, 0.0]).requires_grad_()),
        _args(draw, 3, 4, 2, (False, True, True)),
        _args(draw, 3, 4, 2, (True, False, True)),
        _args(draw, 3, 4, 2, (True, True, False)),
        _args(draw, 3, 4, 2),
    ]


def _shapes(draw: Draw) -> list[tuple[str, Args]]:
    x, weight, bias = _args(draw, 3, 4, 2)
    shut = [tensor(t).requires_grad_() for t in ([[1.0, 2.0]], [[-1.0, -1.0]], [0.5])]
    return [
        ("one output", _args(draw, 3, 4, 1)),
        ("one input feature", _args(draw, 3, 1, 2)),
        ("no examples", (tensor([]).reshape(0, 4).requires_grad_(), weight, bias)),
        ("three of each", _args(draw, 3, 3, 3)),
        ("transposed input and weight", (_turned(x), _turned(weight), bias)),
        ("all gates shut", tuple(shut)),
        ("float32", _args(draw, 6, 5, 4, dtype=torch.float32)),
    ]


def _turned(t: Tensor) -> Tensor:
    return t.detach().t().contiguous().t().requires_grad_()


def _large(draw: Draw) -> list[Args]:
    x, weight, bias = _args(draw, 2, 4, 3)
    tiny = [tensor(t).requires_grad_() for t in ([[1e-9], [-1e-12], [1e-30]], [[1.0], [-2.0]], [0.0, 0.0])]
    return [((1000 * x).detach().requires_grad_(), weight, (1000 * bias).detach().requires_grad_()), tuple(tiny)]


SUBJECT = Subject(
    names=NAMES,
    samples=_samples,
    extremes=_large,
    shapes=_shapes,
    kinks=lambda draw: [tuple(tensor(t).requires_grad_() for t in ([[0.0]], [[1.0]], [0.0]))],
)


def _saved_bytes(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """What a call keeps alive that neither its caller nor the next layer holds, and whether all that backward reads is saved.

    The next layer saves the output as its input, so an output that is saved here too costs nothing.
    """
    args = linear_args(draw, (16,), 4, 32, dtype=torch.float32)
    label = "bytes kept beside the arguments and the output, for each byte of output"
    with Kept() as kept:
        output = answer.apply(*args)
    more = kept.without(*args, output) / (output.numel() * output.element_size())
    g = draw.normal(16, 32, dtype=torch.float32)
    with torch.no_grad(), Strangers([*output.grad_fn.saved_tensors, g]) as strangers:
        output.grad_fn.apply(g)
    yield {
        "given": "float32, input of shape (16, 4), weight of shape (32, 4)",
        "seen": {label: more, "tensors that backward reads and nobody saved": len(strangers.found)},
        "accept": {label: [{"between": [0, 0.25]}]},
    }


def _slip(
    text: str,
    forward: Callable = fused,
    gate: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda g, y, before: g * (y > 0),
    grad_input: Callable = lambda g, gated, x, w: gated @ w,
    grad_weight: Callable = lambda g, gated, x, w: gated.t() @ x,
    grad_bias: Callable = lambda g, gated: gated.sum(0),
) -> Slip:
    """A Function that is right but for what is given; `gate` makes what goes on of upstream, output and pre-activation."""

    def backward(g: Tensor, x: Tensor, w: Tensor, b: Tensor) -> tuple:
        gated = gate(g, fused(x, w, b), linear(x, w, b))
        return grad_input(g, gated, x, w), grad_weight(g, gated, x, w), grad_bias(g, gated)

    return Slip(oracle(forward, backward), text)


_AS_IT_CAME = "takes grad_output as it came: it wants the gated one."

FUSED_LINEAR_RELU = Exercise(
    name="fused_linear_relu",
    chapter="12_when",
    probes=(
        *function_probes(
            SUBJECT, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "kink", "saved",
        ),
        Probe(
            "saved bytes",
            _saved_bytes,
            "Something is kept that nobody else holds. The gates can be read off the output, which the next layer saves anyway; "
            "a bool mask does it too. Save neither the pre-activation nor a mask of floats. What backward reads goes through "
            "ctx.save_for_backward.",
        ),
        *function_probes(
            SUBJECT, "work", "calls apart", "stale", "second order", "shapes", "device",
        )[1:],
        *audit_probes(lambda draw: _args(draw, 2, 4, 3), NAMES, "linear", "frozen", reference=fused),
    ),
    reference=oracle(fused),
    slips=(
        *function_slips(fused),
        _slip("forward has no ReLU: negatives become 0.", linear),
        _slip("The bias is missing in forward.", lambda x, w, b: torch.relu(linear(x, w))),
        _slip("The bias is added after the ReLU; it belongs inside.", lambda x, w, b: torch.relu(linear(x, w)) + b),
        _slip(
            "The gate is missing (or it is output >= 0, which always holds): where the output is 0 no gradient comes through. "
            "Multiply grad_output by output > 0 first, and use the product in all three formulas.",
            gate=lambda g, y, before: g,
        ),
        _slip(f"The weight gradient {_AS_IT_CAME}", grad_weight=lambda g, gated, x, w: g.t() @ x),
        _slip(f"The bias gradient {_AS_IT_CAME}", grad_bias=lambda g, gated: g.sum(0)),
        _slip(f"The input gradient {_AS_IT_CAME}", grad_input=lambda g, gated, x, w: g @ w),
        _slip(
            "Only the input gradient is gated: so must be the other two.",
            grad_weight=lambda g, gated, x, w: g.t() @ x,
            grad_bias=lambda g, gated: g.sum(0),
        ),
        _slip("You multiply by the value of the output; the chain rule wants the slope, 0 or 1.", gate=lambda g, y, _: g * y),
        _slip("The gate is the wrong way round: it is open where the output is above 0.", gate=lambda g, y, before: g * (y <= 0)),
        _slip("Small positive outputs are shut out: the threshold is 0.", gate=lambda g, y, before: g * (y > 1e-3)),
        _slip("backward ignores grad_output: the gate multiplies it.", gate=lambda g, y, before: (y > 0).to(g.dtype)),
        _slip(
            "The bias gradient is a mean over the batch. backward sums; a mean, if there is one, is already in grad_output.",
            grad_bias=lambda g, gated: gated.mean(0),
        ),
        _slip("The bias gradient has the shape (out,): sum the gated one over the batch.", grad_bias=lambda g, gated: gated),
        _slip("The bias gets None as its gradient, so it never learns.", grad_bias=lambda g, gated: None),
    ),
    errors=LINEAR_ERRORS,
    rules=(not_instantiated("FusedLinearReLU"), forward_not_called("FusedLinearReLU")),
    hints=(
        "Which tensor says where the gates are open, and is kept by somebody else anyway?",
        "With G' = grad_output ⊙ [y > 0] the three formulas are those of the linear layer: G' W, G'ᵀ X, and G' summed.",
        "`ctx.save_for_backward(input, weight, output)`; in backward `gated = grad_output * (output > 0)`, then "
        "`gated @ weight`, `gated.t() @ input`, `gated.sum(0)`, each under its `if ctx.needs_input_grad[…]`.",
    ),
)  # fmt: skip

EXERCISES = (FUSED_LINEAR_RELU,)
