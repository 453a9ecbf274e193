"""The product of two complex tensors; by torch's convention each gradient holds the conjugate of the other factor."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn

bank = Bank(
    "complex_mul",
    lambda: (drawn(2, 5, seed=1, dtype=torch.complex128), drawn(2, 5, seed=2, dtype=torch.complex128)),
    torch.mul,
)


def followed(version: Version, bank: Bank) -> bool:
    """Under a complex upstream gradient, conjugated lazily by what follows, a gradient is wrong or an error is raised."""
    upstream = drawn(2, 5, seed=3, dtype=torch.complex128).detach()
    grads = []
    for function in (bank.reference, version):
        args = bank.inputs()
        output = function(*args).conj()
        try:
            grads.append(torch.autograd.grad(output, args, upstream))
        except RuntimeError:
            return function is version
    return not all(torch.allclose(got, want) for got, want in zip(*grads, strict=True))


@bank.right("saves both factors")
class Conjugates(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * y.conj(), grad_output * x.conj()


@bank.right("in real and imaginary parts, only what is asked for")
class Parts(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return torch.complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)

    @staticmethod
    def backward(ctx, grad_output):
        def part(other):
            real = grad_output.real * other.real + grad_output.imag * other.imag
            return torch.complex(real, grad_output.imag * other.real - grad_output.real * other.imag)

        x, y = ctx.saved_tensors
        return part(y) if ctx.needs_input_grad[0] else None, part(x) if ctx.needs_input_grad[1] else None


@bank.right("conjugates the upstream gradient before and the product after; setup_context, rules for vmap and forward mode")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, y):
        return torch.mul(x, y)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        conjugate = grad_output.conj()
        return torch.mul(conjugate, y).conj(), torch.mul(conjugate, x).conj()

    @staticmethod
    def jvp(ctx, tangent_x, tangent_y):
        x, y = ctx.saved_tensors
        return tangent_x * y + x * tangent_y


@bank.right("the gradients are products too, taken with the Function itself; its own rule for vmap")
class Itself(Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return Itself.apply(grad_output, y.conj()), Itself.apply(grad_output, x.conj())

    @staticmethod
    def vmap(info, in_dims, x, y):
        x, y = (a if dim is None else a.movedim(dim, 0) for a, dim in zip((x, y), in_dims, strict=True))
        return Itself.apply(*torch.broadcast_tensors(x, y)), 0


@bank.wrong("D", "forgets the conjugates", witness.vjp)
class Unconjugated(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * y, grad_output * x


@bank.wrong("D", "conjugates the whole product, upstream gradient included", followed)
class WholeConjugate(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return (grad_output * y).conj(), (grad_output * x).conj()


@bank.wrong("D", "conjugates the other factor in the first gradient alone", witness.vjp)
class HalfConjugated(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * y.conj(), grad_output * x


@bank.wrong("D", "forgets the upstream gradient", witness.vjp)
class NoUpstream(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return y.conj(), x.conj()


@bank.wrong("D", "takes the real part of the upstream gradient for the whole", followed)
class RealUpstream(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        return Conjugates.backward(ctx, torch.complex(grad_output.real, torch.zeros_like(grad_output.real)))


@bank.wrong("D", "halves the gradients, as Wirtinger's derivatives would have it", witness.vjp)
class Wirtinger(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        return Conjugates.backward(ctx, grad_output / 2)


@bank.wrong("C", "pairs each factor with its own gradient", witness.vjp)
class OwnFactor(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * x.conj(), grad_output * y.conj()


@bank.wrong("G", "returns the real part of a gradient that is complex", witness.raw)
class RealGradient(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_y = Conjugates.backward(ctx, grad_output)
        return grad_x.real, grad_y


@bank.wrong("G", "goes through complex64", witness.precision)
class Single(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        grads = Conjugates.backward(ctx, grad_output.to(torch.complex64))
        return tuple(grad.to(grad_output.dtype) for grad in grads)


@bank.wrong("G", "views the upstream gradient as real numbers without undoing its lazy conjugate", followed)
class LazyConjugate(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        real, imag = torch.view_as_real(grad_output).unbind(-1)
        grad_output = torch.complex(real, imag)
        return grad_output * y.conj(), grad_output * x.conj()


@bank.wrong("G", "multiplies the pairs of numbers in memory, which other layouts have in another order", witness.layout)
class InMemory(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x, grad_y = (grad_output.reshape(-1) * _memory(other).conj() for other in (y, x))
        return grad_x.view(x.shape), grad_y.view(y.shape)


@bank.wrong("K", "saves the conjugates, intermediates that carry no second derivative", witness.second)
class SavedConjugates(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x.conj().resolve_conj(), y.conj().resolve_conj())
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return grad_output * y, grad_output * x


@bank.wrong("E", "conjugates the saved factors in place", witness.writes_input)
class WritesInput(Conjugates):
    @staticmethod
    def backward(ctx, grad_output):
        x, y = (saved.detach().conj_physical_() for saved in ctx.saved_tensors)
        return grad_output * y, grad_output * x


@bank.wrong("M", "the forward-mode rule takes the conjugates that belong to the reverse", witness.wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, tangent_x, tangent_y):
        x, y = ctx.saved_tensors
        return tangent_x * y.conj() + x.conj() * tangent_y


def _memory(tensor: torch.Tensor) -> torch.Tensor:
    return torch.as_strided(tensor, (tensor.numel(),), (1,))
