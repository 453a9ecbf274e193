"""Softmax along a dim: exp(x), divided by its sum."""

import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn

bank = Bank("softmax", lambda: (drawn(2, 4, 3), 1), F.softmax)


@bank.right("saves the output; the dim is a number on ctx")
class Output(Function):
    @staticmethod
    def forward(ctx, x, dim):
        output = x.softmax(dim)
        ctx.save_for_backward(output)
        ctx.dim = dim
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        weighted = grad_output * output
        return weighted - output * weighted.sum(ctx.dim, keepdim=True), None


@bank.right("saves the input and recomputes the output")
class Recomputed(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        ctx.dim = dim
        shifted = (x - x.amax(dim, keepdim=True)).exp_()
        return shifted.div_(shifted.sum(dim, keepdim=True))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        output = (x - x.logsumexp(ctx.dim, keepdim=True)).exp()
        return output * (grad_output - (grad_output * output).sum(ctx.dim, keepdim=True)), None


@bank.right("the whole Jacobian matrix of each row, diag(y) - y y^T")
class Jacobian(Function):
    @staticmethod
    def forward(ctx, x, dim):
        output = torch.softmax(x, dim)
        ctx.save_for_backward(output)
        ctx.dim = dim
        return output

    @staticmethod
    def backward(ctx, grad_output):
        rows = ctx.saved_tensors[0].movedim(ctx.dim, -1)
        jacobian = torch.diag_embed(rows) - rows.unsqueeze(-1) * rows.unsqueeze(-2)
        grad = torch.einsum("...i,...ij->...j", grad_output.movedim(ctx.dim, -1), jacobian)
        return grad.movedim(-1, ctx.dim), None


@bank.right("setup_context, with rules for vmap and forward mode, and the same rule for both derivatives")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, dim):
        return x.softmax(dim)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)
        ctx.dim = inputs[1]

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return torch.addcmul(output * grad_output, output, (output * grad_output).sum(ctx.dim, True), value=-1), None

    @staticmethod
    def jvp(ctx, tangent, _):
        (output,) = ctx.saved_tensors
        return output * (tangent - (output * tangent).sum(ctx.dim, keepdim=True))


@bank.wrong("D", "takes the diagonal of the Jacobian alone, y (1 - y)", witness.vjp)
class Diagonal(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output * (1 - output), None


@bank.wrong("D", "sums the upstream gradient without weighting it by the output", witness.vjp)
class Unweighted(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return output * (grad_output - grad_output.sum(ctx.dim, keepdim=True)), None


@bank.wrong("D", "subtracts the mean of the weighted upstream gradient instead of its sum", witness.vjp)
class Mean(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return output * (grad_output - (grad_output * output).mean(ctx.dim, keepdim=True)), None


@bank.wrong("H", "sums along the last axis, whichever dim was asked for", witness.vjp)
class LastAxis(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return output * (grad_output - (grad_output * output).sum(-1, keepdim=True)), None


@bank.wrong("D", "forgets the upstream gradient outside the sum", witness.vjp)
class HalfUpstream(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return output * (1 - (grad_output * output).sum(ctx.dim, keepdim=True)), None


@bank.wrong("D", "forgets that the sum below depends on the input too", witness.vjp)
class ConstantSum(Output):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0], None


@bank.wrong(
    "O",
    "does not subtract the maximum, so it overflows at large inputs",
    witness.at(witness.value, lambda: ((1000 * drawn(2, 4, 3)).detach().requires_grad_(), 1)),
)
class Overflow(Output):
    @staticmethod
    def forward(ctx, x, dim):
        output = x.exp() / x.exp().sum(dim, keepdim=True)
        ctx.save_for_backward(output)
        ctx.dim = dim
        return output


@bank.wrong("B", "keeps its output as an attribute of ctx: a later change of it goes unseen", witness.stale)
class OutputAttribute(Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.output, ctx.dim = x.softmax(dim), dim
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        weighted = grad_output * ctx.output
        return weighted - ctx.output * weighted.sum(ctx.dim, keepdim=True), None


@bank.wrong("K", "keeps a detached copy of its output, so the second derivative takes it for a constant", witness.second)
class Copy(Output):
    @staticmethod
    def forward(ctx, x, dim):
        output = x.softmax(dim)
        ctx.save_for_backward(output.detach().clone())
        ctx.dim = dim
        return output


@bank.wrong("E", "subtracts the sum from the upstream gradient in place", witness.writes_upstream)
class InPlace(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        output = ctx.saved_tensors[0].softmax(ctx.dim)
        total = (grad_output * output).sum(ctx.dim, keepdim=True)
        return output * grad_output.sub_(total), None


@bank.wrong("G", "computes its exponentials in float32, as for half precision", witness.precision)
class Single(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        output = x.softmax(ctx.dim, dtype=torch.float32).to(x.dtype)
        return output * (grad_output - (grad_output * output).sum(ctx.dim, keepdim=True)), None


@bank.wrong("F", "keeps the output on the class, so that the last call's counts", witness.mixes_calls)
class OnClass(Function):
    @staticmethod
    def forward(ctx, x, dim):
        OnClass.output = x.softmax(dim).detach()
        ctx.dim = dim
        return OnClass.output.clone()

    @staticmethod
    def backward(ctx, grad_output):
        weighted = grad_output * OnClass.output
        return weighted - OnClass.output * weighted.sum(ctx.dim, keepdim=True), None
