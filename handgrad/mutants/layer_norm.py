"""Layer norm: the last axis less its mean, over its standard deviation, times weight plus bias."""

import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn


def _reference(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, weight, bias, eps)


def _normalized(x, eps):
    centred = x - x.mean(-1, keepdim=True)
    rstd = (centred.square().mean(-1, keepdim=True) + eps).rsqrt()
    return centred * rstd, rstd


bank = Bank("layer_norm", lambda: (drawn(2, 3, 4), drawn(4, seed=1), drawn(4, seed=2), 1e-3), _reference)


@bank.right("saves the input, recomputes the statistics; the formula of papers")
class Closed(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps=1e-5):
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return _normalized(x, eps)[0] * weight + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x, ctx.eps)
        grad = grad_output * weight
        along = normalized * (grad * normalized).mean(-1, keepdim=True)
        grad_x = rstd * (grad - grad.mean(-1, keepdim=True) - along)
        samples = tuple(range(x.dim() - 1))
        return grad_x, (grad_output * normalized).sum(samples), grad_output.sum(samples), None


@bank.right("goes back step by step, through variance and mean; asks needs_input_grad")
class Steps(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return F.layer_norm(x, weight.shape, weight, bias, eps)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        centred = x - x.mean(-1, keepdim=True)
        variance = centred.pow(2).mean(-1, keepdim=True) + ctx.eps
        if ctx.needs_input_grad[0]:
            grad_normalized = grad_output * weight
            grad_variance = (grad_normalized * centred).sum(-1, keepdim=True) * -0.5 * variance.pow(-1.5)
            grad_centred = grad_normalized / variance.sqrt() + grad_variance * 2 / x.shape[-1] * centred
            grad_x = grad_centred - grad_centred.mean(-1, keepdim=True)
        if ctx.needs_input_grad[1]:
            grad_weight = (grad_output * centred / variance.sqrt()).sum_to_size(weight.shape)
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum_to_size(weight.shape)
        return grad_x, grad_weight, grad_bias, None


@bank.right("setup_context; backward differentiates forward anew by torch.func.vjp")
class Again(Function):
    @staticmethod
    def forward(x, weight, bias, eps):
        return _reference(x, weight, bias, eps)

    @staticmethod
    def setup_context(ctx, inputs, output):
        *tensors, ctx.eps = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx, grad_output):
        _, pull = torch.func.vjp(lambda *tensors: _reference(*tensors, ctx.eps), *ctx.saved_tensors)
        return *pull(grad_output), None


@bank.wrong("D", "takes mean and deviation for constants", witness.vjp)
class Constants(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        return grad_output * weight * _normalized(x, ctx.eps)[1], *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "lacks the term of the variance", witness.vjp)
class NoVariance(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad = grad_output * weight
        grad_x = _normalized(x, ctx.eps)[1] * (grad - grad.mean(-1, keepdim=True))
        return grad_x, *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "lacks the term of the mean", witness.vjp)
class NoMean(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x, ctx.eps)
        grad = grad_output * weight
        grad_x = rstd * (grad - normalized * (grad * normalized).mean(-1, keepdim=True))
        return grad_x, *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "forgets the weight in the input's gradient", witness.vjp)
class Unscaled(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        normalized, rstd = _normalized(ctx.saved_tensors[0], ctx.eps)
        along = normalized * (grad_output * normalized).mean(-1, keepdim=True)
        grad_x = rstd * (grad_output - grad_output.mean(-1, keepdim=True) - along)
        return grad_x, *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "divides by n in forward and by n - 1 in backward, as var() does", witness.vjp)
class Unbiased(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        rstd = (x.var(-1, keepdim=True) + ctx.eps).rsqrt()
        normalized = (x - x.mean(-1, keepdim=True)) * rstd
        grad = grad_output * weight
        along = normalized * (grad * normalized).mean(-1, keepdim=True)
        grad_x = rstd * (grad - grad.mean(-1, keepdim=True) - along)
        samples = tuple(range(x.dim() - 1))
        return grad_x, (grad_output * normalized).sum(samples), grad_output.sum(samples), None


@bank.wrong("O", "leaves out eps in backward, so it is NaN for equal inputs", witness.vjp)
class NoEps(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        ctx.eps = 0.0
        return Closed.backward(ctx, grad_output)


@bank.wrong("H", "averages the weight gradient over the samples instead of summing it", witness.vjp)
class WeightMean(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, grad_bias, _ = Closed.backward(ctx, grad_output)
        return grad_x, grad_weight / grad_output[..., 0].numel(), grad_bias, None


@bank.wrong("H", "sums the weight gradient over the first axis alone, the engine hides it", witness.raw)
class WeightFirstAxis(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, _, grad_bias, _ = Closed.backward(ctx, grad_output)
        grad_weight = (grad_output * _normalized(ctx.saved_tensors[0], ctx.eps)[0]).sum(0)
        return grad_x, grad_weight, grad_bias, None


@bank.wrong("K", "saves the statistics of forward, so the second derivative takes them for constants", witness.second)
class Statistics(Function):
    @staticmethod
    def forward(ctx, x, weight, bias, eps):
        normalized, rstd = _normalized(x, eps)
        ctx.save_for_backward(normalized, rstd, weight)
        return normalized * weight + bias

    @staticmethod
    def backward(ctx, grad_output):
        normalized, rstd, weight = ctx.saved_tensors
        grad = grad_output * weight
        along = normalized * (grad * normalized).mean(-1, keepdim=True)
        grad_x = rstd * (grad - grad.mean(-1, keepdim=True) - along)
        samples = tuple(range(grad.dim() - 1))
        return grad_x, (grad_output * normalized).sum(samples), grad_output.sum(samples), None


@bank.wrong("C", "returns the gradients of weight and bias in each other's place", witness.vjp)
class Swapped(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, grad_bias, _ = Closed.backward(ctx, grad_output)
        return grad_x, grad_bias, grad_weight, None


@bank.wrong("G", "adds up the weight gradient in zeros of the default dtype", witness.raw)
class DefaultDtype(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_weight = torch.zeros(weight.shape, device=weight.device)
        for row in (grad_output * _normalized(x, ctx.eps)[0]).flatten(0, -2):
            grad_weight += row
        grad_x, _, grad_bias, _ = Closed.backward(ctx, grad_output)
        return grad_x, grad_weight, grad_bias, None


@bank.wrong("C", "computes the weight gradient only if the bias needs one", witness.subset)
class NeedOfBias(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, grad_bias, _ = Closed.backward(ctx, grad_output)
        return grad_x, grad_weight if ctx.needs_input_grad[2] else None, grad_bias, None
