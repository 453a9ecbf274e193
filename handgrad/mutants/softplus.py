"""Softplus, log(1 + exp(x)), whose derivative is the sigmoid; x itself far above 0."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("softplus", lambda: (drawn(5, 8),), lambda x: -F.logsigmoid(-x))


@bank.right("max(x, 0) + log1p(exp(-|x|)), saves the input")
class Stable(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)


@bank.right("saves the output y, the derivative is 1 - exp(-y)")
class Output(Function):
    @staticmethod
    def forward(ctx, x):
        output = torch.logaddexp(x, torch.zeros_like(x))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return -torch.expm1(-output) * grad_output


@bank.right("minus the log of sigmoid(-x); saves the sigmoid, so that there is no second derivative")
class Gate(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.sigmoid())
        return -F.logsigmoid(-x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (gate,) = ctx.saved_tensors
        return grad_output * gate


@bank.right("setup_context, with rules for vmap and forward mode; saves the input")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.where(x > 0, x + (-x).exp().log1p(), x.exp().log1p())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * F.logsigmoid(x).exp()

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * x.sigmoid()


@bank.wrong("D", "forgets the derivative of exp inside of the log: 1 / (1 + exp(x))", witness.vjp)
class InnerForgotten(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(-x)


@bank.wrong("D", "gives ReLU's derivative, which it is the smooth version of", witness.vjp)
class Relu(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x > 0)


@bank.wrong("D", "takes the sigmoid of the output", witness.vjp)
class OfOutput(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output.sigmoid()


@bank.wrong("D", "forgets the upstream gradient", witness.vjp)
class NoUpstream(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.sigmoid(x)


@bank.wrong(
    "D", "takes the slope for 1 above 4, where it still is 0.98", witness.at(witness.vjp, lambda: (leaf([4.5, 2.0, -1.0]),))
)
class EarlyLine(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 4, grad_output, Stable.backward(ctx, grad_output))


@bank.wrong("O", "takes exp(x) as it is, infinite for large x", witness.at(witness.value, lambda: (leaf([800.0, -1.0]),)))
class Overflow(Stable):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(x))


@bank.wrong(
    "O",
    "differentiates a torch.where whose other branch is infinite, so that 0 * inf is NaN",
    witness.at(witness.not_a_number, lambda: (leaf([800.0, -1.0]),)),
)
class OtherBranch(Stable):
    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            output = torch.where(x > 20, x, x.exp().log1p())
        return torch.autograd.grad(output, x, grad_output)


@bank.wrong("B", "keeps the input as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.sigmoid(ctx.x)


@bank.wrong("F", "keeps the slope on the class, where the next call overwrites it", witness.mixes_calls)
class OnClass(Stable):
    @staticmethod
    def forward(ctx, x):
        OnClass.slope = x.sigmoid()
        return Stable.forward(ctx, x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return grad_output * OnClass.slope


@bank.wrong("E", "multiplies the upstream gradient in place", witness.writes_upstream)
class InPlace(Gate):
    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (gate,) = ctx.saved_tensors
        return grad_output.mul_(gate)


@bank.wrong("G", "works in float64 to be exact, and returns float64 for float32", witness.raw)
class Double(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x.double())


@bank.wrong("K", "takes the input by .data, behind which the second derivative does not see", witness.second)
class Data(Stable):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * torch.sigmoid(x.data)


@bank.wrong("M", "the forward-mode rule applies the function itself to the tangent", witness.wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, tangent):
        return F.softplus(tangent)
