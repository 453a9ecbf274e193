"""The exercise `sinh` of chapter 09: intermediates that are returned, so that a second derivative sees them."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from handgrad.audit.calls import Trace
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import numbers
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip

OUTPUTS = ("sinh(x)", "exp(x)", "exp(-x)")


def sinh_with(
    save: Callable[..., tuple] = lambda x, grown, shrunk: (grown, shrunk),
    backward: Callable[..., Tensor] = lambda grown, shrunk, g, of_grown, of_shrunk: (
        g * (grown + shrunk) / 2 + of_grown * grown - of_shrunk * shrunk
    ),
) -> type[torch.autograd.Function]:
    """Sinh, right unless it saves other tensors than the two outputs, or has another backward."""

    class Sinh(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            grown, shrunk = x.exp(), (-x).exp()
            ctx.save_for_backward(*save(x, grown, shrunk))
            return (grown - shrunk) / 2, grown, shrunk

        @staticmethod
        def backward(ctx, *grads):
            return backward(*ctx.saved_tensors, *grads)

    return Sinh


def _declared() -> type[torch.autograd.Function]:
    right = sinh_with()
    return type("Sinh", (right,), {"backward": staticmethod(once_differentiable(right.backward))})


def _points(draw: Draw) -> list[Tensor]:
    return [tensor([2.0, 0.0, -1.0]), draw.normal(2, 2), draw.normal(3, scale=3.0)]


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    given, want = "Sinh.apply(x) at x = [1.0]", "a tuple of three tensors"
    seen = "no subclass of torch.autograd.Function"
    if isinstance(answer, type) and issubclass(answer, torch.autograd.Function):
        outputs = answer.apply(tensor([1.0]).requires_grad_())
        seen = described(outputs)
        if isinstance(outputs, tuple):
            seen = want if [isinstance(o, Tensor) for o in outputs] == [True] * 3 else f"a tuple of {len(outputs)}"
    yield {"given": given, "seen": {"what it returns": seen}}


def _forward(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    for x in _points(draw):
        leaf = x.clone().requires_grad_()
        outputs = answer.apply(leaf)
        seen = {name: plain(output) for name, output in zip(OUTPUTS, outputs, strict=True)}
        seen |= {f"{name} requires grad": output.requires_grad for name, output in zip(OUTPUTS, outputs, strict=True)}
        yield {"given": f"x = {numbers(x)}", "seen": {**seen, "x after forward": plain(leaf)}}


def _gradients(answer: type[torch.autograd.Function], x: Tensor, weights: tuple, order: int) -> list[Tensor]:
    """The derivatives of a weighted sum of the outputs, up to an order; None weighs an output that nobody uses."""
    leaf = x.clone().requires_grad_()
    outputs = answer.apply(leaf)
    weights = [w if w is None else w.clone().requires_grad_() for w in weights]
    value = sum((w * output).sum() for w, output in zip(weights, outputs, strict=True) if w is not None)
    found = []
    for left in reversed(range(order)):
        (value,) = torch.autograd.grad(value, leaf, create_graph=left > 0, allow_unused=True, materialize_grads=left == 0)
        found.append(value)
        if left:
            if value is None or not value.requires_grad:  # cut off: the derivative of a constant
                return found + [torch.zeros_like(x)] * left
            value = value.sum()
            if "Error" in found[-1].grad_fn.name():
                value.backward()  # raises, as once_differentiable promises
    return found


def _weights(draw: Draw, x: Tensor) -> list[tuple[str, tuple]]:
    w = [draw.normal(*x.shape) for _ in OUTPUTS]
    alone = [(f"{OUTPUTS[i]} alone", tuple(w[i] if i == k else None for k in range(3))) for i in range(3)]
    return [*alone, ("all three outputs", tuple(w))]


def _derivative(order: int) -> Callable[[type[torch.autograd.Function], Draw], Iterator[Case]]:
    label = ("gradient of x", "second derivative", "third derivative")[order - 1]

    def observe(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
        for x in _points(draw):
            for name, weights in _weights(draw, x):
                upstream = "; ".join(numbers(w) for w in weights if w is not None)
                found = _gradients(answer, x, weights, order)[-1]
                yield {"given": f"{name}, x = {numbers(x)}, upstream {upstream}", "seen": {label: plain(found)}}

    return observe


def _gradcheck(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    x = draw.normal(2, 2).requires_grad_()
    seen = torch.autograd.gradcheck(answer.apply, x, rtol=1e-6, atol=1e-6, raise_exception=False)
    yield {"given": f"x = {numbers(x)}", "seen": {"gradcheck": seen}}


def _exponentials(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    outputs = answer.apply(draw.normal(3).requires_grad_())
    upstream = [draw.normal(3) for _ in outputs]
    with Trace() as trace:
        torch.autograd.backward(outputs, upstream)
    words = ("exp", "sinh", "cosh", "pow", "sigmoid", "tanh")
    names = {name.removeprefix("aten::") for name in trace.operations if name.split("::")[-1].split(".")[0].strip("_") in words}
    yield {"given": "x of shape (3,)", "seen": {"exponentials that backward computes anew": sorted(names)}}


SINH = Exercise(
    name="sinh",
    chapter="09_second_order",
    probes=(
        Probe(
            "form",
            _form,
            "forward returns three tensors, sinh(x), exp(x) and exp(-x): what backward saves must be an input or an output.",
            gate=True,
        ),
        Probe("forward", _forward, "forward returns sinh(x), exp(x) and exp(-x), in this order, and leaves x alone."),
        Probe(
            "upstream",
            _derivative(1),
            "Three outputs send three gradients to x, each times its own slope: cosh(x), exp(x) and -exp(-x).",
        ),
        Probe("gradcheck", _gradcheck, "The slope that backward claims is not that of forward."),
        Probe(
            "second derivative",
            _derivative(2),
            "backward uses something that to torch is a constant: save inputs or outputs, and leave nothing of it detached.",
        ),
        Probe("third derivative", _derivative(3), "The second derivative is right, and its own derivative is cut off."),
        *audit_probes(
            lambda draw: (draw.normal(2, 2).requires_grad_(),),
            ("x",),
            *(
                "linear",
                "upstream untouched",
                "stale",
                "unused output",
                "shapes",
                "calls apart",
                "other dtype",
                "device",
                "saved",
            ),
            reference=lambda x: (x.sinh(), x.exp(), (-x).exp()),
            advice=("saved",),
        ),
        Probe(
            "exponentials",
            _exponentials,
            "Right, but the exponentials are computed twice: save the two that forward returns.",
            advice=True,
        ),
    ),
    reference=sinh_with(),
    slips=(
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, *rest: g * (grown + shrunk) / 2),
            "backward ignores the gradients of the two exponentials. Nobody sends any at first, but a second derivative "
            "comes back through them.",
        ),
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, a, b: g * (grown + shrunk) / 2 + a * grown + b * shrunk),
            "The slope of exp(-x) is -exp(-x): its gradient is subtracted.",
        ),
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, a, b: g * (grown - shrunk) / 2 + a * grown - b * shrunk),
            "The slope of sinh is cosh, the sum of the exponentials by two, not their difference.",
        ),
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, a, b: g * (grown + shrunk) / 2 + a - b),
            "The gradients of the exponentials are sent on without their slopes, exp(x) and -exp(-x).",
        ),
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, a, b: (grown + shrunk) / 2 + a * grown - b * shrunk),
            "grad_sinh is not used: backward returns the slope cosh(x) alone.",
        ),
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, a, b: g * (grown + shrunk) + a * grown - b * shrunk),
            "A factor 2 is left: cosh is the sum of the exponentials, by two.",
        ),
        Slip(
            sinh_with(save=lambda x, grown, shrunk: (grown.clone(), shrunk.clone())),
            "To torch what backward uses is a constant: a copy, .data or .detach()? Save the very tensors that forward returns, "
            "and use them as they come back.",
        ),
        Slip(
            sinh_with(
                save=lambda x, grown, shrunk: ((grown + shrunk) / 2, grown, shrunk),
                backward=lambda cosh, grown, shrunk, g, a, b: g * cosh + a * grown - b * shrunk,
            ),
            "cosh(x) was computed in forward and saved, but it is no output, so torch takes it for a constant: add the "
            "exponentials in backward.",
        ),
        Slip(
            sinh_with(backward=lambda grown, shrunk, g, a, b: g.detach() * (grown + shrunk) / 2 + a * grown - b * shrunk),
            "grad_sinh is detached, so what comes before it in the graph is cut off.",
        ),
    ),
    errors=(
        (
            r"marked with @once_differentiable|appears to not have been used",
            "Here a second derivative is asked for: no @once_differentiable, and torch's own operations in backward.",
        ),
        (
            r"backward\(\) takes \d positional arguments? but \d",
            "backward gets one gradient for each output of forward: three, after ctx.",
        ),
        (r"takes \d positional arguments? but", "forward takes ctx and x; backward takes ctx and three gradients."),
        (r"incorrect number of gradients", "There is one input, x, so backward returns one gradient: the sum of three terms."),
        (
            r"NoneType",
            "An output that nobody uses sends None under set_materialize_grads(False): leave it out, or let torch send zeros.",
        ),
    ),
    rules=(not_instantiated("Sinh"), forward_not_called("Sinh")),
    hints=(
        "Which tensors may backward keep so that torch still knows how they depend on x?",
        "x gets grad_sinh · cosh(x) + grad_grown · exp(x) - grad_shrunk · exp(-x), with cosh(x) = (exp(x) + exp(-x)) / 2.",
        "`ctx.save_for_backward(grown, shrunk)`, `return (grown - shrunk) / 2, grown, shrunk`; in backward "
        "`grad_sinh * (grown + shrunk) / 2 + grad_grown * grown - grad_shrunk * shrunk`.",
    ),
)

EXERCISES = (SINH,)
