"""The hyperbolic sine together with exp(x) and exp(-x), the intermediates of which it is made, as further outputs."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf

bank = Bank("sinh", lambda: (drawn(2, 4),), lambda x: (x.sinh(), x.exp(), (-x).exp()))


@bank.right("saves the exponentials, which are outputs, so that their own gradients come back to it")
class Outputs(Function):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown, shrunk)
        return (grown - shrunk) / 2, grown, shrunk

    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        grad_input = grad_output * (grown + shrunk) / 2
        grad_input += grad_grown * grown
        grad_input -= grad_shrunk * shrunk
        return grad_input


@bank.right("saves the input and recomputes")
class Recomputed(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sinh(), x.exp(), x.neg().exp()

    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        (x,) = ctx.saved_tensors
        return grad_output * x.cosh() + grad_grown * x.exp() - grad_shrunk * (-x).exp()


@bank.right("gradients of unused outputs stay None, and are passed over")
class Unmaterialized(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sinh(), x.exp(), (-x).exp()

    @staticmethod
    def backward(ctx, *grads):
        (x,) = ctx.saved_tensors
        slopes = (x.cosh(), x.exp(), -(-x).exp())
        terms = [grad * slope for grad, slope in zip(grads, slopes, strict=True) if grad is not None]
        return sum(terms) if terms else None


@bank.right("setup_context, with rules for vmap and forward mode; terms gathered by exponential")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        grown, shrunk = torch.exp(x), torch.exp(-x)
        return torch.sub(grown, shrunk).mul(0.5), grown, shrunk

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, grown, shrunk = output
        ctx.save_for_backward(grown, shrunk)
        ctx.save_for_forward(grown, shrunk)

    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grown * (grad_grown + grad_output / 2) - shrunk * (grad_shrunk - grad_output / 2)

    @staticmethod
    def jvp(ctx, tangent):
        grown, shrunk = ctx.saved_tensors
        return tangent * (grown + shrunk) / 2, tangent * grown, -tangent * shrunk


@bank.wrong("K", "ignores the gradients of the exponentials, without which the second derivative is 0", witness.vjp)
class Ignores(Outputs):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        return grad_output * (grown + shrunk) / 2


@bank.wrong("K", "saves copies of the exponentials instead of the outputs: constants to the second derivative", witness.second)
class Copies(Outputs):
    @staticmethod
    def forward(ctx, x):
        grown, shrunk = x.exp(), (-x).exp()
        ctx.save_for_backward(grown.clone(), shrunk.clone())
        return (grown - shrunk) / 2, grown, shrunk


@bank.wrong("D", "adds the gradient of exp(-x) with the sign of exp(x)'s", witness.vjp)
class Sign(Outputs):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        return Outputs.backward(ctx, grad_output, grad_grown, -grad_shrunk)


@bank.wrong("D", "takes sinh for its own derivative", witness.vjp)
class Itself(Recomputed):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        (x,) = ctx.saved_tensors
        return grad_output * x.sinh() + grad_grown * x.exp() - grad_shrunk * (-x).exp()


@bank.wrong("D", "takes the slope for 1 below 0.01", witness.at(witness.vjp, lambda: (leaf([5e-3, -1.0]),)))
class SmallAngle(Recomputed):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        (x,) = ctx.saved_tensors
        slope = torch.where(x.abs() < 0.01, 1.0, x.cosh())
        return grad_output * slope + grad_grown * x.exp() - grad_shrunk * (-x).exp()


@bank.wrong(
    "O", "takes cosh for sqrt(1 + sinh^2), which overflows at 400", witness.at(witness.vjp, lambda: (leaf([400.0, 0.5]),))
)
class Overflow(Recomputed):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        (x,) = ctx.saved_tensors
        slope = (1 + x.sinh().square()).sqrt()
        return grad_output * slope + grad_grown * x.exp() - grad_shrunk * (-x).exp()


@bank.wrong("P", "asks for None in the place of zeros and does not expect it", witness.single_output)
class NotExpected(Recomputed):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return Recomputed.forward(ctx, x)


@bank.wrong("P", "returns None as soon as the first upstream gradient is zero", witness.single_output)
class Early(Outputs):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        return Outputs.backward(ctx, grad_output, grad_grown, grad_shrunk) if grad_output.any() else None


@bank.wrong("P", "marks the exponentials as non-differentiable", witness.tracks)
class Marked(Recomputed):
    @staticmethod
    def forward(ctx, x):
        outputs = Recomputed.forward(ctx, x)
        ctx.mark_non_differentiable(*outputs[1:])
        return outputs


@bank.wrong("F", "keeps its outputs as attributes of ctx: a cycle that only the garbage collector ends", witness.leaks)
class Cycle(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.grown, ctx.shrunk = x.exp(), (-x).exp()
        return (ctx.grown - ctx.shrunk) / 2, ctx.grown, ctx.shrunk

    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        cosh = (ctx.grown + ctx.shrunk) / 2
        return grad_output * cosh + grad_grown * ctx.grown - grad_shrunk * ctx.shrunk


@bank.wrong("E", "adds up cosh in the saved exponential", witness.twice)
class WritesSaved(Outputs):
    @staticmethod
    def backward(ctx, grad_output, grad_grown, grad_shrunk):
        grown, shrunk = ctx.saved_tensors
        rest = grad_grown * grown - grad_shrunk * shrunk
        return grad_output * grown.add_(shrunk) / 2 + rest


@bank.wrong("M", "the forward-mode rule forgets the sign of the derivative of exp(-x)", witness.wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, tangent):
        grown, shrunk = ctx.saved_tensors
        return tangent * (grown + shrunk) / 2, tangent * grown, tangent * shrunk
