"""GELU, x times the normal distribution function of x, by the error function."""

import math

import numpy
import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("gelu", lambda: (drawn(6, 7),), F.gelu)

ROOT = math.sqrt(0.5)
DENSITY = 1 / math.sqrt(2 * math.pi)


def below(x):
    """The normal distribution function."""
    return 0.5 * torch.special.erfc(-ROOT * x)


def density(x):
    """Its derivative."""
    return DENSITY * torch.exp(-0.5 * x * x)


@bank.right("saves the input and computes both parts in backward")
class Input(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * below(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (below(x) + x * density(x))


@bank.right("saves the derivative, made in forward; its backward can't be differentiated, and says so")
class Slope(Function):
    @staticmethod
    def forward(ctx, x):
        part = below(x)
        ctx.save_for_backward(torch.addcmul(part, x, density(x)))
        return part.mul_(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope


@bank.right("setup_context, with rules for vmap and forward mode; log_ndtr keeps the far left tail")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * torch.special.ndtr(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (torch.special.log_ndtr(x).exp() + x * density(x))

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * (torch.special.ndtr(x) + x * density(x))


@bank.right("calls torch's own rule for the gradient, after asking whether it is needed")
class Native(Function):
    @staticmethod
    def forward(ctx, *args):
        ctx.save_for_backward(*args)
        return F.gelu(*args)

    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None
        return torch.ops.aten.gelu_backward(grad_output, *ctx.saved_tensors, approximate="none")


@bank.wrong("D", "takes the distribution function for a constant", witness.vjp)
class GateAlone(Input):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * below(ctx.saved_tensors[0])


@bank.wrong("D", "forgets the input in front of the density", witness.vjp)
class DensityAlone(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (below(x) + density(x))


@bank.wrong("D", "multiplies only the first part by the upstream gradient", witness.vjp)
class UpstreamOnce(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * below(x) + x * density(x)


@bank.wrong("D", "has the derivative of erf's argument wrong, a factor of the square root of 2", witness.vjp)
class InnerFactor(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (below(x) + x * density(x) / ROOT)


@bank.wrong("D", "takes the derivative of the tanh form, while forward is the exact one", witness.vjp)
class TanhForm(Input):
    @staticmethod
    def backward(ctx, grad_output):
        return torch.ops.aten.gelu_backward(grad_output, *ctx.saved_tensors, approximate="tanh")


@bank.wrong("D", "takes the derivative of x times sigmoid(1.702 x), the quick form", witness.vjp)
class Quick(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        gate = torch.sigmoid(1.702 * x)
        return grad_output * (gate + 1.702 * x * gate * (1 - gate))


@bank.wrong("D", "evaluates the derivative at the output", witness.vjp)
class AtOutput(Function):
    @staticmethod
    def forward(ctx, x):
        output = x * below(x)
        ctx.save_for_backward(output)
        return output

    backward = Input.backward


@bank.wrong("N", "has its constants from numpy as float32 numbers, seven digits of the right ones", witness.precision)
class ShortConstants(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        height = float(numpy.float32(DENSITY))
        return grad_output * (below(x) + x * height * torch.exp(-0.5 * x * x))


@bank.wrong("K", "makes the derivative in forward, and lets it pass for a constant", witness.second)
class SlopeSilent(Slope):
    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope


@bank.wrong("B", "keeps the input as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * below(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (below(ctx.x) + ctx.x * density(ctx.x))


@bank.wrong("G", "makes its constant a float64 tensor of one element, which turns a float32 gradient into float64", witness.raw)
class Promotes(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        half = torch.tensor([0.5], dtype=torch.float64, device=x.device)
        return grad_output * (half * torch.special.erfc(-ROOT * x) + x * density(x))


@bank.wrong(
    "O",
    "divides x times the derivative by x, NaN at 0",
    witness.at(witness.not_a_number, lambda: (leaf([0.0, 1.0]),)),
)
class NanAtZero(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x * below(x) + x * x * density(x)) / x


@bank.wrong(
    "D",
    "passes everything through beyond 3 and nothing below -3, to save time",
    witness.at(witness.vjp, lambda: (leaf([3.2, -3.4, 0.5]),)),
)
class Tails(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return Input.backward(ctx, grad_output).where(x.abs() < 3, grad_output * (x > 0))


@bank.wrong("M", "multiplies the tangent by the gate alone in forward mode", witness.wrong_jvp)
class JvpGate(Rules):
    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * torch.special.ndtr(x)
