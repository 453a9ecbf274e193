"""The exercise `setup_context_relu` of chapter 10: a ReLU that torch.func can transform."""

from collections.abc import Callable, Iterator

import torch
from torch.func import grad, grad_and_value, jacrev, vjp, vmap

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain, raised
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import numbers
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes
from handgrad.exercises.relu import MY_RELU, RELU

Function = type[torch.autograd.Function]


class _ReLU(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input):
        return input.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)


class _BatchAlwaysFirst(_ReLU):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, input):
        return _BatchAlwaysFirst.apply(input), 0


def _weighted(answer: Function, weights: torch.Tensor) -> Callable[[torch.Tensor], torch.Tensor]:
    """A loss whose upstream gradient is `weights`."""
    return lambda input: (weights * answer.apply(input)).sum()


def _func_grad(answer: Function, draw: Draw) -> Iterator[Case]:
    """`torch.func.grad` and `vjp`, in both precisions."""
    for dtype in (torch.float64, torch.float32):
        for shape in ((3,), (), (2, 3)):
            x, w = draw.normal(*shape, dtype=dtype), draw.normal(*shape, dtype=dtype)
            slope, value = grad_and_value(_weighted(answer, w))(x)
            seen = {"gradient": plain(slope), "loss": plain(value), "by vjp": plain(vjp(answer.apply, x)[1](w)[0])}
            name = str(dtype).removeprefix("torch.")
            given = f"grad of (w * f(input)).sum() in {name}, input = {numbers(x)}, w = {numbers(w)}"
            yield {"given": given, "seen": seen, "tolerance": [1e-6, 1e-6] if dtype == torch.float32 else [1e-10, 1e-10]}


def _jacrev(answer: Function, draw: Draw) -> Iterator[Case]:
    """The whole Jacobian: backward, batched over the rows of an identity matrix."""
    for shape in ((4,), (2, 3), (1,)):
        x = draw.normal(*shape)
        yield {"given": f"jacrev(f)(input), input = {numbers(x)}", "seen": {"Jacobian": plain(jacrev(answer.apply)(x))}}


def _vmap(answer: Function, draw: Draw) -> Iterator[Case]:
    """forward over a batch, along each of its dimensions, and over a batch of batches."""
    x = draw.normal(3, 2, 4)
    for dim in (0, 1, -1):
        seen = {"output": plain(vmap(answer.apply, in_dims=dim)(x))}
        yield {"given": f"vmap(f, in_dims={dim})(input of shape (3, 2, 4))", "seen": seen}
    seen = {"output": plain(vmap(vmap(answer.apply, in_dims=1))(x))}
    yield {"given": "vmap(vmap(f, in_dims=1))(input of shape (3, 2, 4))", "seen": seen}


def _vmap_of_grad(answer: Function, draw: Draw) -> Iterator[Case]:
    """One gradient for each example, the examples along either dimension; one case in which all examples are positive."""
    w = draw.normal(3)
    per_example = grad(_weighted(answer, w))
    for x, dim in ((draw.normal(4, 3), 0), (draw.normal(3, 4), 1), (draw.normal(4, 3).abs(), 0)):
        given = f"vmap(grad(loss), in_dims={dim})(input), input = {numbers(x)}, w = {numbers(w)}"
        yield {"given": given, "seen": {"gradients": plain(vmap(per_example, in_dims=dim)(x))}}
    x = draw.normal(2, 2, 3)
    seen = {"gradients": plain(vmap(vmap(per_example))(x))}
    yield {"given": "vmap(vmap(grad(loss)))(input of shape (2, 2, 3))", "seen": seen}
    x = draw.normal(3, 2, 4)
    x.requires_grad_()
    (slope,) = torch.autograd.grad(vmap(answer.apply, in_dims=1, out_dims=1)(x), x, draw.normal(3, 2, 4))
    yield {"given": "backward through vmap(f, in_dims=1), input of shape (3, 2, 4)", "seen": {"gradient of input": plain(slope)}}


def _grad_of_grad(answer: Function, draw: Draw) -> Iterator[Case]:
    """A Hessian by `jacrev` of `grad`: right, or an error. Only this probe sees that once_differentiable is silent here."""
    x, w = draw.normal(3).abs() * tensor([1.0, 1.0, -1.0]), draw.normal(3)
    label = "second derivatives"
    try:
        seen = plain(jacrev(grad(lambda input: (w * answer.apply(input) ** 2).sum()))(x))
    except RuntimeError as error:
        seen = {"raised": "RuntimeError", "text": raised(error)["text"]}
    given = f"jacrev(grad(loss))(input), loss = (w * f(input)**2).sum(), input = {numbers(x)}, w = {numbers(w)}"
    yield {"given": given, "seen": {label: seen}, "accept": {label: [seen, {"raised": "RuntimeError"}]}}


SETUP_CONTEXT_RELU = Exercise(
    name="setup_context_relu",
    chapter="10_transforms",
    probes=(
        *function_probes(
            RELU, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "kink",
            "second order", "stale", "shapes", "calls apart", "device", "saved",
            advice=("saved",),
        ),
        Probe(
            "func.grad", _func_grad, "Under torch.func.grad the gradient is another than under backward().",
            errors=((r"must implement either the backward or vjp", "torch.func looks for `backward`, by that name alone."),),
        ),
        Probe("jacrev", _jacrev, "jacrev runs backward on a batch of upstream gradients: keep to operations that vmap knows."),
        Probe("vmap", _vmap, "vmap over f must be the same as a loop over the examples."),
        Probe("vmap of grad", _vmap_of_grad, "vmap(grad(loss)) must be the same as a loop over the examples."),
        Probe(
            "grad of grad", _grad_of_grad,
            "Under torch.func a second derivative is silently wrong; once_differentiable raises under backward() alone.",
            advice=True,
        ),
    ),
    reference=_ReLU,
    slips=(
        *MY_RELU.slips,
        Slip(_BatchAlwaysFirst, "Your vmap method ignores in_dims: move the batch to the front, or hand in_dims[0] on."),
    ),
    errors=(
        (
            r"must override the setup_context staticmethod",
            "torch.func needs the two parts apart: forward(input) without ctx, and setup_context(ctx, inputs, output).",
        ),
        (
            r"missing a required argument|save_for_backward'|forward\(\) (takes|missing)",
            "Where there is a setup_context, forward gets no ctx: its first parameter is input.",
        ),
        (r"setup_context\(\) (takes|missing|got)", "setup_context has three parameters: ctx, inputs, output."),
        (
            r"argument 0 is of type tuple",
            "inputs is the tuple of all arguments, also where there is one: `(input,) = inputs`, or save `*inputs`.",
        ),
        (
            r"cannot unpack|not enough values to unpack|too many values",
            "saved_tensors holds what setup_context saved: save the input there, `ctx.save_for_backward(input)`.",
        ),
        (r"does not have vmap support", "Allow vmap to run these methods on a batch: `generate_vmap_rule = True` in the class."),
        (r"both generate_vmap_rule=True and an overridden", "One rule is enough: drop generate_vmap_rule or the vmap method."),
        (
            r"boolean mask|dynamic shape",
            "vmap cannot select by a mask, since each example may select another number: multiply by the mask, or use "
            "masked_fill or torch.where.",
        ),
        (
            r"calling \.item\(\)|data-dependent control flow|data pointer of Tensor",
            "A batch has no one number and no one yes or no: no .item() or .tolist(), and a mask or torch.where in the place "
            "of Python's if.",
        ),
        (r"out of meta tensor", "Values are read out of a tensor (.tolist(), .item(), .cpu(), .numpy()): stay with tensors."),
        (
            r"inplace .* is not possible because|doesn't match the broadcast shape",
            "A batch cannot be written into a tensor that has none: build a new one.",
        ),
        (r"returned as-is as output", "forward returns its input itself, changed in place: compute a new tensor."),
    ),
    rules=(not_instantiated("FuncReLU"), forward_not_called("FuncReLU")),
    hints=(
        "Which of forward's lines compute, and which only prepare backward? Which line of backward selects elements?",
        "forward(input) is max(input, 0); setup_context(ctx, inputs, output) saves; backward is grad_output times (input > 0).",
        "`generate_vmap_rule = True`; `ctx.save_for_backward(*inputs)`; `return grad_output * (input > 0)`.",
    ),
)  # fmt: skip

EXERCISES = (SETUP_CONTEXT_RELU,)
