"""Leaky ReLU: the positive side as it is, the negative side times a slope that is a plain number."""

import numpy
import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, leaf

bank = Bank("leaky_relu", lambda: (leaf([[-1.3, 0.7, 2.1], [0.4, -0.2, -2.5]]), 0.1), F.leaky_relu)


@bank.right("saves the input, the slope is a number on ctx")
class Input(Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, ctx.slope * grad_output), None


@bank.right("saves the derivative itself, one factor for each element")
class Factor(Function):
    @staticmethod
    def forward(ctx, x, slope=0.01):
        factor = torch.ones_like(x).masked_fill_(x <= 0, slope)
        ctx.save_for_backward(factor)
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        (factor,) = ctx.saved_tensors
        return grad_output * factor, None


@bank.right("saves a mask of bytes; setup_context, with rules for vmap and forward mode")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, slope):
        return x.clamp(min=0) + slope * x.clamp(max=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.slope = inputs
        negative = x <= 0
        ctx.save_for_backward(negative)
        ctx.save_for_forward(negative)

    @staticmethod
    def backward(ctx, grad_output):
        (negative,) = ctx.saved_tensors
        return grad_output - (1 - ctx.slope) * grad_output * negative, None

    @staticmethod
    def jvp(ctx, tangent, _):
        (negative,) = ctx.saved_tensors
        return tangent - (1 - ctx.slope) * tangent * negative


def another_slope(version, bank):
    """A second call with another slope changes the first one's gradient."""

    def version_twice(x, slope):
        output = version(x, slope)
        version(x.detach().clone().requires_grad_(), 2 * slope)
        return output

    return witness.vjp(version_twice, bank)


def one_argument(version, bank):
    """The forward-mode derivative along the input is wrong."""
    x, slope = bank.inputs()
    fixed = Bank("", lambda: (x.detach(),), lambda x: bank.reference(x, slope))
    return witness.wrong_jvp(lambda x: version(x, slope), fixed)


@bank.wrong("D", "takes the default slope 0.01 in backward, whichever was given", witness.vjp)
class DefaultSlope(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, 0.01 * grad_output), None


@bank.wrong(
    "D",
    "asks the output for the side, which a negative slope turns round",
    witness.at(witness.vjp, lambda: (leaf([[-1.3, 0.7, 2.1]]), -0.2)),
)
class FromOutput(Function):
    @staticmethod
    def forward(ctx, x, slope):
        output = torch.where(x > 0, x, slope * x)
        ctx.save_for_backward(output)
        ctx.slope = slope
        return output

    backward = Input.backward


@bank.wrong("D", "asks the upstream gradient for the side instead of the input", witness.vjp)
class SideOfUpstream(Input):
    @staticmethod
    def backward(ctx, grad_output):
        return torch.where(grad_output > 0, grad_output, ctx.slope * grad_output), None


@bank.wrong("D", "gives back the slope alone on the negative side, without the upstream gradient", witness.vjp)
class SlopeAlone(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, torch.full_like(x, ctx.slope)), None


@bank.wrong("D", "leaks only down to -1, and is flat below", witness.vjp)
class FlatBelow(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return Input.backward(ctx, grad_output)[0] * (x > -1), None


@bank.wrong("G", "chooses between two Python numbers, which makes factors of the default dtype", witness.precision)
class PythonNumbers(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.where(x > 0, 1.0, ctx.slope), None


@bank.wrong("E", "multiplies the negative side of the upstream gradient in place", witness.writes_upstream)
class InPlace(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output[x <= 0] *= ctx.slope
        return grad_output, None


@bank.wrong("E", "changes its argument in forward and does not say so", witness.writes_input)
class ChangesInput(Factor):
    @staticmethod
    def forward(ctx, x, slope):
        output = Factor.forward(ctx, x, slope)
        x.copy_(output)
        return output


@bank.wrong("F", "keeps the slope on the class, so that the last call's counts", another_slope)
class OnClass(Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        OnClass.slope = slope
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, OnClass.slope * grad_output), None


@bank.wrong("N", "goes through numpy with detach, so the second derivative is lost silently", witness.second)
class Numpy(Input):
    @staticmethod
    def backward(ctx, grad_output):
        x, grad = ctx.saved_tensors[0].detach().numpy(), grad_output.detach().numpy()
        return torch.from_numpy(numpy.where(x > 0, grad, ctx.slope * grad)), None


@bank.wrong("C", "returns no value for the slope", witness.raises)
class TooFew(Factor):
    @staticmethod
    def backward(ctx, grad_output):
        return Factor.backward(ctx, grad_output)[0]


@bank.wrong("O", "divides the output by the input, NaN at 0", witness.at(witness.not_a_number, lambda: (leaf([1.0, 0.0]), 0.1)))
class Ratio(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (F.leaky_relu(x, ctx.slope) / x).detach(), None


@bank.wrong("M", "closes the negative side in forward mode, as ReLU does", one_argument)
class JvpOfRelu(Rules):
    @staticmethod
    def jvp(ctx, tangent, _):
        (negative,) = ctx.saved_tensors
        return tangent.masked_fill(negative, 0)
