"""Batch norm in training: each channel less its mean over batch and length, over its deviation, times weight plus bias."""

import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn

EPS = 1e-5


def _reference(x, weight, bias):
    return F.batch_norm(x, None, None, weight, bias, training=True, eps=EPS)


def _normalized(x):
    """x normalized in each channel, and one over the deviations, of shape (1, C, 1)."""
    centred = x - x.mean((0, 2), keepdim=True)
    rstd = (centred.square().mean((0, 2), keepdim=True) + EPS).rsqrt()
    return centred * rstd, rstd


bank = Bank("batch_norm", lambda: (drawn(5, 3, 2), drawn(3, seed=1), drawn(3, seed=2)), _reference)


@bank.right("saves the input, recomputes the statistics; the formula of papers")
class Closed(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return _normalized(x)[0] * weight[:, None] + bias[:, None]

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x)
        grad_bias = grad_output.sum((0, 2))
        grad_weight = (grad_output * normalized).sum((0, 2))
        mean, along = (grad[:, None] * x.shape[1] / x.numel() for grad in (grad_bias, grad_weight))
        grad_x = weight[:, None] * rstd * (grad_output - mean - normalized * along)
        return grad_x, grad_weight, grad_bias


@bank.right("hands over to torch's own kernels, with the statistics they return; passes needs_input_grad on")
class Kernel(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        output, mean, rstd = torch.native_batch_norm(x, weight, bias, None, None, True, 0.1, EPS)
        ctx.save_for_backward(x, weight, mean, rstd)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, mean, rstd = ctx.saved_tensors
        return torch.ops.aten.native_batch_norm_backward(
            grad_output, x, weight, None, None, mean, rstd, True, EPS, ctx.needs_input_grad
        )


@bank.right("one row a channel, steps through variance and mean; setup_context, with rules for vmap and forward mode")
class Rows(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, weight, bias):
        rows = x.transpose(0, 1).flatten(1)
        variance, mean = torch.var_mean(rows, 1, correction=0)
        scale = weight / (variance + EPS).sqrt()
        return x * scale[:, None] + (bias - mean * scale)[:, None]

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _ = inputs
        ctx.save_for_backward(x, weight)
        ctx.save_for_forward(x, weight)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        rows, grad = (tensor.transpose(0, 1).flatten(1) for tensor in (x, grad_output))
        centred = rows - rows.mean(1, keepdim=True)
        deviation = (torch.einsum("cn,cn->c", centred, centred) / rows.shape[1] + EPS).sqrt()
        inner = torch.einsum("cn,cn->c", grad, centred)
        grad_variance = -0.5 * weight * inner / deviation**3
        grad_centred = grad * (weight / deviation)[:, None] + 2 / rows.shape[1] * grad_variance[:, None] * centred
        grad_rows = grad_centred - grad_centred.mean(1, keepdim=True)
        grad_x = grad_rows.unflatten(1, (x.shape[0], x.shape[2])).transpose(0, 1)
        return grad_x, inner / deviation, grad.sum(1)

    @staticmethod
    def jvp(ctx, tangent_x, tangent_weight, tangent_bias):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x)
        centred = tangent_x - tangent_x.mean((0, 2), keepdim=True)
        along = normalized * (normalized * tangent_x).mean((0, 2), keepdim=True)
        change = weight[:, None] * rstd * (centred - along)
        return change + tangent_weight[:, None] * normalized + tangent_bias[:, None]


@bank.wrong("D", "takes the batch's statistics for constants, as in evaluation", witness.vjp)
class Evaluation(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_output * weight[:, None] * _normalized(x)[1]
        return grad_x, *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "lacks the term of the variance", witness.vjp)
class NoVariance(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        centred = grad_output - grad_output.mean((0, 2), keepdim=True)
        return weight[:, None] * _normalized(x)[1] * centred, *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "multiplies the variance's term by the square of the deviation's inverse", witness.vjp)
class ScaledTwice(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x)
        along = normalized * rstd * (grad_output * normalized).mean((0, 2), keepdim=True)
        grad_x = weight[:, None] * rstd * (grad_output - grad_output.mean((0, 2), keepdim=True) - along)
        return grad_x, *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("D", "divides by n - 1 in backward alone, as the running variance does", witness.vjp)
class Unbiased(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        n = x.numel() / x.shape[1]
        normalized, rstd = _normalized(x)
        centred = grad_output - grad_output.mean((0, 2), keepdim=True)
        along = normalized * (grad_output * normalized).sum((0, 2), keepdim=True) / (n - 1)
        return weight[:, None] * rstd * (centred - along), *Closed.backward(ctx, grad_output)[1:]


@bank.wrong("H", "divides its sums by the size of the batch, and forgets the length", witness.vjp)
class BatchAlone(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x)
        _, grad_weight, grad_bias = Closed.backward(ctx, grad_output)
        mean, along = (grad[:, None] / len(x) for grad in (grad_bias, grad_weight))
        return weight[:, None] * rstd * (grad_output - mean - normalized * along), grad_weight, grad_bias


@bank.wrong("H", "sums the bias gradient over the batch alone, the engine hides it", witness.raw)
class BiasPerPlace(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, grad_weight, _ = Closed.backward(ctx, grad_output)
        return grad_x, grad_weight, grad_output.sum(0).t()


@bank.wrong("D", "adds eps to the deviation instead of the variance in backward", witness.vjp)
class EpsOutside(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        rstd = 1 / (x.var((0, 2), correction=0, keepdim=True).sqrt() + EPS)
        normalized = (x - x.mean((0, 2), keepdim=True)) * rstd
        mean = grad_output.mean((0, 2), keepdim=True)
        grad_weight = (grad_output * normalized).sum((0, 2))
        along = normalized * (grad_output * normalized).mean((0, 2), keepdim=True)
        return weight[:, None] * rstd * (grad_output - mean - along), grad_weight, grad_output.sum((0, 2))


@bank.wrong("F", "keeps the statistics in a buffer that all calls share", witness.mixes_calls)
class Shared(Closed):
    buffer: dict = {}  # noqa: RUF012 - that it is shared is the fault

    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        normalized, Shared.buffer["rstd"] = _normalized(x.detach())
        return normalized * weight[:, None] + bias[:, None]

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        rstd = Shared.buffer["rstd"]
        normalized = (x - x.mean((0, 2), keepdim=True)) * rstd
        _, grad_weight, grad_bias = Closed.backward(ctx, grad_output)
        mean = grad_output.mean((0, 2), keepdim=True)
        along = normalized * (grad_output * normalized).mean((0, 2), keepdim=True)
        return weight[:, None] * rstd * (grad_output - mean - along), grad_weight, grad_bias


@bank.wrong("E", "takes the mean off the upstream gradient in place", witness.writes_upstream)
class InPlace(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x)
        _, grad_weight, grad_bias = Closed.backward(ctx, grad_output)
        grad_output -= grad_output.mean((0, 2), keepdim=True)
        along = normalized * (grad_output * normalized).mean((0, 2), keepdim=True)
        return weight[:, None] * rstd * (grad_output - along), grad_weight, grad_bias


@bank.wrong("K", "detaches the normalized input in the weight gradient", witness.second)
class DetachedWeight(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        grad_x, _, grad_bias = Closed.backward(ctx, grad_output)
        normalized = _normalized(ctx.saved_tensors[0])[0].detach()
        return grad_x, (grad_output * normalized).sum((0, 2)), grad_bias


@bank.wrong("C", "returns no weight gradient when the input needs none", witness.subset)
class NothingForFirst(Closed):
    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None, None, grad_output.sum((0, 2))
        return Closed.backward(ctx, grad_output)


@bank.wrong("M", "takes the deviation for a constant in forward mode", witness.wrong_jvp)
class JvpConstant(Rows):
    @staticmethod
    def jvp(ctx, tangent_x, tangent_weight, tangent_bias):
        x, weight = ctx.saved_tensors
        normalized, rstd = _normalized(x)
        centred = tangent_x - tangent_x.mean((0, 2), keepdim=True)
        return weight[:, None] * rstd * centred + tangent_weight[:, None] * normalized + tangent_bias[:, None]
