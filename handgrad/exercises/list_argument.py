"""The exercise `list_argument` of chapter 05: tensors in a list, which autograd does not look into."""

from collections.abc import Callable, Iterator

import torch

from handgrad.audit.calls import as_tuple, written_by_hand
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import numbers
from handgrad.device import device
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip

Answer = tuple[type[torch.autograd.Function], Callable]
Tensors = list[torch.Tensor]


def _lists(draw: Draw) -> list[Tensors]:
    """One tensor, several of different shapes, and more than one would write out."""
    return [
        [draw.normal(3)],
        [draw.normal(2), draw.normal(2)],
        [draw.normal(2, 2), draw.normal(3), draw.normal(1)],
        [draw.normal(2) for _ in range(5)],
        [draw.normal(3, 2).t(), draw.normal(4)[::2], draw.normal()],
    ]


def _leaves(tensors: Tensors) -> Tensors:
    return [t.detach().clone().requires_grad_(t.requires_grad) for t in tensors]


def _words(tensors: Tensors) -> str:
    return ", ".join(numbers(t) + (" (no gradient asked)" if not t.requires_grad else "") for t in tensors)


def _asking(tensors: Tensors) -> Tensors:
    return [t.requires_grad_() for t in tensors]


def _form(answer: Answer, draw: Draw) -> Iterator[Case]:
    """A Function and a function that calls it."""
    fn, called = answer
    is_function = isinstance(fn, type) and issubclass(fn, torch.autograd.Function)
    seen = {"the first part is a Function": is_function, "the second is a function": callable(called)}
    yield {"given": "(SquaredNorm, squared_norm)", "seen": seen}


def _value(answer: Answer, draw: Draw) -> Iterator[Case]:
    """The sum of all squares, as a tensor without dimensions; those that need no gradient count as well."""
    lists = [_asking(tensors) for tensors in _lists(draw)]
    lists[1][0].requires_grad_(False)
    for tensors in lists:
        fresh = _leaves(tensors)
        seen = {"value": plain(answer[1](list(fresh))), "tensors afterwards": [plain(t) for t in fresh]}
        yield {"given": f"squared_norm of {_words(tensors)}", "seen": seen}


def _tracked(answer: Answer, draw: Draw) -> Iterator[Case]:
    """The result requires grad exactly where one of the tensors does, and the Function stands in its graph."""
    for tensors in _lists(draw)[:3]:
        for asking in dict.fromkeys(((True,) * len(tensors), (False,) * (len(tensors) - 1) + (True,), (False,) * len(tensors))):
            for t, asks in zip(tensors, asking, strict=True):
                t.requires_grad_(asks)
            y = answer[1](_leaves(tensors))
            tracked = isinstance(y, torch.Tensor) and y.requires_grad
            nodes = _nodes(answer[0], y) if tracked else []
            seen = {"result requires grad": tracked, "SquaredNorm is in its graph": bool(nodes)}
            yield {"given": f"squared_norm of {_words(tensors)}", "seen": seen}


def _nodes(fn: type, y: torch.Tensor) -> list[torch.autograd.graph.Node]:
    """The calls of a Function in the graph of y."""
    return [node for node in written_by_hand([y]) if type(node).__name__ == f"{fn.__name__}Backward"]


def _own_backward(answer: Answer, draw: Draw) -> Iterator[Case]:
    """The gradients come out of the Function's backward, and not of torch operations before it."""
    for tensors in map(_asking, _lists(draw)):
        y = answer[1](_leaves(tensors))
        returned = [grad for node in _nodes(answer[0], y) for grad in _returned(node)]
        numbers_given = torch.cat([y.detach().new_zeros(0), *(grad.reshape(-1) for grad in returned)])
        label = "what its backward returns for an upstream of 1, sorted"
        yield {"given": f"squared_norm of {_words(tensors)}", "seen": {label: plain(numbers_given.sort().values)}}


def _returned(node: torch.autograd.graph.Node) -> Tensors:
    """The gradients that backward returns, called by itself."""
    upstream = (torch.ones(tuple(meta.shape), dtype=meta.dtype, device=device()) for meta in node._input_metadata)
    with torch.no_grad():
        return [grad for grad in as_tuple(node.apply(*upstream)) if isinstance(grad, torch.Tensor)]


def _gradients(answer: Answer, draw: Draw) -> Iterator[Case]:
    """Each tensor gets its gradient, under an upstream that is not 1."""
    for tensors in map(_asking, _lists(draw)):
        fresh = _leaves(tensors)
        g = draw.normal()
        answer[1](list(fresh)).backward(g)
        seen = {f"gradient of tensor {i}": plain(t.grad) for i, t in enumerate(fresh)}
        yield {"given": f"{_words(tensors)}; upstream {numbers(g)}", "seen": seen}


def _frozen(answer: Answer, draw: Draw) -> Iterator[Case]:
    """Tensors that need no gradient stand between others, and one tensor stands in the list twice."""
    tensors = _asking(_lists(draw)[2])
    tensors[1].requires_grad_(False)
    fresh = _leaves(tensors)
    g = draw.normal()
    answer[1](list(fresh)).backward(g)
    seen = {f"gradient of tensor {i}": plain(t.grad) for i, t in enumerate(fresh)}
    yield {"given": f"{_words(tensors)}; upstream {numbers(g)}", "seen": seen}
    x, other = draw.normal(2).requires_grad_(), draw.normal(2).requires_grad_()
    answer[1]([x, other, x]).backward(g)
    seen = {"gradient of a": plain(x.grad), "gradient of b": plain(other.grad)}
    yield {"given": f"squared_norm([a, b, a]) for a = {numbers(x)}, b = {numbers(other)}; upstream {numbers(g)}", "seen": seen}


def _kinds(answer: Answer, draw: Draw) -> Iterator[Case]:
    """A tuple does as well as a list, and the caller's list is left as it was."""
    tensors = _asking(_lists(draw)[2])
    given = _leaves(tensors)
    kept = list(given)
    answer[1](given)
    same = len(kept) == len(given) and all(a is b for a, b in zip(given, kept, strict=True))
    yield {"given": "a list", "seen": {"the list is as it was": same}}
    yield {"given": f"a tuple of {_words(tensors)}", "seen": {"value": plain(answer[1](tuple(_leaves(tensors))))}}


def norm_with(backward: Callable = lambda g, tensors: [2 * g * t for t in tensors]) -> Answer:
    """The Function and its caller, with a backward of its own, `(upstream, tensors) -> gradients`."""

    class SquaredNorm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *tensors):
            ctx.save_for_backward(*tensors)
            return sum((t * t).sum() for t in tensors)

        @staticmethod
        def backward(ctx, grad_output):
            return tuple(backward(grad_output, ctx.saved_tensors))

    return SquaredNorm, lambda tensors: SquaredNorm.apply(*tensors)


class _Untracked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors):
        return sum((t * t).sum() for t in tensors)


def _three(draw: Draw) -> Tensors:
    return [draw.normal(2, 2).requires_grad_(), draw.normal(3).requires_grad_(), draw.normal(1).requires_grad_()]


def _one_by_one(answer: Answer) -> Callable:
    """What takes tensors in a list, for probes that hand them over one by one."""
    return lambda *tensors: answer[1](list(tensors))


LIST_ARGUMENT = Exercise(
    name="list_argument",
    chapter="05_context",
    probes=(
        Probe("form", _form, "Hand over the class SquaredNorm and the function squared_norm, neither of them called.", gate=True),
        Probe("value", _value, "The sum of the squares of all elements of all tensors, as one number in a tensor."),
        Probe(
            "tracked",
            _tracked,
            "autograd does not look into a list. Hand apply the tensors themselves: SquaredNorm.apply(*tensors).",
        ),
        Probe(
            "gradients",
            _gradients,
            "The gradient of each tensor is 2 · grad_output · tensor, at the place at which the tensor came in.",
        ),
        Probe("frozen", _frozen, "Each gradient belongs to the tensor at its own place, whether the others need one or not."),
        Probe(
            "own backward",
            _own_backward,
            "torch's operations do the work, and SquaredNorm gets what they made: hand it the tensors themselves.",
        ),
        Probe("kinds", _kinds, "squared_norm only reads what it is given."),
        *audit_probes(
            _three,
            ("a", "b", "c"),
            *("gradcheck", "returned", "linear", "second order", "upstream untouched", "stale", "calls apart"),
            *("other dtype", "device", "saved"),
            part=_one_by_one,
            advice=("saved",),
        ),
    ),
    reference=norm_with(),
    slips=(
        Slip(
            (_Untracked, lambda tensors: _Untracked.apply(tensors)),
            "apply sees no tensor that requires grad, so it records nothing: autograd does not look into a list, and what is "
            "detached requires none. Hand over the tensors themselves: forward(ctx, *tensors), SquaredNorm.apply(*tensors).",
        ),
        Slip(
            (_Untracked, lambda tensors: sum((t * t).sum() for t in tensors)),
            "The graph does not lead through SquaredNorm, so its backward is never asked: call SquaredNorm.apply(*tensors), and "
            "set no requires_grad by hand.",
        ),
        Slip(
            (_Untracked, lambda tensors: _Untracked.apply(tensors).requires_grad_()),
            "requires_grad set by hand makes the result a leaf: nothing leads from it to the tensors.",
        ),
        Slip(norm_with(lambda g, ts: [g * t for t in ts]), "The derivative of t² is 2·t."),
        Slip(norm_with(lambda g, ts: [2 * t for t in ts]), "backward ignores grad_output."),
        Slip(norm_with(lambda g, ts: [2 * g * ts[0], *[None] * (len(ts) - 1)]), "Only the first tensor gets a gradient."),
    ),
    errors=(
        (
            r"incorrect number of gradients",
            "Each tensor is an argument of its own now, so backward returns as many gradients as there are tensors.",
        ),
        (r"invalid gradient at index", "The gradients come back in another order than that of the tensors."),
        (
            r"expected Variable or None \(got (list|generator|tuple)\)",
            "backward returns a tuple of gradients: tuple(…), and not a list or a tuple inside another.",
        ),
        (
            r"save_for_backward can only save variables, but argument \d+ is of type (list|tuple)",
            "save_for_backward takes tensors one by one as well: ctx.save_for_backward(*tensors).",
        ),
        (
            r"forward\(\) takes \d+ positional arguments? but \d+ were given|missing \d+ required positional",
            "apply hands over as many tensors as the list has: forward(ctx, *tensors) takes any number.",
        ),
        (
            r"'(list|tuple)' object has no attribute|multiply sequence by non-int|'(list|tuple)' and '(list|tuple)'",
            "A list arrived where one tensor was expected: is a star missing, in apply(*tensors)?",
        ),
        (
            r"does not require grad and does not have a grad_fn",
            "The result has no graph: autograd does not look into a list. Hand apply the tensors themselves, with a star.",
        ),
    ),
    rules=(not_instantiated("SquaredNorm"), forward_not_called("SquaredNorm")),
    hints=(
        "apply looks at its arguments to see which are tensors. What does it see in apply([a, b])?",
        "forward(ctx, *tensors) takes any number of tensors; backward returns one gradient for each, 2 · grad_output · tensor.",
        "`SquaredNorm.apply(*tensors)`, `ctx.save_for_backward(*tensors)`, `return tuple(2 * grad_output * t for t in …)`.",
    ),
)

EXERCISES = (LIST_ARGUMENT,)
