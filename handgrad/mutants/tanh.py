"""The hyperbolic tangent, whose derivative is 1 - y^2 with y its output."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn, leaf

bank = Bank("tanh", lambda: (drawn(5, 2, 4),), torch.tanh)


def last_axis_batched(version: Version, bank: Bank) -> bool:
    """Under vmap over the last axis the result differs from the reference's."""
    (x,) = bank.inputs()
    got, want = (torch.func.vmap(function, in_dims=-1)(x.detach()) for function in (version, bank.reference))
    return got.shape != want.shape or not torch.allclose(got, want)


@bank.right("saves the output, subtracts")
class Output(Function):
    @staticmethod
    def forward(ctx, x):
        output = torch.tanh(x)
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output - grad_output * output**2


@bank.right("saves the input, recomputes through the sigmoid")
class Recomputed(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 4 * (2 * x).sigmoid() * (-2 * x).sigmoid() * grad_output


@bank.right("saves the derivative; no second derivative; works in place on tensors of its own")
class Slope(Function):
    @staticmethod
    def forward(ctx, x):
        output = x.tanh()
        ctx.save_for_backward(output.square().neg_().add_(1))
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output.clone().mul_(slope)


@bank.right("setup_context, a None upstream gradient handed on, rules for vmap and forward mode")
class Rules(Function):
    @staticmethod
    def forward(x):
        return x.tanh()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None
        (output,) = ctx.saved_tensors
        return torch.addcmul(grad_output, grad_output * output, output, value=-1)

    @staticmethod
    def jvp(ctx, tangent):
        (output,) = ctx.saved_tensors
        return tangent * (1 - output * output)

    @staticmethod
    def vmap(info, in_dims, x):
        return Rules.apply(x), in_dims[0]


@bank.wrong("D", "takes the derivative at the upstream gradient: 1 - g^2", witness.vjp)
class OfUpstream(Output):
    @staticmethod
    def backward(ctx, grad_output):
        return 1 - grad_output**2


@bank.wrong("D", "applies the formula for the output to the input", witness.vjp)
class OfInput(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (1 - x**2)


@bank.wrong("D", "applies tanh a second time, to the saved output", witness.vjp)
class Again(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (1 - output.tanh() ** 2)


@bank.wrong("D", "forgets the brackets: g * 1 - y^2", witness.vjp)
class Brackets(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output - output**2


@bank.wrong("D", "gives the sigmoid's derivative, y * (1 - y)", witness.vjp)
class Sigmoids(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output * (1 - output)


@bank.wrong("D", "cuts off the upstream gradient at 5", witness.large_upstream)
class Clipped(Output):
    @staticmethod
    def backward(ctx, grad_output):
        return Output.backward(ctx, grad_output.clamp(-5, 5))


@bank.wrong(
    "D",
    "takes 1 - x^2 for the slope of small x, 0.05 and below, too rough by its fourth-order term",
    witness.at(witness.vjp, lambda: (leaf([0.05, -0.04, 1.0]),)),
)
class Series(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x.abs() <= 0.05, grad_output * (1 - x**2), Recomputed.backward(ctx, grad_output))


@bank.wrong(
    "O",
    "divides the difference of exponentials by their sum, which is NaN far out",
    witness.at(witness.value, lambda: (leaf([-1000.0, 0.5]),)),
)
class Overflow(Output):
    @staticmethod
    def forward(ctx, x):
        output = (x.exp() - (-x).exp()) / (x.exp() + (-x).exp())
        ctx.save_for_backward(output)
        return output


@bank.wrong("G", "recomputes in float32", witness.precision)
class Single(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (1 - x.float().tanh() ** 2).to(x.dtype)


@bank.wrong("N", "computes in numpy on detached arrays, to which the second derivative is blind", witness.second)
class Numpy(Output):
    @staticmethod
    def backward(ctx, grad_output):
        output = ctx.saved_tensors[0].detach().cpu().numpy()
        upstream = grad_output.detach().cpu().numpy()
        return torch.from_numpy(upstream * (1 - output**2)).to(grad_output.device)


@bank.wrong("F", "keeps the output as an attribute of ctx: a cycle that only the garbage collector ends", witness.leaks)
class Cycle(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.output = x.tanh()
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (1 - ctx.output**2)


@bank.wrong("E", "squares the saved output in place", witness.twice)
class WritesSaved(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (1 - output.square_())


@bank.wrong("M", "the rule for vmap calls the first axis the batch, wherever it is", last_axis_batched)
class FirstAxis(Rules):
    @staticmethod
    def vmap(info, in_dims, x):
        return FirstAxis.apply(x), 0
