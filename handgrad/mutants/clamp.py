"""Clamp, which keeps its input between two bounds, and passes the upstream gradient where it had nothing to change."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, leaf

LOW, HIGH = -1.0, 0.6
NUMBERS = [[-1.7, 0.2, 0.9], [0.35, -0.4, -2.2], [3.1, -0.8, 0.05], [-1.2, 0.7, -0.15]]

bank = Bank("clamp", lambda: (leaf(NUMBERS), LOW, HIGH), torch.clamp)


def open_above() -> tuple:
    return leaf(NUMBERS), LOW, None


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with the bounds held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: bank.reference(x, LOW, HIGH))
    return witness.wrong_jvp(lambda x: version(x, LOW, HIGH), fixed)


@bank.right("saves the input; either bound may be None")
class Input(Function):
    @staticmethod
    def forward(ctx, x, low=None, high=None):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output
        if ctx.low is not None:
            grad_input = torch.where(x < ctx.low, 0, grad_input)
        if ctx.high is not None:
            grad_input = torch.where(x > ctx.high, 0, grad_input)
        return grad_input, None, None


@bank.right("compares the output with the input and saves the mask")
class Unchanged(Function):
    @staticmethod
    def forward(ctx, x, *bounds):
        output = torch.clamp(x, *bounds)
        ctx.save_for_backward(output == x)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return grad_output * inside, None, None


@bank.right("saves the mask of what is outside; setup_context, with rules for vmap and forward mode")
class Outside(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, low, high):
        return torch.clamp(x, min=low, max=high)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, *_ = inputs
        outside = x != output
        ctx.save_for_backward(outside)
        ctx.save_for_forward(outside)

    @staticmethod
    def backward(ctx, grad_output):
        (outside,) = ctx.saved_tensors
        return grad_output.masked_fill(outside, 0), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        (outside,) = ctx.saved_tensors
        return tangent.masked_fill(outside, 0)


@bank.wrong("D", "clamps the upstream gradient, as if it were the input", witness.vjp)
class OfUpstream(Input):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clamp(ctx.low, ctx.high), None, None


@bank.wrong("D", "forgets the upper bound", witness.vjp)
class LowerAlone(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x >= ctx.low), None, None


@bank.wrong("D", "takes the bounds to be symmetric: |x| <= high", witness.vjp)
class Symmetric(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() <= ctx.high), None, None


@bank.wrong("D", "joins the two conditions by or, which always holds", witness.vjp)
class Or(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ((x >= ctx.low) | (x <= ctx.high)), None, None


@bank.wrong("D", "passes the gradient outside too where it leads back in, by its sign", witness.vjp)
class LeadsBack(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        back = ((x < ctx.low) & (grad_output < 0)) | ((x > ctx.high) & (grad_output > 0))
        inside = (x >= ctx.low) & (x <= ctx.high)
        return grad_output * (inside | back), None, None


@bank.wrong(
    "D",
    "takes the bounds 0.001 too narrow, to be safe",
    witness.at(witness.vjp, lambda: (leaf([0.4995, 0.1, -0.9996]), LOW, HIGH)),
)
class Margin(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ((x > ctx.low + 1e-3) & (x < ctx.high - 1e-3)), None, None


@bank.wrong("P", "compares with a bound that is None", witness.at(witness.raises, open_above))
class NoneCompared(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ((x >= ctx.low) & (x <= ctx.high)), None, None


@bank.wrong(
    "G",
    "makes tensors of the bounds, which rounds them to float32",
    witness.at(witness.value, lambda: (leaf([0.3, 0.05, -0.7]), -0.1, 0.1)),
)
class RoundedBounds(Input):
    @staticmethod
    def forward(ctx, x, low=None, high=None):
        return Input.forward(ctx, x, *(bound if bound is None else torch.tensor(bound).item() for bound in (low, high)))


@bank.wrong("C", "returns zeros as the gradients of the bounds, which are no tensors", witness.raises)
class BoundGradients(Input):
    @staticmethod
    def backward(ctx, grad_output):
        grad_input, *_ = Input.backward(ctx, grad_output)
        return grad_input, torch.zeros_like(grad_input), torch.zeros_like(grad_input)


@bank.wrong("B", "keeps the input as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, low=None, high=None):
        ctx.x, ctx.low, ctx.high = x, low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.x == ctx.x.clamp(ctx.low, ctx.high)), None, None


@bank.wrong("E", "fills zeros into the upstream gradient", witness.writes_upstream)
class InPlace(Outside):
    @staticmethod
    def backward(ctx, grad_output):
        (outside,) = ctx.saved_tensors
        return grad_output.masked_fill_(outside, 0), None, None


@bank.wrong("K", "detaches the upstream gradient", witness.second)
class Detached(Unchanged):
    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return torch.where(inside, grad_output.detach(), 0), None, None


@bank.wrong("M", "the forward-mode rule clamps the tangent", wrong_jvp)
class Jvp(Outside):
    @staticmethod
    def jvp(ctx, tangent, *bounds):
        return tangent.clamp(LOW, HIGH)
