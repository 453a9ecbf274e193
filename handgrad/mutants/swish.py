"""Swish or SiLU, x * sigmoid(x), whose derivative has a term for each factor."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn, leaf

bank = Bank("swish", lambda: (drawn(5, 8),), F.silu)


def remembers(version: Version, bank: Bank) -> bool:
    """A second backward of the same graph, for another upstream gradient, is wrong."""
    (x,) = bank.inputs()
    output = version(x)
    (first,) = torch.autograd.grad(output.sum(), x, retain_graph=True)
    (second,) = torch.autograd.grad(3 * output.sum(), x)
    return not torch.allclose(3 * first, second)


@bank.right("saves the input and recomputes")
class Input(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x.sigmoid()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        gate = x.sigmoid()
        return grad_output * gate * (1 + x * (1 - gate))


@bank.right("saves the gate beside the input; no second derivative, since the gate is a constant to it")
class Gate(Function):
    @staticmethod
    def forward(ctx, x):
        gate = x.sigmoid()
        ctx.save_for_backward(x, gate)
        return x.mul(gate)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, gate = ctx.saved_tensors
        return grad_output * (gate + x * gate * (1 - gate))


@bank.right("saves the input and the output, y + sigmoid(x) * (1 - y); setup_context, with rules for vmap and forward mode")
class Both(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return F.silu(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)
        ctx.save_for_forward(*inputs, output)

    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        return grad_output * torch.lerp(x.sigmoid(), torch.ones_like(x), output)

    @staticmethod
    def jvp(ctx, tangent):
        x, output = ctx.saved_tensors
        return tangent * (output + x.sigmoid() * (1 - output))


@bank.wrong("D", "forgets the gate's own derivative", witness.vjp)
class GateConstant(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.sigmoid()


@bank.wrong("D", "has the gate's derivative alone", witness.vjp)
class GateAlone(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        gate = x.sigmoid()
        return grad_output * x * gate * (1 - gate)


@bank.wrong("D", "forgets a pair of brackets: gate * (1 + x - gate)", witness.vjp)
class Brackets(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        gate = x.sigmoid()
        return grad_output * gate * (1 + x - gate)


@bank.wrong("D", "takes x for the output in y + gate * (1 - y)", witness.vjp)
class InputForOutput(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x + x.sigmoid() * (1 - x))


@bank.wrong("D", "takes the gate of the approximate GELU, sigmoid(1.702 * x), in backward", witness.vjp)
class Gelu(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        gate = (1.702 * x).sigmoid()
        return grad_output * gate * (1 + 1.702 * x * (1 - gate))


@bank.wrong("D", "takes the slope for 0 below -5, where it is still -0.03", witness.at(witness.vjp, lambda: (leaf([-5.5, 1.0]),)))
class ZeroTail(Input):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return Input.backward(ctx, grad_output) * (x > -5)


@bank.wrong(
    "O", "recovers the gate from the output as y / x, which is NaN at 0", witness.at(witness.not_a_number, lambda: (leaf([0.0]),))
)
class NanAtZero(Both):
    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        return grad_output * (output + output / x * (1 - output))


@bank.wrong("K", "saves the gate, an intermediate, and lets the second derivative take it for a constant", witness.second)
class Intermediate(Gate):
    @staticmethod
    def backward(ctx, grad_output):
        x, gate = ctx.saved_tensors
        return grad_output * gate * (1 + x * (1 - gate))


@bank.wrong("G", "saves the input in bfloat16, to save memory", witness.precision)
class HalfSaved(Input):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.bfloat16())
        return F.silu(x)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].to(grad_output.dtype)
        gate = x.sigmoid()
        return grad_output * gate * (1 + x * (1 - gate))


@bank.wrong("G", "reads the saved input in the order of memory, which is another for a transposed one", witness.layout)
class MemoryOrder(Input):
    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].as_strided((grad_output.numel(),), (1,))
        gate = x.sigmoid()
        return grad_output * (gate * (1 + x * (1 - gate))).view(grad_output.shape)


@bank.wrong("E", "multiplies the gate into the input in place", witness.writes_input)
class Dirty(Input):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.clone())
        return x.detach().mul_(x.sigmoid())


@bank.wrong("F", "remembers its first gradient on ctx, and returns it for every later upstream gradient", remembers)
class Remembers(Input):
    @staticmethod
    def backward(ctx, grad_output):
        if not hasattr(ctx, "grad_input"):
            ctx.grad_input = Input.backward(ctx, grad_output)
        return ctx.grad_input


@bank.wrong("M", "the forward-mode rule forgets the gate's own derivative", witness.wrong_jvp)
class Jvp(Both):
    @staticmethod
    def jvp(ctx, tangent):
        x, _ = ctx.saved_tensors
        return tangent * x.sigmoid()
