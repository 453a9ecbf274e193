"""ReLU, the gate that passes its input where it is positive."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("relu", lambda: (drawn(6, 7),), torch.relu)


@bank.right("saves the input, writes into a copy of the upstream gradient")
class Clone(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


@bank.right("saves the mask alone")
class Mask(Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask


@bank.right("saves the output; setup_context, with rules for vmap and forward mode")
class Output(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return torch.where(output > 0, grad_output, 0)

    @staticmethod
    def jvp(ctx, tangent):
        (output,) = ctx.saved_tensors
        return tangent * (output > 0)


@bank.wrong("D", "lets everything through", witness.vjp)
class Identity(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


@bank.wrong("D", "forgets the upstream gradient", witness.vjp)
class NoUpstream(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return mask.to(grad_output.dtype)


@bank.wrong("D", "takes the absolute value of the upstream gradient", witness.vjp)
class Absolute(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output.abs() * mask


@bank.wrong("D", "lets a tenth through on the negative side", witness.vjp)
class Leaky(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return torch.where(mask, grad_output, 0.1 * grad_output)


@bank.wrong("D", "opens the gate at 0.001", witness.at(witness.vjp, lambda: (leaf([4e-4, -1.0]),)))
class Threshold(Clone):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x > 1e-3)


@bank.wrong("E", "writes into the upstream gradient", witness.writes_upstream)
class InPlace(Clone):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output[x < 0] = 0
        return grad_output


@bank.wrong("B", "keeps the input as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (ctx.x > 0)


@bank.wrong("K", "detaches the upstream gradient", witness.second)
class Detached(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output.detach() * mask


@bank.wrong("G", "rounds to float32 on the way", witness.precision)
class Single(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return (grad_output.float() * mask).to(grad_output.dtype)


@bank.wrong("G", "fills zeros of the default dtype", witness.raw)
class DefaultDtype(Clone):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = torch.zeros(x.shape, device=x.device)
        grad_input[x > 0] = grad_output[x > 0].float()
        return grad_input


@bank.wrong("F", "keeps the mask on the class", witness.mixes_calls)
class OnClass(Function):
    @staticmethod
    def forward(ctx, x):
        OnClass.mask = x > 0
        return x * OnClass.mask

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * OnClass.mask


@bank.wrong("G", "makes its zeros on the CPU", witness.other_device)
class OnCpu(Clone):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, grad_output, torch.zeros(x.shape, dtype=x.dtype, device="cpu"))


@bank.wrong("O", "divides by the input, which is NaN at 0", witness.at(witness.not_a_number, lambda: (leaf([0.0]),)))
class NanAtZero(Clone):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.clamp(min=0) / x
