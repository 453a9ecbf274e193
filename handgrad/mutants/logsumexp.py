"""Logsumexp, the smooth maximum along an axis: log sum exp(x)."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

AXIS = 1
bank = Bank("logsumexp", lambda: (drawn(3, 4, 5),), lambda x: torch.logsumexp(x, AXIS))


def large():
    return (leaf([[[800.0], [801.5], [799.0]], [[-1.0], [0.5], [2.0]]]),)


def far_apart():
    return (leaf([[[0.5], [1.5], [-1.0]], [[-900.0], [-901.0], [-899.5]]]),)


def bumps_version(version, bank) -> bool:
    """forward changes its argument on the way, so that others who saved it can't go backward any more."""
    (x,) = bank.inputs()
    middle = x * 1.0
    other = middle.sin()
    version(middle)
    try:
        other.sum().backward()
    except RuntimeError:
        return True
    return False


@bank.right("saves the input and the output: the softmax is exp(x - output)")
class Both(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.amax(AXIS, keepdim=True)
        output = (x - top).exp().sum(AXIS).log() + top.squeeze(AXIS)
        ctx.save_for_backward(x, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        return grad_output.unsqueeze(AXIS) * (x - output.unsqueeze(AXIS)).exp()


class SavedWeights(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.amax(AXIS, keepdim=True)
        weights = (x - top).exp_()
        total = weights.sum(AXIS, keepdim=True)
        ctx.save_for_backward(weights.div_(total))
        return (top + total.log_()).squeeze(AXIS)

    @staticmethod
    def backward(ctx, grad_output):
        (weights,) = ctx.saved_tensors
        return weights * grad_output.unsqueeze(AXIS)


@bank.right("saves the softmax made on the way; once_differentiable")
class Once(SavedWeights):
    backward = staticmethod(once_differentiable(SavedWeights.backward))


@bank.right("recomputes the softmax; setup_context, with rules for vmap and forward mode")
class Recomputed(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.logsumexp(AXIS)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.einsum("nl,nkl->nkl", grad_output, x.softmax(AXIS))

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return (tangent * x.softmax(AXIS)).sum(AXIS)


@bank.wrong("D", "hands the whole gradient to the largest entry, as if it were max", witness.vjp)
class Hard(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        places = x.argmax(AXIS, keepdim=True)
        return torch.zeros_like(x).scatter(AXIS, places, grad_output.unsqueeze(AXIS))


@bank.wrong("D", "gives the subtracted maximum a gradient of its own", witness.vjp)
class MaximumToo(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.unsqueeze(AXIS) * (x.softmax(AXIS) + (x == x.amax(AXIS, keepdim=True)))


@bank.wrong("D", "divides by the size of the axis, as for the mean of the exponentials", witness.vjp)
class MeanExp(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.unsqueeze(AXIS) * x.softmax(AXIS) / x.shape[AXIS]


@bank.wrong("H", "normalises over the whole tensor instead of the axis", witness.vjp)
class Everything(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.unsqueeze(AXIS) * x.flatten().softmax(0).reshape(x.shape)


@bank.wrong("H", "puts the axis of the upstream gradient back at the wrong place", witness.raises)
class WrongPlace(Both):
    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        return grad_output.unsqueeze(-1) * (x - output.unsqueeze(AXIS)).exp()


@bank.wrong("D", "leaves out the last entry of the axis in its loop", witness.vjp)
class LastLeftOut(Both):
    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        slices = [grad_output * (x.select(AXIS, i) - output).exp() for i in range(x.shape[AXIS] - 1)]
        return torch.stack([*slices, torch.zeros_like(output)], AXIS)


@bank.wrong("O", "divides exp(x) by exp(output), which overflow at large inputs", witness.at(witness.not_a_number, large))
class Ratio(Both):
    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        return x.exp() * (grad_output / output.exp()).unsqueeze(AXIS)


@bank.wrong(
    "O",
    "shifts by the maximum of the whole tensor, so a row far below it gives minus infinity",
    witness.at(witness.value, far_apart),
)
class GlobalShift(Recomputed):
    @staticmethod
    def forward(x):
        top = x.amax()
        return (x - top).exp().sum(AXIS).log() + top


@bank.wrong("K", "saves the softmax made on the way, which carries no second derivative", witness.second)
class Intermediate(SavedWeights):
    pass


@bank.wrong("D", "rounds its gradient to six decimals", witness.large_upstream)
class Rounded(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        return Recomputed.backward(ctx, grad_output).round(decimals=6)


@bank.wrong("E", "shifts the input in place and back again, which others who saved it notice", bumps_version)
class ShiftedInPlace(Both):
    @staticmethod
    def forward(ctx, x):
        top = x.amax(AXIS, keepdim=True)
        output = x.sub_(top).exp().sum(AXIS).log() + top.squeeze(AXIS)
        ctx.save_for_backward(x.add_(top), output)
        return output


@bank.wrong("M", "forgets in its vmap rule that the mapped axis moves the others by one", witness.wrong_vmap)
class VmapAxis(Recomputed):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, x):
        return x.movedim(in_dims[0], 0).logsumexp(AXIS), 0
