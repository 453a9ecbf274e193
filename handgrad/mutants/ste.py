"""Rounding with a straight-through gradient, as if it were the identity."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("ste", lambda: ((2 * drawn(5, 8).detach()).requires_grad_(),), lambda x: x + (x.round() - x).detach(), estimator=True)


@bank.right("hands the upstream gradient on as it is")
class Through(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


@bank.right("hands on a copy; None is handled")
class Copied(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return torch.round(x)

    @staticmethod
    def backward(ctx, *grads):
        return tuple(None if grad is None else grad.clone() for grad in grads)


@bank.right("setup_context, with rules for vmap and forward mode")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.round()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

    @staticmethod
    def jvp(ctx, tangent):
        return tangent.clone()


@bank.right("the remainder is taken off; its own rule for vmap")
class Remainder(Function):
    @staticmethod
    def forward(x):
        return x - (x - x.round())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = output.shape

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.view_as(grad_output) if ctx.needs_input_grad[0] else None

    @staticmethod
    def vmap(info, in_dims, x):
        return Remainder.apply(x), in_dims[0]


@bank.wrong("N", "gives the true derivative, zero", witness.vjp)
class Zero(Through):
    @staticmethod
    def backward(ctx, grad_output):
        return torch.zeros_like(grad_output)


@bank.wrong("N", "marks its output as non-differentiable", witness.tracks)
class Marked(Through):
    @staticmethod
    def forward(ctx, x):
        output = x.round()
        ctx.mark_non_differentiable(output)
        return output


@bank.wrong("D", "lets the gradient through only within one of zero, as for a sign", witness.vjp)
class Window(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.round()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() <= 1)


@bank.wrong(
    "D", "stops the gradient where there was nothing to round", witness.at(witness.vjp, lambda: (leaf([2.0, 0.3, -1.0]),))
)
class Whole(Window):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x != x.round())


@bank.wrong("D", "rounds the upstream gradient too", witness.vjp)
class RoundedUpstream(Through):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.round()


@bank.wrong("D", "multiplies the upstream gradient by the output", witness.vjp)
class TimesOutput(Function):
    @staticmethod
    def forward(ctx, x):
        output = x.round()
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output


@bank.wrong("D", "clips the upstream gradient to 5", witness.large_upstream)
class Clipped(Through):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clamp(-5, 5)


@bank.wrong("O", "rounds halves up, not to the even number", witness.at(witness.value, lambda: (leaf([0.5, 2.5, -1.5]),)))
class HalvesUp(Through):
    @staticmethod
    def forward(ctx, x):
        return (x + 0.5).floor()


@bank.wrong(
    "G", "rounds through 32-bit integers, too small for large numbers", witness.at(witness.value, lambda: (leaf([1e10, -2.2]),))
)
class Integers(Through):
    @staticmethod
    def forward(ctx, x):
        return x.round().int().to(x.dtype)


@bank.wrong(
    "E", "returns its argument's own memory where it is whole already", witness.at(witness.aliases, lambda: (leaf([2.0, -1.0]),))
)
class Shortcut(Through):
    @staticmethod
    def forward(ctx, x):
        output = x.round()
        return x if bool((output == x).all()) else output


@bank.wrong("E", "rounds its argument in place and doesn't say so", witness.writes_input)
class Undeclared(Through):
    @staticmethod
    def forward(ctx, x):
        return x.round_()


@bank.wrong("K", "detaches the upstream gradient", witness.second)
class Detached(Through):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.detach()


@bank.wrong("M", "is straight-through in backward alone, not in forward mode", witness.wrong_jvp)
class ZeroJvp(Rules):
    @staticmethod
    def jvp(ctx, tangent):
        return torch.zeros_like(tangent)
