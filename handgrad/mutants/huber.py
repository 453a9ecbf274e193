"""The smooth L1 loss of a prediction and a target: quadratic for differences below beta, linear above; mean over all."""

import torch
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, leaf

BETA = 0.8
PREDICTION = [[0.3, -1.9, 2.4, 0.1, 1.0], [-0.6, 1.7, -0.2, 2.0, -1.1]]
TARGET = [[0.1, 0.5, 0.9, -0.4, 1.3], [0.8, 1.2, -0.7, -0.5, -0.8]]

bank = Bank(
    "huber",
    lambda: (leaf(PREDICTION), leaf(TARGET), BETA),
    lambda prediction, target, beta: F.smooth_l1_loss(prediction, target, beta=beta),
)


def wrong_jvp(version: Version, bank: Bank) -> bool:
    """`witness.wrong_jvp` with beta held fixed."""
    fixed = Bank(bank.name, lambda: bank.inputs()[:2], lambda *tensors: bank.reference(*tensors, BETA))
    return witness.wrong_jvp(lambda *tensors: version(*tensors, BETA), fixed)


@bank.right("saves both arguments, clamps the quotient of difference and beta")
class Clamped(Function):
    @staticmethod
    def forward(ctx, prediction, target, beta):
        ctx.save_for_backward(prediction, target)
        ctx.beta = beta
        return F.smooth_l1_loss(prediction, target, beta=beta)

    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        difference = prediction - target
        grad = grad_output * (difference / ctx.beta).clamp(-1, 1) / difference.numel()
        return grad, -grad, None


@bank.right("saves the derivative for an upstream gradient of 1; no second derivative; heeds needs_input_grad")
class Prepared(Function):
    @staticmethod
    def forward(ctx, prediction, target, beta):
        difference = prediction - target
        inner = difference.abs() < beta
        ctx.save_for_backward(torch.where(inner, difference / beta, difference.sign()) / difference.numel())
        return torch.where(inner, difference.square() / (2 * beta), difference.abs() - beta / 2).mean()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        grad_prediction = grad_output * slope if ctx.needs_input_grad[0] else None
        grad_target = -grad_output * slope if ctx.needs_input_grad[1] else None
        return grad_prediction, grad_target, None


@bank.right("the loss as c * (d - c / 2) / beta with c the clamped d; setup_context, with rules for vmap and forward mode")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(prediction, target, beta):
        difference = prediction - target
        clamped = difference.clamp(-beta, beta)
        return (clamped * (difference - clamped / 2)).mean() / beta

    @staticmethod
    def setup_context(ctx, inputs, output):
        prediction, target, ctx.beta = inputs
        ctx.save_for_backward(prediction, target)
        ctx.save_for_forward(prediction, target)

    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        clamped = (prediction - target).clamp(-ctx.beta, ctx.beta)
        scale = grad_output / (ctx.beta * prediction.numel())
        return scale * clamped, -scale * clamped, None

    @staticmethod
    def jvp(ctx, prediction_tangent, target_tangent, _):
        prediction, target = ctx.saved_tensors
        slope = (prediction - target).clamp(-ctx.beta, ctx.beta) / ctx.beta
        return (slope * (prediction_tangent - target_tangent)).mean()


@bank.wrong("D", "forgets the upstream gradient, which is 1 as long as nothing follows the loss", witness.vjp)
class NoUpstream(Prepared):
    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return slope, -slope, None


@bank.wrong("D", "forgets the mean's factor", witness.vjp)
class Sum(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        grad = grad_output * ((prediction - target) / ctx.beta).clamp(-1, 1)
        return grad, -grad, None


@bank.wrong("H", "divides by the size of the batch alone", witness.vjp)
class BatchSize(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        grad = grad_output * ((prediction - target) / ctx.beta).clamp(-1, 1) / len(prediction)
        return grad, -grad, None


@bank.wrong("D", "forgets to divide by beta in the quadratic part", witness.vjp)
class NotDivided(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        difference = prediction - target
        slope = torch.where(difference.abs() < ctx.beta, difference, difference.sign())
        grad = grad_output * slope / difference.numel()
        return grad, -grad, None


@bank.wrong("D", "gives the Huber loss's derivative, which is beta times as large", witness.vjp)
class HuberLoss(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        difference = prediction - target
        grad = grad_output * difference.clamp(-ctx.beta, ctx.beta) / difference.numel()
        return grad, -grad, None


@bank.wrong("D", "compares the difference with beta, not its absolute value", witness.vjp)
class OneSided(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        difference = prediction - target
        slope = torch.where(difference < ctx.beta, difference / ctx.beta, difference.sign())
        grad = grad_output * slope / difference.numel()
        return grad, -grad, None


@bank.wrong("C", "gives the target the prediction's gradient, without the minus", witness.vjp)
class SameSign(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        grad, _, _ = Clamped.backward(ctx, grad_output)
        return grad, grad, None


@bank.wrong("C", "makes the target's gradient from the prediction's, even where that was not asked for", witness.subset)
class Unbound(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        if ctx.needs_input_grad[0]:
            grad, _, _ = Clamped.backward(ctx, grad_output)
        return grad, -grad, None


@bank.wrong("N", "takes the upstream gradient for a Python number, so that the second derivative misses it", witness.second)
class Item(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        return Clamped.backward(ctx, grad_output.item())


@bank.wrong("G", "makes a tensor of the mean's factor, which rounds it to float32", witness.precision)
class RoundedFactor(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        factor = torch.tensor(1 / prediction.numel())
        grad = grad_output * ((prediction - target) / ctx.beta).clamp(-1, 1) * factor
        return grad, -grad, None


@bank.wrong(
    "O",
    "divides by |d|, which is NaN where prediction and target agree",
    witness.at(witness.not_a_number, lambda: (leaf([1.0, 2.0]), leaf([1.0, 0.5]), BETA)),
)
class NanAtZero(Clamped):
    @staticmethod
    def backward(ctx, grad_output):
        prediction, target = ctx.saved_tensors
        difference = prediction - target
        slope = difference / difference.abs() * (difference.abs() / ctx.beta).clamp(max=1)
        grad = grad_output * slope / difference.numel()
        return grad, -grad, None


@bank.wrong("B", "keeps the target as an attribute of ctx, so a later change of it goes unseen", witness.stale)
class Attribute(Function):
    @staticmethod
    def forward(ctx, prediction, target, beta):
        ctx.save_for_backward(prediction)
        ctx.target, ctx.beta = target, beta
        return F.smooth_l1_loss(prediction, target, beta=beta)

    @staticmethod
    def backward(ctx, grad_output):
        (prediction,) = ctx.saved_tensors
        grad = grad_output * ((prediction - ctx.target) / ctx.beta).clamp(-1, 1) / prediction.numel()
        return grad, -grad, None


@bank.wrong("E", "scales the saved derivative in place", witness.twice)
class WritesSaved(Prepared):
    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        grad = slope.mul_(grad_output)
        return grad, -grad, None


@bank.wrong("M", "the forward-mode rule forgets the target's tangent", wrong_jvp)
class Jvp(Rules):
    @staticmethod
    def jvp(ctx, prediction_tangent, target_tangent, _):
        return Rules.jvp(ctx, prediction_tangent, torch.zeros_like(target_tangent), _)
