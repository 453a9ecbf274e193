"""The logistic sigmoid, 1 / (1 + exp(-x)), whose derivative is y * (1 - y) with y its output."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("sigmoid", lambda: (drawn(5, 8),), torch.sigmoid)


@bank.right("saves the output")
class Output(Function):
    @staticmethod
    def forward(ctx, x):
        output = x.sigmoid()
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output * (1 - output)


@bank.right("saves the input and recomputes, with sigmoid(-x) for 1 - sigmoid(x)")
class Recomputed(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / (1 + (-x).exp())

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return x.sigmoid() * (-x).sigmoid() * grad_output


@bank.right("exponentials of negative numbers alone, saves the derivative; no second derivative")
class Stable(Function):
    @staticmethod
    def forward(ctx, x):
        small = (-x.abs()).exp()
        ctx.save_for_backward(small / (1 + small) ** 2)
        return torch.where(x < 0, small, 1) / (1 + small)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope


@bank.right("setup_context, with its own rule for vmap and one for forward mode")
class Rules(Function):
    @staticmethod
    def forward(x):
        return torch.special.expit(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (output - output.square())

    @staticmethod
    def jvp(ctx, tangent):
        (output,) = ctx.saved_tensors
        return tangent * (output - output.square())

    @staticmethod
    def vmap(info, in_dims, x):
        return Rules.apply(x), in_dims[0]


@bank.wrong("D", "applies the formula for the output to the input", witness.vjp)
class OfInput(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x * (1 - x)


@bank.wrong("D", "applies the sigmoid a second time, to the saved output", witness.vjp)
class Again(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        slope = output.sigmoid()
        return grad_output * slope * (1 - slope)


@bank.wrong("D", "multiplies the first factor alone by the upstream gradient: (g * y) * (1 - g * y)", witness.vjp)
class Bracket(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        product = grad_output * output
        return product * (1 - product)


@bank.wrong("D", "forgets the factor 1 - y", witness.vjp)
class FirstFactor(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output


@bank.wrong(
    "D",
    "keeps the output within 0.01 and 0.99 in backward, so that the slope never vanishes",
    witness.at(witness.vjp, lambda: (leaf([6.0, -0.5, -7.0]),)),
)
class NeverVanishes(Output):
    @staticmethod
    def backward(ctx, grad_output):
        output = ctx.saved_tensors[0].clamp(0.01, 0.99)
        return grad_output * output * (1 - output)


@bank.wrong("D", "drops upstream gradients below 0.0001", witness.large_upstream)
class Drops(Output):
    @staticmethod
    def backward(ctx, grad_output):
        return Output.backward(ctx, torch.where(grad_output.abs() < 1e-4, 0, grad_output))


@bank.wrong(
    "O", "divides exp(x) by 1 + exp(x), both infinite for large x", witness.at(witness.value, lambda: (leaf([800.0, -1.0]),))
)
class Overflow(Output):
    @staticmethod
    def forward(ctx, x):
        output = x.exp() / (1 + x.exp())
        ctx.save_for_backward(output)
        return output


@bank.wrong(
    "O",
    "divides exp(-x) by (1 + exp(-x))^2 in backward, which is NaN far below 0",
    witness.at(witness.not_a_number, lambda: (leaf([-800.0, 1.0]),)),
)
class NanFarOut(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (-x).exp() / (1 + (-x).exp()) ** 2


@bank.wrong("B", "keeps the output as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.output = x.sigmoid()
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.output * (1 - ctx.output)


@bank.wrong("E", "multiplies the saved output in place", witness.twice)
class WritesSaved(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        rest = 1 - output
        return output.mul_(rest) * grad_output


@bank.wrong("K", "saves the derivative and does not say that it is a constant to the second one", witness.second)
class Slope(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope


@bank.wrong("G", "makes its ones on the CPU", witness.other_device)
class OnesOnCpu(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output * (torch.ones(output.shape, dtype=output.dtype) - output)


@bank.wrong("M", "the rule for vmap says that its output has no batch axis", witness.wrong_vmap)
class NoBatch(Rules):
    @staticmethod
    def vmap(info, in_dims, x):
        return NoBatch.apply(x), None
