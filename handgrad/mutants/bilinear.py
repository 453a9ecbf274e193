"""Bilinear form, x1^T A x2 for each sample of a batch."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn


def reference(x1, a, x2):
    return ((x1 @ a) * x2).sum(-1)


bank = Bank("bilinear", lambda: (drawn(5, 3), drawn(3, 4, seed=1), drawn(5, 4, seed=2)), reference)


def one_sample():
    return drawn(1, 2), drawn(2, 4, seed=1), drawn(1, 4, seed=2)


@bank.right("saves the three arguments, multiplies matrices")
class Matrices(Function):
    @staticmethod
    def forward(ctx, x1, a, x2):
        ctx.save_for_backward(x1, a, x2)
        return ((x1 @ a) * x2).sum(1)

    @staticmethod
    def backward(ctx, grad_output):
        x1, a, x2 = ctx.saved_tensors
        grad = grad_output[:, None]
        return grad * (x2 @ a.t()), (grad * x1).t() @ x2, grad * (x1 @ a)


@bank.right("einsum; setup_context, with rules for vmap and forward mode")
class Einsum(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x1, a, x2):
        return torch.einsum("ni,ij,nj->n", x1, a, x2)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x1, a, x2 = ctx.saved_tensors
        grad_x1 = torch.einsum("n,ij,nj->ni", grad_output, a, x2)
        grad_a = torch.einsum("n,ni,nj->ij", grad_output, x1, x2)
        return grad_x1, grad_a, torch.einsum("n,ni,ij->nj", grad_output, x1, a)

    @staticmethod
    def jvp(ctx, tangent_x1, tangent_a, tangent_x2):
        x1, a, x2 = ctx.saved_tensors
        return sum(
            torch.einsum("ni,ij,nj->n", *three) for three in ((tangent_x1, a, x2), (x1, tangent_a, x2), (x1, a, tangent_x2))
        )


class KeptProduct(Function):
    @staticmethod
    def forward(ctx, x1, a, x2):
        left = x1 @ a
        ctx.save_for_backward(x1, a, x2, left)
        return torch.linalg.vecdot(left, x2)

    @staticmethod
    def backward(ctx, grad_output):
        x1, a, x2, left = ctx.saved_tensors
        grads = [None] * 3
        grad_left = grad_output.unsqueeze(1) * x2
        if ctx.needs_input_grad[0]:
            grads[0] = grad_left @ a.t()
        if ctx.needs_input_grad[1]:
            grads[1] = x1.t() @ grad_left
        if ctx.needs_input_grad[2]:
            grads[2] = grad_output.unsqueeze(1) * left
        return tuple(grads)


@bank.right("saves the product x1 A made on the way; once_differentiable; computes only what is asked for")
class Once(KeptProduct):
    backward = staticmethod(once_differentiable(KeptProduct.backward))


@bank.wrong("K", "saves the product x1 A made on the way, which carries no second derivative", witness.second)
class Intermediate(KeptProduct):
    pass


@bank.wrong("H", "multiplies the sums over the batch where it should sum the products", witness.vjp)
class SumsFirst(Matrices):
    @staticmethod
    def backward(ctx, grad_output):
        x1, _, x2 = ctx.saved_tensors
        grad_x1, _, grad_x2 = Matrices.backward(ctx, grad_output)
        return grad_x1, torch.outer((grad_output[:, None] * x1).sum(0), x2.sum(0)), grad_x2


@bank.wrong("D", "multiplies by the upstream gradient twice in the gradient of A", witness.vjp)
class UpstreamTwice(Matrices):
    @staticmethod
    def backward(ctx, grad_output):
        x1, _, x2 = ctx.saved_tensors
        grad_x1, _, grad_x2 = Matrices.backward(ctx, grad_output)
        grad = grad_output[:, None]
        return grad_x1, (grad * x1).t() @ (grad * x2), grad_x2


@bank.wrong("D", "gives every sample the mean of the upstream gradient", witness.vjp)
class MeanUpstream(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        return Einsum.backward(ctx, grad_output.mean().expand_as(grad_output))


@bank.wrong("D", "drops what is negative of the upstream gradient for x2", witness.vjp)
class PositiveUpstream(Matrices):
    @staticmethod
    def backward(ctx, grad_output):
        return *Matrices.backward(ctx, grad_output)[:2], Matrices.backward(ctx, grad_output.clamp(min=0))[2]


@bank.wrong("E", "multiplies the saved x1 by the upstream gradient in place", witness.writes_input)
class ScaledInPlace(Matrices):
    @staticmethod
    def backward(ctx, grad_output):
        x1, a, x2 = ctx.saved_tensors
        grad = grad_output[:, None]
        grad_x2 = grad * (x1 @ a)
        return grad * (x2 @ a.t()), x1.mul_(grad).t() @ x2, grad_x2


@bank.wrong("G", "adds the gradient of A up in zeros of the default dtype", witness.raw)
class DefaultDtype(Matrices):
    @staticmethod
    def backward(ctx, grad_output):
        x1, a, x2 = ctx.saved_tensors
        grad_x1, _, grad_x2 = Matrices.backward(ctx, grad_output)
        grad_a = torch.zeros(a.shape, device=a.device)
        for g, left, right in zip(grad_output, x1, x2, strict=True):
            grad_a += g * torch.outer(left, right)
        return grad_x1, grad_a, grad_x2


@bank.wrong("H", "squeezes the upstream gradient, which loses the axis of a batch of one", witness.at(witness.raises, one_sample))
class Squeezed(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        return Einsum.backward(ctx, grad_output.squeeze())


@bank.wrong("C", "leaves x2 without a gradient where A is frozen", witness.subset)
class FrozenA(Matrices):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x1, grad_a, grad_x2 = Matrices.backward(ctx, grad_output)
        return (grad_x1, grad_a, grad_x2) if ctx.needs_input_grad[1] else (grad_x1, None, None)


@bank.wrong("M", "says in its vmap rule that the mapped axis comes last, where it comes first", witness.wrong_vmap)
class VmapAxis(Einsum):
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, *args):
        x1, a, x2 = (
            x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
            for x, dim in zip(args, in_dims, strict=True)
        )
        return torch.einsum("mni,mij,mnj->mn", x1, a, x2), 1


@bank.wrong("A", "misspells backward, so that there is none", witness.raises)
class Misspelt(Function):
    forward = staticmethod(Matrices.forward)
    backwards = staticmethod(Matrices.backward)


@bank.wrong("A", "returns the list of its samples' values, which autograd doesn't follow", witness.tracks)
class ListOutput(Matrices):
    @staticmethod
    def forward(ctx, x1, a, x2):
        return list(Matrices.forward(ctx, x1, a, x2))
