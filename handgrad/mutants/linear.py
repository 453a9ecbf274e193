"""Linear, the affine map x weight^T + bias of the last axis."""

import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn

bank = Bank("linear", lambda: (drawn(2, 4, 3), drawn(5, 3, seed=1), drawn(5, seed=2)), F.linear)


@bank.right("flattens the samples; computes only what is asked for")
class Flat(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        out = x.matmul(weight.t())
        return out if bias is None else out + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        grad = grad_output.flatten(0, -2)
        if ctx.needs_input_grad[0]:
            grad_x = grad.mm(weight).reshape(x.shape)
        if ctx.needs_input_grad[1]:
            grad_weight = grad.t().mm(x.flatten(0, -2))
        if len(ctx.needs_input_grad) > 2 and ctx.needs_input_grad[2]:
            grad_bias = grad.sum(0)
        return grad_x, grad_weight, grad_bias


@bank.right("einsum; setup_context, with rules for vmap and forward mode")
class Einsum(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, weight, bias):
        return torch.einsum("...i,oi->...o", x, weight) + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _ = inputs
        ctx.save_for_backward(x, weight)
        ctx.save_for_forward(x, weight)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = torch.einsum("...o,oi->...i", grad_output, weight)
        grad_weight = torch.einsum("...o,...i->oi", grad_output, x)
        return grad_x, grad_weight, torch.einsum("...o->o", grad_output)

    @staticmethod
    def jvp(ctx, tangent_x, tangent_weight, tangent_bias):
        x, weight = ctx.saved_tensors
        return F.linear(tangent_x, weight, tangent_bias) + F.linear(x, tangent_weight)


@bank.right("takes any number of arguments; saves only what the asked-for gradients need")
class Arguments(Function):
    @staticmethod
    def forward(ctx, *args):
        x, weight = args[:2]
        needs_x, needs_weight = ctx.needs_input_grad[:2]
        ctx.save_for_backward(x if needs_weight else None, weight if needs_x else None)
        ctx.samples = tuple(range(x.dim() - 1))
        return F.linear(*args)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grads = [None if weight is None else grad_output @ weight, None]
        if x is not None:
            grads[1] = torch.tensordot(grad_output, x, (ctx.samples, ctx.samples))
        if len(ctx.needs_input_grad) == 3:
            grads.append(grad_output.sum(ctx.samples))
        return tuple(grads)


@bank.wrong("H", "averages the bias gradient over the samples instead of summing it", witness.vjp)
class BiasMean(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        return *Einsum.backward(ctx, grad_output)[:2], grad_output.flatten(0, -2).mean(0)


@bank.wrong("H", "sums the bias gradient over the first axis alone, the engine hides it", witness.raw)
class BiasFirstAxis(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        return *Einsum.backward(ctx, grad_output)[:2], grad_output.sum(0)


@bank.wrong("H", "divides the weight gradient by the size of the batch", witness.vjp)
class WeightMean(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, grad_bias = Einsum.backward(ctx, grad_output)
        return grad_x, grad_weight / grad_output.shape[0], grad_bias


@bank.wrong("H", "overwrites the weight gradient in its loop over the batch instead of adding", witness.vjp)
class LastSample(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        for grad, sample in zip(grad_output, x, strict=True):
            grad_weight = grad.t() @ sample
        return grad_output @ weight, grad_weight, grad_output.flatten(0, -2).sum(0)


@bank.wrong("K", "uses the weight's data, so the second derivative lacks its part", witness.second)
class WeightData(Einsum):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output @ ctx.saved_tensors[1].data, *Einsum.backward(ctx, grad_output)[1:]


@bank.wrong("C", "looks at the next argument's need for weight and bias", witness.subset)
class NeedOffByOne(Flat):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad = grad_output.flatten(0, -2)
        grad_x = grad.mm(weight).reshape(x.shape) if ctx.needs_input_grad[0] else None
        grad_weight = grad.t().mm(x.flatten(0, -2)) if ctx.needs_input_grad[2] else None
        grad_bias = grad.sum(0) if ctx.needs_input_grad[1] else None
        return grad_x, grad_weight, grad_bias


@bank.wrong(
    "C",
    "returns a bias gradient where no bias was given",
    witness.at(witness.raises, lambda: (drawn(2, 4, 3), drawn(5, 3, seed=1))),
)
class AlwaysBias(Flat):
    @staticmethod
    def backward(ctx, grad_output):
        return *Flat.backward(ctx, grad_output)[:2], grad_output.flatten(0, -2).sum(0)


@bank.wrong("B", "keeps the weight as an attribute of ctx, so an optimiser's step goes unseen", witness.stale)
class WeightAttribute(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x)
        ctx.weight = weight
        return F.linear(x, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad = grad_output.flatten(0, -2)
        return grad_output @ ctx.weight, grad.t() @ x.flatten(0, -2), grad.sum(0)


@bank.wrong("F", "adds the weight gradient to a sum made in forward, so a second backward doubles it", witness.twice)
class Accumulates(Flat):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.grad_weight = torch.zeros_like(weight)
        return Flat.forward(ctx, x, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, grad_bias = Flat.backward(ctx, grad_output)
        if grad_weight is not None:
            ctx.grad_weight = grad_weight = ctx.grad_weight + grad_weight
        return grad_x, grad_weight, grad_bias


@bank.wrong("G", "views the upstream gradient, which raises where it isn't contiguous", witness.layout)
class View(Flat):
    @staticmethod
    def backward(ctx, grad_output):
        return Flat.backward(ctx, grad_output.view(-1, grad_output.shape[-1]).view(grad_output.shape))


@bank.wrong("D", "clips the upstream gradient at a thousand", witness.large_upstream)
class Clipped(Flat):
    @staticmethod
    def backward(ctx, grad_output):
        return Flat.backward(ctx, grad_output.clamp(-1000, 1000))


@bank.wrong("M", "forgets the bias in forward mode", witness.wrong_jvp)
class JvpBias(Einsum):
    @staticmethod
    def jvp(ctx, tangent_x, tangent_weight, tangent_bias):
        x, weight = ctx.saved_tensors
        return F.linear(tangent_x, weight) + F.linear(x, tangent_weight)
