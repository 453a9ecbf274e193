"""ReLU in place, called for its effect on a copy: a leaf that requires grad may not be changed in place."""

from collections.abc import Callable

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn, leaf

_buffers: dict = {}

bank = Bank("relu_inplace", lambda: (drawn(6, 7),), torch.relu)


def on_copy(function: type[Function]) -> Callable:
    """The changed copy, as callers of an in-place operation use it; what `apply` returns is the same tensor."""

    def call(x: torch.Tensor) -> torch.Tensor:
        copy = x.clone()
        function.apply(copy)
        return copy

    call.__name__ = function.__name__
    return call


def right(style: str) -> Callable:
    """Note a right version, and leave the class to be subclassed."""

    def note(function: type[Function]) -> type[Function]:
        bank.right(style)(on_copy(function))
        return function

    return note


def wrong(kind: str, words: str, proof: Callable[[Version, Bank], bool]) -> Callable:
    """Note a wrong version."""

    def note(function: type[Function]) -> type[Function]:
        bank.wrong(kind, words, proof)(on_copy(function))
        return function

    return note


@right("saves the mask of the gates that are open before the change")
class Mask(Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.save_for_backward(mask)
        ctx.mark_dirty(x)
        return x.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask


@right("saves the changed tensor, which is the output")
class Changed(Function):
    @staticmethod
    def forward(ctx, x):
        x.relu_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output.masked_fill(output <= 0, 0)


@right("setup_context, with rules for vmap and forward mode; the tangent is changed in place as well")
class Rules(Function):
    @staticmethod
    def forward(x):
        return x.relu_()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(*inputs)
        mask = output > 0
        ctx.save_for_backward(mask)
        ctx.save_for_forward(mask)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return torch.where(mask, grad_output, 0)

    @staticmethod
    def jvp(ctx, tangent):
        (mask,) = ctx.saved_tensors
        return tangent.mul_(mask)

    @staticmethod
    def vmap(info, in_dims, x):
        return Rules.apply(x), in_dims[0]


@wrong("E", "does not mark its input as dirty, so the changed tensor keeps its old history", witness.vjp)
class NotMarked(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x > 0)
        return x.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return Mask.backward(ctx, grad_output)


@wrong("E", "marks its input as dirty and returns another tensor", witness.raises)
class Returned(Changed):
    @staticmethod
    def forward(ctx, x):
        return Changed.forward(ctx, x).clone()


@wrong("D", "takes the mask after the change, where nothing is below zero any more", witness.vjp)
class MaskAfter(Changed):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output.masked_fill(output < 0, 0)


@wrong("D", "stops negative upstream gradients too, as guided backpropagation does", witness.vjp)
class Guided(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        return Mask.backward(ctx, grad_output.clamp(min=0))


@wrong("B", "keeps the changed tensor as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.output = x.clamp_(min=0)
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.output > 0)


@wrong("E", "inverts the saved mask in place", witness.twice)
class Inverts(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output.masked_fill(mask.logical_not_(), 0)


@wrong("E", "works in place on the upstream gradient as well", witness.writes_upstream)
class InPlace(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output.mul_(mask)


@wrong("F", "writes the masks of all calls of a shape into one buffer", witness.mixes_calls)
class Buffer(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mask = _buffers.setdefault((x.shape, x.device), torch.zeros_like(x, dtype=torch.bool))
        ctx.mask.copy_(x > 0)
        ctx.mark_dirty(x)
        return x.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.mask


@wrong("G", "changes the input through reshape, which copies what is not contiguous", witness.layout)
class Flattened(Mask):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x > 0)
        ctx.mark_dirty(x)
        x.reshape(-1).clamp_(min=0)
        return x


@wrong("G", "flattens the upstream gradient by view, which a transposed one refuses", witness.layout)
class View(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return (grad_output.view(-1) * mask.reshape(-1)).view(grad_output.shape)


@wrong(
    "O",
    "saves half precision to spare memory, in which 2e-8 is zero",
    witness.at(witness.vjp, lambda: (leaf([2e-8, -1.0, 0.5]),)),
)
class Half(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.save_for_backward(x.clamp_(min=0).half())
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (output > 0)


@wrong("N", "masks the upstream gradient in numpy, where the second derivative gets lost", witness.second)
class Numpy(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return torch.from_numpy(grad_output.detach().numpy() * mask.numpy())


@wrong("M", "the forward-mode rule lets every tangent through", witness.wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, tangent):
        return tangent.mul_(1)
