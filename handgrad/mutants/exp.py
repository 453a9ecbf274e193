"""Exp, whose derivative is its own output."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("exp", lambda: (drawn(5, 8),), torch.exp)


@bank.right("saves the output")
class Output(Function):
    @staticmethod
    def forward(ctx, x):
        output = x.exp()
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output


@bank.right("saves the output; setup_context, with rules for vmap and forward mode")
class Setup(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output.mul(output)

    @staticmethod
    def jvp(ctx, tangent):
        (output,) = ctx.saved_tensors
        return tangent * output


@bank.right("saves the input and calls itself in backward; its own rule for vmap")
class Recomputed(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return Recomputed.apply(x) * grad_output

    @staticmethod
    def vmap(info, in_dims, x):
        return Recomputed.apply(x), in_dims[0]


@bank.wrong("D", "multiplies by the saved input, taken for the output", witness.vjp)
class InputForOutput(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    backward = Output.backward


@bank.wrong("D", "takes the exponential of the saved output", witness.vjp)
class Twofold(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output.exp()


@bank.wrong("D", "takes a forward difference with step 1e-4 for the derivative", witness.vjp)
class Difference(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ((x + 1e-4).exp() - x.exp()) / 1e-4


@bank.wrong("O", "clamps the exponent at 10 in backward only", witness.at(witness.vjp, lambda: (leaf([12.0, -1.0]),)))
class Clamped(Recomputed):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.clamp(max=10).exp()


@bank.wrong("B", "keeps the output as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.output = x.exp()
        return ctx.output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.output


@bank.wrong("K", "saves a copy of the output, which has no graph back to the input", witness.second)
class Copy(Function):
    @staticmethod
    def forward(ctx, x):
        output = x.exp()
        ctx.save_for_backward(output.clone())
        return output

    backward = Output.backward


@bank.wrong("E", "multiplies into the upstream gradient", witness.writes_upstream)
class IntoUpstream(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output.mul_(output)


@bank.wrong("E", "multiplies into the saved output, which its caller holds too", witness.twice)
class IntoOutput(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return output.mul_(grad_output).clone()


@bank.wrong("G", "saves the output as bfloat16 to spare memory", witness.precision)
class Bfloat16(Function):
    @staticmethod
    def forward(ctx, x):
        output = x.exp()
        ctx.save_for_backward(output.bfloat16())
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * output.to(grad_output.dtype)


@bank.wrong("G", "reads the upstream gradient in the strides of the output", witness.expanded)
class Strides(Output):
    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output.as_strided(output.shape, output.stride()) * output


@bank.wrong("F", "keeps the output on the class", witness.mixes_calls)
class OnClass(Function):
    @staticmethod
    def forward(ctx, x):
        OnClass.output = x.exp()
        return OnClass.output.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * OnClass.output


@bank.wrong("M", "hands the tangent through unchanged in forward mode", witness.wrong_jvp)
class TangentAsItIs(Setup):
    @staticmethod
    def jvp(ctx, tangent):
        return tangent.clone()
