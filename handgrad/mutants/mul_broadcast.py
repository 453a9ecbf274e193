"""The product of two tensors of differing shapes: each gradient is summed over the axes along which its factor was spread."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("mul_broadcast", lambda: (drawn(4, 1, 3, seed=1), drawn(5, 1, seed=2)), torch.mul)


def reduced(grad: torch.Tensor, shape: torch.Size) -> torch.Tensor:
    """The gradient summed over the axes that broadcasting added in front or spread from size 1."""
    front = grad.dim() - len(shape)
    spread = [front + i for i, size in enumerate(shape) if size == 1]
    axes = [*range(front), *spread]
    return grad.sum(axes, keepdim=True).reshape(shape) if axes else grad


@bank.right("saves the factors; sum_to_size")
class SumToSize(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return (grad_output * y).sum_to_size(x.shape), (grad_output * x).sum_to_size(y.shape)


@bank.right("finds the axes itself; saves only what the asked-for gradients need")
class Axes(Function):
    @staticmethod
    def forward(ctx, x, y):
        need_x, need_y = ctx.needs_input_grad
        ctx.save_for_backward(y if need_x else None, x if need_y else None)
        ctx.shapes = x.shape, y.shape
        return torch.mul(x, y)

    @staticmethod
    def backward(ctx, grad_output):
        pairs = zip(ctx.saved_tensors, ctx.shapes, strict=True)
        return tuple(None if other is None else reduced(grad_output * other, shape) for other, shape in pairs)


@bank.right("saves the spread views of its factors, and says that it is differentiable only once")
class Spread(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        x, y = torch.broadcast_tensors(x, y)
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        shape_x, shape_y = ctx.shapes
        return reduced(grad_output * y, shape_x), reduced(grad_output * x, shape_y)


@bank.right("setup_context, forward mode, and a rule for vmap that keeps the factors' axes aligned")
class Rules(Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return Rules.apply(grad_output, y).sum_to_size(x.shape), Rules.apply(grad_output, x).sum_to_size(y.shape)

    @staticmethod
    def jvp(ctx, tangent_x, tangent_y):
        x, y = ctx.saved_tensors
        return tangent_x * y + x * tangent_y

    @staticmethod
    def vmap(info, in_dims, x, y):
        axes = max(a.dim() - (dim is not None) for a, dim in zip((x, y), in_dims, strict=True))

        def aligned(a, dim):
            if dim is None:
                return a
            a = a.movedim(dim, 0)
            return a.reshape(len(a), *[1] * (axes + 1 - a.dim()), *a.shape[1:])

        return Rules.apply(aligned(x, in_dims[0]), aligned(y, in_dims[1])), 0


@bank.wrong("H", "returns its gradients in the shape of the product", witness.raw)
class Unreduced(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * y, grad_output * x


@bank.wrong("H", "sums the axes added in front, but not those spread from size 1", witness.raw)
class FrontOnly(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        def front(grad, shape):
            while grad.dim() > len(shape):
                grad = grad.sum(0)
            return grad

        x, y = ctx.saved_tensors
        return front(grad_output * y, x.shape), front(grad_output * x, y.shape)


@bank.wrong("H", "compares the shapes from the left", witness.raises)
class FromLeft(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        def left(grad, shape):
            padded = (*shape, *[1] * (grad.dim() - len(shape)))
            return reduced(grad, padded).reshape(shape)

        x, y = ctx.saved_tensors
        return left(grad_output * y, x.shape), left(grad_output * x, y.shape)


@bank.wrong("H", "drops the axes that it sums", witness.raises)
class Dropped(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        def dropped(grad, shape):
            front = grad.dim() - len(shape)
            axes = [*range(front), *(front + i for i, size in enumerate(shape) if size == 1)]
            return grad.sum(axes) if axes else grad

        x, y = ctx.saved_tensors
        return dropped(grad_output * y, x.shape), dropped(grad_output * x, y.shape)


@bank.wrong(
    "H",
    "sums over no axes, which means over all of them, where the shapes are the same",
    witness.at(witness.raises, lambda: (drawn(2, 3, seed=1), drawn(2, 3, seed=2))),
)
class NoAxes(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        def summed(grad, shape):
            front = grad.dim() - len(shape)
            axes = [*range(front), *(front + i for i, size in enumerate(shape) if size < grad.shape[front + i])]
            return grad.sum(axes, keepdim=True).reshape(shape)

        x, y = ctx.saved_tensors
        return summed(grad_output * y, x.shape), summed(grad_output * x, y.shape)


@bank.wrong("H", "takes the mean over the spread axes", witness.vjp)
class Mean(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        grads = SumToSize.backward(ctx, grad_output)
        return tuple(grad * (grad.numel() / grad_output.numel()) for grad in grads)


@bank.wrong("H", "sums the upstream gradient before it multiplies", witness.vjp)
class SumsFirst(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = grad_output.sum_to_size(x.shape) * y.expand_as(grad_output).sum_to_size(x.shape)
        return grad_x, (grad_output * x).sum_to_size(y.shape)


@bank.wrong("B", "saves a factor where its own gradient is asked for, not the other's", witness.subset)
class SavesOwn(SumToSize):
    @staticmethod
    def forward(ctx, x, y):
        need_x, need_y = ctx.needs_input_grad
        ctx.shapes = x.shape, y.shape
        ctx.save_for_backward(x if need_x else None, y if need_y else None)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        shape_x, shape_y = ctx.shapes
        grad_x = (grad_output * y).sum_to_size(shape_x) if ctx.needs_input_grad[0] else None
        grad_y = (grad_output * x).sum_to_size(shape_y) if ctx.needs_input_grad[1] else None
        return grad_x, grad_y


@bank.wrong("E", "multiplies the upstream gradient in place, after the last use of it", witness.writes_upstream)
class InPlace(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_y = (grad_output * x).sum_to_size(y.shape)
        return grad_output.mul_(y).sum_to_size(x.shape), grad_y


@bank.wrong("B", "keeps its second factor as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        ctx.y = y
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return (grad_output * ctx.y).sum_to_size(x.shape), (grad_output * x).sum_to_size(ctx.y.shape)


@bank.wrong("K", "takes the data of the saved factors, constants to the second derivative", witness.second)
class Data(SumToSize):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = (saved.data for saved in ctx.saved_tensors)
        return (grad_output * y).sum_to_size(x.shape), (grad_output * x).sum_to_size(y.shape)


@bank.wrong(
    "O",
    "divides the output by one factor to have the other, which is NaN where the factor is 0",
    witness.at(witness.not_a_number, lambda: (leaf([[0.0], [2.0]]), leaf([1.0, -1.0, 3.0]))),
)
class Divides(Function):
    @staticmethod
    def forward(ctx, x, y):
        output = x * y
        ctx.save_for_backward(x, y, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        x, y, output = ctx.saved_tensors
        weighted = grad_output * output
        return (weighted / x).sum_to_size(x.shape), (weighted / y).sum_to_size(y.shape)


@bank.wrong(
    "M", "the rule for vmap moves the batch in front, past which factors of differing rank no longer align", witness.wrong_vmap
)
class Misaligned(Rules):
    @staticmethod
    def vmap(info, in_dims, x, y):
        x, y = (a if dim is None else a.movedim(dim, 0) for a, dim in zip((x, y), in_dims, strict=True))
        return Rules.apply(x, y), 0
