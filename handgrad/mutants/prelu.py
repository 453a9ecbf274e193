"""PReLU, a leaky ReLU whose slope is learned: a single one, or one for each channel (axis 1)."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("prelu", lambda: (drawn(2, 3, 4), leaf([0.25, -0.1, 0.6])), F.prelu)


def one_slope() -> tuple:
    return drawn(2, 3, 4), leaf([0.25])


def along_channels(weight, x):
    """`weight` in a shape that broadcasts against `x`."""
    return weight.view(-1, *[1] * (x.dim() - 2)) if x.dim() > 1 else weight


@bank.right("saves both arguments, sums to the shape of the slopes")
class SumToSize(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return torch.where(x > 0, x, along_channels(weight, x) * x)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        slope = along_channels(weight, x)
        grad_input = torch.where(x > 0, grad_output, slope * grad_output)
        grad_weight = (grad_output * x.clamp(max=0)).sum_to_size(slope.shape).reshape(weight.shape)
        return grad_input, grad_weight


@bank.right("computes only what needs_input_grad asks for, keeps the shape of the slopes and sums over axes")
class Asked(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return F.prelu(x, weight)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_input = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output * (x > 0) + grad_output * (x <= 0) * along_channels(weight, x)
        if ctx.needs_input_grad[1]:
            negative = grad_output * torch.where(x > 0, 0, x)
            if weight.numel() == 1:
                grad_weight = negative.sum().reshape(weight.shape)
            else:
                grad_weight = negative.sum([axis for axis in range(x.dim()) if axis != 1])
        return grad_input, grad_weight


@bank.right("saves the negative part and the factors, which are no arguments; no second derivative")
class Parts(Function):
    @staticmethod
    def forward(ctx, x, weight):
        negative = x.clamp(max=0)
        factor = torch.where(x > 0, torch.ones_like(x), along_channels(weight, x))
        ctx.save_for_backward(negative, factor)
        ctx.shape = weight.shape
        return x * factor

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        negative, factor = ctx.saved_tensors
        products = grad_output * negative
        if ctx.shape.numel() == 1:
            return grad_output * factor, products.sum().reshape(ctx.shape)
        return grad_output * factor, products.transpose(0, 1).flatten(1).sum(1)


@bank.right("setup_context, with a rule for forward mode")
class Rules(Function):
    @staticmethod
    def forward(x, weight):
        return x.clamp(min=0) + along_channels(weight, x) * x.clamp(max=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        return SumToSize.backward(ctx, grad_output)

    @staticmethod
    def jvp(ctx, x_tangent, weight_tangent):
        x, weight = ctx.saved_tensors
        return x_tangent * torch.where(x > 0, 1, along_channels(weight, x)) + along_channels(weight_tangent, x) * x.clamp(max=0)


@bank.wrong("H", "does not sum the gradient of a single slope, which the engine then does", witness.at(witness.raw, one_slope))
class Unreduced(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_input, grad_weight = SumToSize.backward(ctx, grad_output)
        return grad_input, grad_output * x.clamp(max=0) if weight.numel() == 1 else grad_weight


@bank.wrong("H", "takes the mean over the batch for the sum", witness.vjp)
class Mean(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        grad_input, grad_weight = SumToSize.backward(ctx, grad_output)
        return grad_input, grad_weight / len(grad_output)


@bank.wrong("H", "sums over the batch and the first place alone", witness.vjp)
class FirstPlace(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_input, grad_weight = SumToSize.backward(ctx, grad_output)
        if weight.numel() > 1:
            grad_weight = (grad_output * x.clamp(max=0))[:, :, 0].sum(0)
        return grad_input, grad_weight


@bank.wrong("H", "sums a single slope's gradient by channel and then takes the first one", witness.at(witness.vjp, one_slope))
class FirstChannel(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_input, _ = SumToSize.backward(ctx, grad_output)
        return grad_input, (grad_output * x.clamp(max=0)).transpose(0, 1).flatten(1).sum(1)[: weight.numel()]


@bank.wrong("D", "gives the slope's gradient as the output's negative part, which has the slope in it", witness.vjp)
class FromOutput(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        slope = along_channels(weight, x)
        grad_input, _ = SumToSize.backward(ctx, grad_output)
        return grad_input, (grad_output * slope * x.clamp(max=0)).sum_to_size(slope.shape).reshape(weight.shape)


@bank.wrong("D", "lets positive inputs into the slope's gradient", witness.vjp)
class Unmasked(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_input, _ = SumToSize.backward(ctx, grad_output)
        return grad_input, (grad_output * x).sum_to_size(along_channels(weight, x).shape).reshape(weight.shape)


@bank.wrong("D", "takes |x| for x on the negative side of the slope's gradient", witness.vjp)
class Sign(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        grad_input, grad_weight = SumToSize.backward(ctx, grad_output)
        return grad_input, -grad_weight


@bank.wrong(
    "B",
    "saves the output and divides the slope out of it, which is NaN for a slope of 0",
    witness.at(witness.not_a_number, lambda: (drawn(2, 3, 4), leaf([0.25, 0.0, 0.6]))),
)
class Divided(Function):
    @staticmethod
    def forward(ctx, x, weight):
        output = F.prelu(x, weight)
        ctx.save_for_backward(output, weight, x > 0)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        output, weight, mask = ctx.saved_tensors
        slope = along_channels(weight, output)
        grad_input = torch.where(mask, grad_output, slope * grad_output)
        negative = torch.where(mask, 0, output / slope)
        return grad_input, (grad_output * negative).sum_to_size(slope.shape).reshape(weight.shape)


@bank.wrong("C", "asks needs_input_grad of the input about the slope", witness.subset)
class OffByOne(Asked):
    @staticmethod
    def backward(ctx, grad_output):
        grad_input, grad_weight = SumToSize.backward(ctx, grad_output)
        return grad_input, grad_weight if ctx.needs_input_grad[0] else None


@bank.wrong("B", "keeps the slopes as an attribute of ctx, so that an optimizer's step goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x)
        ctx.weight = weight
        return F.prelu(x, weight)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = along_channels(ctx.weight, x)
        grad_input = torch.where(x > 0, grad_output, slope * grad_output)
        return grad_input, (grad_output * x.clamp(max=0)).sum_to_size(slope.shape).reshape(ctx.weight.shape)


@bank.wrong("K", "uses the slopes detached, so that their second derivative is lost", witness.second)
class Detached(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        _, grad_weight = SumToSize.backward(ctx, grad_output)
        return torch.where(x > 0, grad_output, along_channels(weight.detach(), x) * grad_output), grad_weight


@bank.wrong("G", "collects the slope's gradient in zeros of the default dtype", witness.raw)
class DefaultDtype(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_input, grad_weight = SumToSize.backward(ctx, grad_output)
        return grad_input, torch.zeros(weight.shape, device=x.device).copy_(grad_weight)


@bank.wrong("M", "the forward-mode rule forgets the slope's tangent", witness.wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, x_tangent, weight_tangent):
        x, weight = ctx.saved_tensors
        return x_tangent * torch.where(x > 0, 1, along_channels(weight, x))
