"""Cross entropy, log-softmax with the negative log likelihood of integer targets: a mean over the samples not ignored."""

import torch
import torch.nn.functional as F
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, drawn

IGNORED = -100

bank = Bank("nll", lambda: (drawn(7, 5), torch.tensor([2, 0, IGNORED, 1, 2, 4, 3])), F.cross_entropy)


def _changed_target(version, bank):
    """After the target was changed in place, backward silently gives another gradient."""
    (logits, target), (reference, _) = bank.inputs(), bank.inputs()
    bank.reference(reference, target.clone()).backward()
    loss = version(logits, target)
    target.fill_(3)
    try:
        loss.backward()
    except RuntimeError:
        return False
    return not torch.allclose(logits.grad, reference.grad)


@bank.right("saves logits and target; the softmax less the one-hot target")
class OneHot(Function):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits, target)
        return F.cross_entropy(logits, target)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        kept = target != IGNORED
        hot = F.one_hot(target.clamp(min=0), logits.shape[1])
        return (logits.softmax(1) - hot) * (grad_output * kept / kept.sum()).unsqueeze(1), None


@bank.right("leaves the ignored samples out first; adds at the targets by index_put, and asks needs_input_grad")
class Rows(Function):
    @staticmethod
    def forward(ctx, logits, target):
        weight = (target != IGNORED).to(logits.dtype)
        weight /= weight.sum()
        place = target.clamp(min=0)
        ctx.save_for_backward(logits, place, weight)
        chosen = logits[torch.arange(len(place), device=place.device), place]
        return weight.dot(logits.logsumexp(1) - chosen)

    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None, None
        logits, place, weight = ctx.saved_tensors
        share = grad_output * weight
        grad = torch.softmax(logits, 1) * share[:, None]
        row = torch.arange(len(place), device=place.device)
        return grad.index_put((row, place), -share, accumulate=True), None


@bank.right("setup_context, with rules for vmap and forward mode")
class Rules(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(logits, target):
        kept = target != IGNORED
        chosen = logits.log_softmax(1).gather(1, target.clamp(min=0).unsqueeze(1)).squeeze(1)
        return -torch.where(kept, chosen, 0).sum() / kept.sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def _slopes(ctx):
        logits, target = ctx.saved_tensors
        kept = (target != IGNORED).unsqueeze(1)
        hot = target.unsqueeze(1) == torch.arange(logits.shape[1], device=target.device)
        return (logits.softmax(1) - hot.to(logits.dtype)) * kept / kept.sum()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * Rules._slopes(ctx), None

    @staticmethod
    def jvp(ctx, tangent, _):
        return (Rules._slopes(ctx) * tangent).sum()


@bank.wrong("H", "divides by all samples, the ignored too", witness.vjp)
class AllSamples(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        _, target = ctx.saved_tensors
        grad, _ = OneHot.backward(ctx, grad_output)
        return grad * (target != IGNORED).sum() / len(target), None


@bank.wrong("H", "forgets to divide by the number of samples", witness.vjp)
class Sum(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        grad, _ = OneHot.backward(ctx, grad_output)
        return grad * (ctx.saved_tensors[1] != IGNORED).sum(), None


@bank.wrong("D", "lets the softmax of ignored samples through", witness.vjp)
class IgnoredToo(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        kept = target != IGNORED
        hot = F.one_hot(target.clamp(min=0), logits.shape[1]) * kept.unsqueeze(1)
        return (logits.softmax(1) - hot) * grad_output / kept.sum(), None


@bank.wrong("D", "forgets the upstream gradient, since a loss is thought to come last", witness.vjp)
class NoUpstream(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        return OneHot.backward(ctx, torch.ones_like(grad_output))


@bank.wrong("H", "subtracts 1 in the targets' columns of every sample", witness.vjp)
class Columns(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        kept = target != IGNORED
        grad = logits.softmax(1)
        grad[:, target[kept]] -= 1
        return grad * kept.unsqueeze(1) * grad_output / kept.sum(), None


@bank.wrong("K", "saves the softmax of forward, so the second derivative takes it for a constant", witness.second)
class Saved(Function):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.softmax(1), target)
        return F.cross_entropy(logits, target)

    @staticmethod
    def backward(ctx, grad_output):
        probability, target = ctx.saved_tensors
        kept = target != IGNORED
        hot = F.one_hot(target.clamp(min=0), probability.shape[1])
        return (probability - hot) * (grad_output * kept / kept.sum()).unsqueeze(1), None


@bank.wrong("F", "subtracts 1 in place from what it keeps, so a second backward subtracts 2", witness.twice)
class SubtractsAgain(Function):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.probability = logits.softmax(1)
        ctx.save_for_backward(target)
        return F.cross_entropy(logits, target)

    @staticmethod
    def backward(ctx, grad_output):
        (target,) = ctx.saved_tensors
        kept = target != IGNORED
        hot = F.one_hot(target.clamp(min=0), ctx.probability.shape[1])
        return ctx.probability.sub_(hot) * (grad_output * kept / kept.sum()).unsqueeze(1), None


@bank.wrong(
    "O",
    "divides by the target's probability, which is 0 / 0 where that underflows",
    witness.at(witness.not_a_number, lambda: (drawn(5, 4).detach().mul_(2000).requires_grad_(), torch.tensor([2, 0, 1, 1, 2]))),
)
class Divides(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        kept = target != IGNORED
        hot = F.one_hot(target.clamp(min=0), logits.shape[1])
        probability = logits.softmax(1)
        grad_probability = -hot / probability * (grad_output * kept / kept.sum()).unsqueeze(1)
        total = (grad_probability * probability).sum(1, keepdim=True)
        return probability * (grad_probability - total), None


@bank.wrong("C", "returns its gradients in the wrong order, so that the logits get None", witness.vjp)
class WrongOrder(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        return None, OneHot.backward(ctx, grad_output)[0]


@bank.wrong("G", "takes its one-hot rows from an identity matrix on the CPU", witness.other_device)
class OnCpu(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        kept = target != IGNORED
        hot = torch.eye(logits.shape[1])[target.clamp(min=0)]
        return (logits.softmax(1) - hot) * (grad_output * kept / kept.sum()).unsqueeze(1), None


@bank.wrong("N", "takes the upstream gradient as a number, so the second derivative misses it", witness.second)
class Item(OneHot):
    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        kept = target != IGNORED
        hot = F.one_hot(target.clamp(min=0), logits.shape[1])
        return (logits.softmax(1) - hot) * kept.unsqueeze(1) * (grad_output.item() / kept.sum()), None


@bank.wrong("B", "keeps the target as an attribute of ctx, so a reused batch goes unseen", _changed_target)
class TargetAttribute(Function):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits)
        ctx.target = target
        return F.cross_entropy(logits, target)

    @staticmethod
    def backward(ctx, grad_output):
        (logits,) = ctx.saved_tensors
        kept = ctx.target != IGNORED
        hot = F.one_hot(ctx.target.clamp(min=0), logits.shape[1])
        return (logits.softmax(1) - hot) * (grad_output * kept / kept.sum()).unsqueeze(1), None
