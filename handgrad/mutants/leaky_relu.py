"""Leaky ReLU, which passes its input where it is positive and a part of it, the slope, elsewhere."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn, leaf

SLOPE = 0.2

bank = Bank("leaky_relu", lambda: (drawn(6, 7), SLOPE), F.leaky_relu)


def mixes_slopes(version: Version, bank: Bank) -> bool:
    """A second call with another slope changes the first one's gradient."""
    x, slope = bank.inputs()
    output = version(x, slope)
    version(x, 2 * slope)
    (got,) = torch.autograd.grad(output.sum(), x)
    (want,) = torch.autograd.grad(bank.reference(x, slope).sum(), x)
    return not torch.allclose(got, want)


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with the slope held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: bank.reference(x, SLOPE))
    return witness.wrong_jvp(lambda x: version(x, SLOPE), fixed)


@bank.right("saves the input, chooses between two gradients")
class Chosen(Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, ctx.slope * grad_output), None


@bank.right("saves the factors, which are the derivative; no second derivative")
class Factor(Function):
    @staticmethod
    def forward(ctx, x, slope):
        factor = torch.ones_like(x).masked_fill_(x <= 0, slope)
        ctx.save_for_backward(factor)
        return x * factor

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (factor,) = ctx.saved_tensors
        return grad_output * factor, None


@bank.right("two clamped halves; setup_context, with rules for vmap and forward mode")
class Halves(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, slope):
        return x.clamp(min=0) + slope * x.clamp(max=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.slope = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return (x > 0) * grad_output + (x <= 0) * grad_output * ctx.slope, None

    @staticmethod
    def jvp(ctx, tangent, _):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, tangent, ctx.slope * tangent)


@bank.wrong(
    "D",
    "tells the sides by the sign of the output, which is wrong for a negative slope",
    witness.at(witness.vjp, lambda: (drawn(6, 7), -0.5)),
)
class OutputSign(Chosen):
    @staticmethod
    def forward(ctx, x, slope):
        output = F.leaky_relu(x, slope)
        ctx.save_for_backward(output)
        ctx.slope = slope
        return output


@bank.wrong(
    "D",
    "takes the greater of x and slope * x, which is the wrong one for a slope above 1",
    witness.at(witness.value, lambda: (drawn(6, 7), 1.5)),
)
class Greater(Chosen):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.maximum(x, slope * x)


@bank.wrong("D", "sets the gradient to the slope on the negative side, in place of scaling it", witness.vjp)
class Assigned(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.masked_fill(x <= 0, ctx.slope), None


@bank.wrong("D", "applies the function to the upstream gradient in place of its derivative at x", witness.vjp)
class OfUpstream(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        return F.leaky_relu(grad_output, ctx.slope), None


@bank.wrong("D", "scales the negative side by the customary 0.01, whatever the slope", witness.vjp)
class Customary(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, 0.01 * grad_output), None


@bank.wrong("F", "keeps the slope on the class, where the next call overwrites it", mixes_slopes)
class SlopeOnClass(Chosen):
    @staticmethod
    def forward(ctx, x, slope):
        SlopeOnClass.slope = slope
        ctx.save_for_backward(x)
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, SlopeOnClass.slope * grad_output), None


@bank.wrong("C", "returns no gradient for the slope, an argument as well", witness.raises)
class OneGradient(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        return Chosen.backward(ctx, grad_output)[0]


@bank.wrong("G", "chooses between two Python numbers, which makes float32 factors", witness.precision)
class Factors(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.where(x > 0, 1.0, ctx.slope), None


@bank.wrong("E", "scales the upstream gradient in place", witness.writes_upstream)
class InPlace(Factor):
    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (factor,) = ctx.saved_tensors
        return grad_output.mul_(factor), None


@bank.wrong("E", "scales the input in place and does not say so", witness.writes_input)
class Dirty(Chosen):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x.clone())
        ctx.slope = slope
        return F.leaky_relu(x.detach(), slope, inplace=True)


@bank.wrong("G", "flattens the upstream gradient by view, which asks for a contiguous one", witness.layout)
class Flattened(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        flat = grad_output.view(-1)
        return torch.where(x.reshape(-1) > 0, flat, ctx.slope * flat).view(x.shape), None


@bank.wrong("O", "makes the sign by x / |x|, which is NaN at 0", witness.at(witness.not_a_number, lambda: (leaf([0.0]), SLOPE)))
class NanAtZero(Chosen):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        sign = x / x.abs()
        return grad_output * ((1 + ctx.slope) + (1 - ctx.slope) * sign.detach()) / 2, None


@bank.wrong("M", "the forward-mode rule forgets the slope", wrong_jvp)
class Jvp(Halves):
    @staticmethod
    def jvp(ctx, tangent, _):
        (x,) = ctx.saved_tensors
        return tangent * (x > 0)
