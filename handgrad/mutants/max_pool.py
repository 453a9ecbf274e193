"""Max pooling over the last axis: the larger of each two neighbours; with stride 1 the windows overlap."""

import numpy as np
import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn, leaf


def _reference(x, stride=1):
    return F.max_pool1d(x, 2, stride)


bank = Bank("max_pool", lambda: (drawn(2, 3, 5), 1), _reference)


@bank.right("saves the positions of the winners; the shape is on ctx")
class Positions(Function):
    @staticmethod
    def forward(ctx, x, stride):
        output, positions = F.max_pool1d(x, 2, stride, return_indices=True)
        ctx.save_for_backward(positions)
        ctx.shape = x.shape
        return output

    @staticmethod
    def backward(ctx, grad_output):
        (positions,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.shape).scatter_add(-1, positions, grad_output), None


@bank.right("saves a mask that says whether the left neighbour wins; adds into slices")
class Mask(Function):
    @staticmethod
    def forward(ctx, x, stride):
        left, right = x[..., :-1:stride], x[..., 1::stride]
        ctx.save_for_backward(left >= right)
        ctx.shape, ctx.stride = x.shape, stride
        return torch.maximum(left, right)

    @staticmethod
    def backward(ctx, grad_output):
        (left_wins,) = ctx.saved_tensors
        grad_x = grad_output.new_zeros(ctx.shape)
        grad_x[..., : -1 : ctx.stride] += grad_output * left_wins
        grad_x[..., 1 :: ctx.stride] += grad_output * ~left_wins
        return grad_x, None


@bank.right("saves the input and unfolds it again; setup_context, with rules for vmap and forward mode")
class Windows(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, stride=1):
        return x.unfold(-1, 2, stride).amax(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.stride = inputs
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        winner = x.unfold(-1, 2, ctx.stride).argmax(-1, keepdim=True)
        position = winner.squeeze(-1) + ctx.stride * torch.arange(grad_output.shape[-1], device=x.device)
        return torch.zeros_like(x).scatter_add(-1, position, grad_output), None

    @staticmethod
    def jvp(ctx, tangent, _):
        (x,) = ctx.saved_tensors
        winner = x.unfold(-1, 2, ctx.stride).argmax(-1, keepdim=True)
        return tangent.unfold(-1, 2, ctx.stride).gather(-1, winner).squeeze(-1)


@bank.wrong(
    "O",
    "finds the winners by comparing with the output, so that a tie counts twice",
    witness.at(witness.vjp, lambda: (leaf([[[1.0, 1.0, -2.0, 0.5]]]), 1)),
)
class TiesTwice(Function):
    @staticmethod
    def forward(ctx, x, stride):
        output = _reference(x, stride)
        ctx.save_for_backward(x, output)
        ctx.stride = stride
        return output

    @staticmethod
    def backward(ctx, grad_output):
        x, output = ctx.saved_tensors
        grad_x = torch.zeros_like(x)
        for k in range(output.shape[-1]):
            window = slice(k * ctx.stride, k * ctx.stride + 2)
            wins = x[..., window] == output[..., k : k + 1]
            grad_x[..., window] += grad_output[..., k : k + 1] * wins
        return grad_x, None


@bank.wrong("H", "overwrites instead of adding where an element wins two windows", witness.vjp)
class Overwrites(Positions):
    @staticmethod
    def backward(ctx, grad_output):
        (positions,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.shape).scatter(-1, positions, grad_output), None


@bank.wrong("D", "gives both neighbours the whole gradient", witness.vjp)
class Both(Mask):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.new_zeros(ctx.shape)
        grad_x[..., : -1 : ctx.stride] += grad_output
        grad_x[..., 1 :: ctx.stride] += grad_output
        return grad_x, None


@bank.wrong("H", "takes the place in the window for the place in the row", witness.vjp)
class PlaceInWindow(Windows):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        place = x.unfold(-1, 2, ctx.stride).argmax(-1)
        return torch.zeros_like(x).scatter_add(-1, place, grad_output), None


@bank.wrong("H", "adds every row's gradient into the first row", witness.vjp)
class FirstRow(Positions):
    @staticmethod
    def backward(ctx, grad_output):
        (positions,) = ctx.saved_tensors
        flat = grad_output.new_zeros(ctx.shape.numel())
        return flat.index_add(0, positions.flatten(), grad_output.flatten()).reshape(ctx.shape), None


@bank.wrong("D", "sends the gradient to the neighbour that is larger in absolute value", witness.vjp)
class LargerAbsolute(Mask):
    @staticmethod
    def forward(ctx, x, stride):
        output = Mask.forward(ctx, x, stride)
        ctx.save_for_backward(x[..., :-1:stride].abs() >= x[..., 1::stride].abs())
        return output


@bank.wrong("N", "adds up in numpy, so that the second derivative is silently zero", witness.second)
class Numpy(Positions):
    @staticmethod
    def backward(ctx, grad_output):
        (positions,) = ctx.saved_tensors
        grads = np.zeros(tuple(ctx.shape), dtype=str(grad_output.dtype).removeprefix("torch."))
        rows = np.indices(tuple(positions.shape))[:-1]
        np.add.at(grads, (*rows, positions.cpu().numpy()), grad_output.detach().cpu().numpy())
        return torch.from_numpy(grads).to(grad_output.device), None


@bank.wrong(
    "G",
    "stores the positions in one byte, which is too small for rows of more than 256",
    witness.at(witness.vjp, lambda: (drawn(1, 2, 300), 1)),
)
class Byte(Function):
    @staticmethod
    def forward(ctx, x, stride):
        output, positions = F.max_pool1d(x, 2, stride, return_indices=True)
        ctx.save_for_backward(positions.to(torch.uint8))
        ctx.shape = x.shape
        return output

    @staticmethod
    def backward(ctx, grad_output):
        positions = ctx.saved_tensors[0].long()
        return grad_output.new_zeros(ctx.shape).scatter_add(-1, positions, grad_output), None


@bank.wrong("E", "lays the gradient into the saved input's memory", witness.writes_input)
class ReusesInput(Windows):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, _ = Windows.backward(ctx, grad_output)
        return ctx.saved_tensors[0].detach().copy_(grad_x), None


@bank.wrong("G", "numbers the windows on the CPU", witness.other_device)
class OnCpu(Windows):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        winner = x.unfold(-1, 2, ctx.stride).argmax(-1)
        position = winner + ctx.stride * torch.arange(winner.shape[-1])
        return torch.zeros_like(x).scatter_add(-1, position, grad_output), None


@bank.wrong("B", "keeps the input as an attribute of ctx: a later change of it moves the winners", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, stride):
        ctx.x, ctx.stride = x, stride
        return _reference(x, stride)

    @staticmethod
    def backward(ctx, grad_output):
        winner = ctx.x.unfold(-1, 2, ctx.stride).argmax(-1)
        position = winner + ctx.stride * torch.arange(winner.shape[-1], device=winner.device)
        return grad_output.new_zeros(ctx.x.shape).scatter_add(-1, position, grad_output), None


@bank.wrong(
    "M",
    "takes the larger tangent in forward mode, not the winner's",
    witness.at(witness.wrong_jvp, lambda: (drawn(2, 3, 5),)),
)
class LargerTangent(Windows):
    @staticmethod
    def jvp(ctx, tangent, _):
        return tangent.unfold(-1, 2, ctx.stride).amax(-1)
