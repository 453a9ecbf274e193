"""Gradient reversal: the identity, with a gradient of -lam times the upstream one."""

import math

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn

LAM = 0.7

bank = Bank("reversal", lambda: (drawn(5, 8), LAM), lambda x, lam: x.detach() * (1 + lam) - lam * x, estimator=True)


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with the factor held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:1], lambda x: bank.reference(x, LAM))
    return witness.wrong_jvp(lambda x: version(x, LAM), fixed)


def mixes_factors(version: Version, bank: Bank) -> bool:
    """A second call with another factor changes the gradient of the first."""
    x, lam = bank.inputs()
    output = version(x, lam)
    version(x, 2 * lam)
    output.sum().backward()
    return not torch.allclose(x.grad, torch.full_like(x, -lam))


@bank.right("returns a view; the factor on ctx")
class View(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.lam, None


@bank.right("returns a copy; setup_context, with rules for vmap and forward mode")
class Copied(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, lam):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.lam = inputs[1]

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.lam * grad_output, None

    @staticmethod
    def jvp(ctx, tangent, _):
        return -ctx.lam * tangent


@bank.right("the factor is saved as a tensor of the input's dtype; arguments as *args")
class Factor(Function):
    @staticmethod
    def forward(ctx, *args):
        x, lam = args
        ctx.save_for_backward(x.new_tensor(-lam))
        return x.clone()

    @staticmethod
    def backward(ctx, *grads):
        (factor,) = ctx.saved_tensors
        return grads[0] * factor, None


@bank.wrong("D", "forgets the sign", witness.vjp)
class NotReversed(View):
    @staticmethod
    def backward(ctx, grad_output):
        return ctx.lam * grad_output, None


@bank.wrong("D", "forgets the factor", witness.vjp)
class NotScaled(View):
    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output, None


@bank.wrong("D", "reverses what is positive in the upstream gradient alone", witness.vjp)
class PositiveOnly(View):
    @staticmethod
    def backward(ctx, grad_output):
        return torch.where(grad_output > 0, -ctx.lam, ctx.lam) * grad_output, None


@bank.wrong("D", "takes the factor for the progress of a schedule", witness.vjp)
class Schedule(View):
    @staticmethod
    def backward(ctx, grad_output):
        return -(2 / (1 + math.exp(-10 * ctx.lam)) - 1) * grad_output, None


@bank.wrong("D", "scales in forward too", witness.value)
class ScalesForward(View):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return lam * x


@bank.wrong("H", "averages over the rows", witness.vjp)
class Averaged(View):
    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.lam * grad_output / grad_output.shape[0], None


@bank.wrong("C", "returns nothing for the factor", witness.raises)
class OneGradient(View):
    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.lam * grad_output


@bank.wrong("B", "saves the factor, a number, as if it were a tensor", witness.raises)
class SavesNumber(View):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.save_for_backward(lam)
        return x.view_as(x)


@bank.wrong("F", "keeps the factor on the class, so the last call's holds for all", mixes_factors)
class OnClass(Function):
    @staticmethod
    def forward(ctx, x, lam):
        OnClass.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -OnClass.lam * grad_output, None


@bank.wrong("E", "turns the upstream gradient round in place", witness.writes_upstream)
class InPlace(View):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg_().mul(ctx.lam), None


@bank.wrong("G", "makes a float32 tensor of the factor, good for 7 digits", witness.precision)
class SingleFactor(View):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * torch.tensor(ctx.lam), None


@bank.wrong("G", "makes its tensor of factors on the CPU", witness.other_device)
class OnCpu(View):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.tensor([-ctx.lam], dtype=grad_output.dtype), None


@bank.wrong("K", "takes .data of the upstream gradient", witness.second)
class Data(View):
    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.lam * grad_output.data, None


@bank.wrong("M", "reverses in backward alone, not in forward mode", wrong_jvp)
class IdentityJvp(Copied):
    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent.clone()
