"""The probe that asks whether backward itself can be differentiated, or says that it cannot."""

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence

import torch

from handgrad.audit.calls import Call, Run, Tensors, direction, drawn, inner, length, written_by_hand
from handgrad.audit.case import NotApplicable, between, case
from handgrad.audit.derivative import EXACT, REFUSES, SMALL, within
from handgrad.audit.other_arguments import asking_for, without
from handgrad.audit.record import Case


def second_order(call: Call) -> Iterator[Case]:
    """A second backward finds the derivative of the first, or raises, as `once_differentiable` declares.

    Only this probe sees a detached upstream gradient, an intermediate kept as a constant, a backward that leaves torch:
    second derivatives that are silently wrong (pytorch issue 58509). What `gradgradcheck` asks, along a random direction; then
    for each argument and each output alone, since backward may branch on what is asked for. Where backward calls another custom
    Function, the third derivative too.
    """
    for near in without(call):
        with contextlib.suppress(NotApplicable):
            yield from _whole(near)
    yield from _whole(call)
    for near in (call.at(asking_for(call, [i]), f"only {call.names[i]} needs a gradient: ") for i in _several(call.wanted)):
        yield from _same(call, near, slice(None))
    for k in _several(range(len(call.upstream))):
        yield from _same(call, call.at(call.args, f"only output {k} is used: "), slice(k, k + 1))


def _several(places: Sequence[int]) -> Sequence[int]:
    return places[:4] if len(places) > 1 else []


def _first(run: Run, upstream: Tensors, of: slice = slice(None)) -> Tensors:
    """The gradients of the leaves, with their graph; None where there is none."""
    return torch.autograd.grad(run.outputs[of], run.leaves, upstream[of], create_graph=True, allow_unused=True)


def _pull(grads: Tensors, weights: Tensors, to: Tensors, **options: bool) -> Tensors:
    """The gradients of Re Σ conj(grads) weights; zeros where a graph does not reach."""
    parts = [(g.conj() * w).sum().real for g, w in zip(grads, weights, strict=True) if g is not None and g.requires_grad]
    if not parts:
        return [torch.zeros_like(t) for t in to]
    found = torch.autograd.grad(sum(parts), to, allow_unused=True, **options)
    return [torch.zeros_like(t) if grad is None else grad for t, grad in zip(to, found, strict=True)]


def _whole(call: Call) -> Iterator[Case]:
    run = call.run()
    upstream = [g.clone().requires_grad_() for g in call.upstream]
    try:
        grads = run.pull(upstream, create_graph=True)
    except RuntimeError as error:
        raise NotApplicable(
            f"backward raises under create_graph ({type(error).__name__}), so there is no second derivative"
        ) from None
    for i, grad, want in zip(call.wanted, grads, call.gradients, strict=True):
        yield case(call.text, {f"gradient of {call.names[i]} with create_graph=True": (grad, want)}, within(want, call.scale))
    if any("Error" in grad.grad_fn.name() for grad in grads if grad.grad_fn is not None):
        raise NotApplicable("a second derivative raises an error, as once_differentiable promises")
    weights = [drawn(grad.detach(), call.seed + 211 + k) for k, grad in enumerate(grads)]
    point = [*run.leaves, *upstream]
    theirs = set(written_by_hand(run.outputs))
    deeper = any(node not in theirs for node in written_by_hand([grad for grad in grads if grad.requires_grad]))
    try:
        found = _pull(grads, weights, point, create_graph=deeper)
    except RuntimeError:
        raise NotApplicable("a second derivative raises an error, as once_differentiable promises") from None
    count = len(run.leaves)

    def first(tensors: Tensors) -> float:
        return inner(weights, call.at(_moved(call, tensors[:count])).vjp([t.detach() for t in tensors[count:]]))

    yield from _slope(call, first, point, found, "slope of backward along a random direction")
    if not deeper or not any(one.requires_grad for one in found):
        return
    more = [drawn(one.detach(), call.seed + 401 + k) for k, one in enumerate(found)]
    with contextlib.suppress(RuntimeError):
        third = _pull(found, more, point)

        def second(tensors: Tensors) -> float:
            near = call.at(_moved(call, tensors[:count])).run()
            ups = [t.detach().requires_grad_() for t in tensors[count:]]
            return inner(more, _pull(_first(near, ups), weights, [*near.leaves, *ups]))

        yield from _slope(call, second, point, third, "slope of the second derivative along a random direction")


def _slope(call: Call, f: Callable[[Tensors], float], point: Tensors, found: Tensors, label: str) -> Iterator[Case]:
    """The slope of `f` by differences, beside what the gradients that were found say; finer ones where these say nothing."""
    at = [t.detach() for t in point]
    along = [direction(t, call.seed + 307 + k) for k, t in enumerate(at)]
    claimed, exact, seen = inner(found, along), call.upstream[0].dtype in EXACT, []
    size = length(found, along) if math.isfinite(claimed) else 0.0
    for start in (2e-4, 2e-6, 2e-8) if exact else (2e-2,):
        try:
            wide, narrow = (
                (f(_along(at, along, step)) - f(_along(at, along, -step))) / (2 * step) for step in (start, start / 4)
            )
        except Exception:
            raise NotApplicable(REFUSES) from None
        value = narrow + (narrow - wide) / 15
        error = 10 * abs(narrow - wide)
        slack = error + SMALL.get(call.upstream[0].real.dtype, 3e-2) * 5 * (abs(value) + size)
        if 10 * error <= max(abs(value), abs(claimed)) < math.inf or not error:
            seen.append(case(call.text, {label: (claimed, between(value - slack, value + slack))}))
            if abs(claimed - value) <= slack:
                break
    yield from seen[-1:]


def _along(at: Tensors, along: Tensors, step: float) -> Tensors:
    return [t + step * d for t, d in zip(at, along, strict=True)]


def _moved(call: Call, tensors: Tensors) -> tuple:
    args = list(call.args)
    for i, tensor in zip(call.wanted, tensors, strict=True):
        args[i] = tensor.detach().requires_grad_()
    return tuple(args)


def _same(call: Call, near: Call, of: slice) -> Iterator[Case]:
    """The second derivatives of some arguments and outputs are what they are when everything is asked for."""
    asked = [call.wanted.index(i) for i in near.wanted]
    try:
        whole, part = call.run(), near.run()
        if len(part.outputs) != len(call.upstream):
            return
        results = []
        for run, outputs, places in ((whole, slice(None), asked), (part, of, range(len(asked)))):
            upstream = [g.clone().requires_grad_() for g in call.upstream]
            sent = [g if k in range(len(upstream))[of] else torch.zeros_like(g) for k, g in enumerate(upstream)]
            grads = _first(run, sent, outputs)
            grads = [grads[place] for place in places]
            weights = [drawn(call.gradients[place], call.seed + 211 + place) for place in asked]
            results.append(_pull(grads, weights, [*(run.leaves[place] for place in places), *upstream[of]]))
    except RuntimeError:
        return  # a loud refusal
    names = [*(call.names[i] for i in near.wanted), *("g" for _ in call.upstream[of])]
    for name, got, want in zip(names, results[1], results[0], strict=True):
        yield case(near.told, {f"second derivative to {name}": (got, want)}, within(want, call.scale))
