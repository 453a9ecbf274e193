"""Dropout with a mask that is given: x * mask / (1 - p), the mask float and without gradient."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn


def given(*shape, seed=0):
    """A mask of ones and zeros."""
    return (drawn(*shape, seed=seed).detach() > -0.2).double()


bank = Bank("dropout_mask", lambda: (drawn(2, 5, 3), given(2, 5, 3, seed=1), 0.3), lambda x, mask, p=0.5: x * mask / (1 - p))


@bank.right("saves the mask as it is, the probability is a number on ctx")
class Plain(Function):
    @staticmethod
    def forward(ctx, x, mask, p):
        ctx.save_for_backward(mask)
        ctx.p = p
        return x * mask / (1 - p)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask / (1 - ctx.p), None, None


@bank.right("saves the mask already scaled, and only if its gradient is asked for")
class Scaled(Function):
    @staticmethod
    def forward(ctx, x, mask, p=0.5):
        scaled = mask.div(1 - p)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(scaled)
        return scaled * x

    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None, None, None
        return torch.mul(grad_output, *ctx.saved_tensors), None, None


@bank.right("setup_context, with rules for vmap and forward mode; takes None for a missing upstream gradient")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, mask, p):
        return torch.einsum("...,...->...", x, mask).mul_(1 / (1 - p))

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, mask, p = inputs
        ctx.scale = 1 / (1 - p)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(mask)
        ctx.save_for_forward(mask)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None, None
        (mask,) = ctx.saved_tensors
        return ctx.scale * (grad_output * mask), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        (mask,) = ctx.saved_tensors
        return None if tangent is None else ctx.scale * (tangent * mask)


def along_input(version, bank):
    """The forward-mode derivative along the input is wrong."""
    x, mask, p = bank.inputs()
    fixed = Bank("", lambda: (x.detach(),), lambda x: bank.reference(x, mask, p))
    return witness.wrong_jvp(lambda x: version(x, mask, p), fixed)


def other_mask_between(version, bank):
    """A second call with another mask, before the first one's backward, changes the first one's gradient."""

    def both(x, mask, p):
        output = version(x, mask, p)
        version(x.detach().clone().requires_grad_(), 1 - mask, p)
        return output

    return witness.vjp(both, bank)


def mask_drawn_again(version, bank):
    """After the mask was filled anew in place, backward silently gives another gradient."""

    def refilled(x, mask, p):
        buffer = mask.clone()
        output = version(x, buffer, p)
        buffer.copy_(1 - mask)
        return output

    try:
        return witness.vjp(refilled, bank)
    except RuntimeError:
        return False


@bank.wrong("D", "forgets in backward that forward scales", witness.vjp)
class Unscaled(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0], None, None


@bank.wrong("D", "divides by the probability to drop instead of that to keep", witness.vjp)
class DividesByDrop(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0] / ctx.p, None, None


@bank.wrong("D", "scales the mask in forward and once more in backward", witness.vjp)
class ScaledTwice(Scaled):
    @staticmethod
    def forward(ctx, x, mask, p):
        ctx.p = p
        return Scaled.forward(ctx, x, mask, p)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0] / (1 - ctx.p), None, None


@bank.wrong("D", "divides by the share that the mask happened to keep", witness.vjp)
class ShareKept(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask / mask.mean(), None, None


@bank.wrong("D", "draws another mask for backward", witness.vjp)
class DrawsAgain(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        return torch.dropout(grad_output, ctx.p, True), None, None


@bank.wrong(
    "D",
    "takes what is zero in the output for dropped, even where the input was zero",
    witness.at(witness.vjp, lambda: (torch.zeros(2, 3).double().requires_grad_(), torch.ones(2, 3).double(), 0.4)),
)
class ZeroIsDropped(Function):
    @staticmethod
    def forward(ctx, x, mask, p):
        output = x * mask / (1 - p)
        ctx.save_for_backward(output)
        ctx.p = p
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (output,) = ctx.saved_tensors
        return grad_output * (output != 0) / (1 - ctx.p), None, None


@bank.wrong(
    "D",
    "saves the mask as booleans, which a mask of other numbers than 0 and 1 doesn't survive",
    witness.at(witness.vjp, lambda: (drawn(2, 3), torch.full((2, 3), 0.5, dtype=torch.float64), 0.4)),
)
class Booleans(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0].bool() / (1 - ctx.p), None, None


@bank.wrong("G", "keeps the scaled mask in half precision, to save memory", witness.precision)
class HalfMask(Plain):
    @staticmethod
    def forward(ctx, x, mask, p):
        ctx.save_for_backward((mask / (1 - p)).half())
        return x * mask / (1 - p)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0], None, None


@bank.wrong("G", "makes the probability to keep a tensor of the default dtype", witness.precision)
class KeepTensor(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output * mask / torch.tensor(1 - ctx.p), None, None


@bank.wrong("E", "masks the upstream gradient in place", witness.writes_upstream)
class InPlace(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return grad_output.mul_(mask).div(1 - ctx.p), None, None


@bank.wrong("E", "scales the given mask in place in forward", witness.writes_input)
class ScalesMask(Plain):
    @staticmethod
    def forward(ctx, x, mask, p):
        output = x * mask.div_(1 - p)
        ctx.save_for_backward(mask)
        ctx.p = 0
        return output


@bank.wrong("B", "keeps the mask as an attribute of ctx, where a buffer that is filled anew goes unseen", mask_drawn_again)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, mask, p):
        ctx.mask, ctx.p = mask, p
        return x * mask / (1 - p)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.mask / (1 - ctx.p), None, None


@bank.wrong("F", "keeps the mask on the class, so that the last call's counts", other_mask_between)
class OnClass(Function):
    @staticmethod
    def forward(ctx, x, mask, p):
        OnClass.scaled = mask / (1 - p)
        return x * OnClass.scaled

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * OnClass.scaled, None, None


@bank.wrong("C", "returns the gradient in the mask's place", witness.vjp)
class MaskPlace(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        return None, Plain.backward(ctx, grad_output)[0], None


@bank.wrong("K", "takes the upstream gradient's data", witness.second)
class UpstreamData(Plain):
    @staticmethod
    def backward(ctx, grad_output):
        return Plain.backward(ctx, grad_output.data)


@bank.wrong("M", "forgets the scale in forward mode", along_input)
class JvpUnscaled(Rules):
    @staticmethod
    def jvp(ctx, tangent, *_):
        (mask,) = ctx.saved_tensors
        return tangent * mask
