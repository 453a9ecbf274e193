"""The exercise `cube_backward` of chapter 09: a kernel that autograd cannot see into, and a Function for its backward."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.calls import written_by_hand
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import numbers
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip

Function = type[torch.autograd.Function]
Answer = tuple[Function, Function]


def cube_with(
    second: Callable[..., tuple] = lambda v, g, x: (3 * x * x * v, 6 * x * g * v),
    first: Callable[[Function, Tensor, Tensor], Tensor] = lambda cube_backward, g, x: cube_backward.apply(g, x),
) -> Answer:
    """Cube and CubeBackward, right unless one of the two backwards is given."""

    class CubeBackward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, grad_output, x):
            ctx.save_for_backward(grad_output, x)
            return 3 * x * x * grad_output

        @staticmethod
        def backward(ctx, grad_grad):
            return second(grad_grad, *ctx.saved_tensors)

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad_output):
            return first(CubeBackward, grad_output, *ctx.saved_tensors)

    return Cube, CubeBackward


def _points(draw: Draw) -> list[Tensor]:
    return [tensor([2.0, -1.0]), draw.normal(2, 3)]


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    want, seen = "two Functions, Cube and CubeBackward", described(answer)
    if isinstance(answer, tuple) and len(answer) == 2:
        fits = [isinstance(part, type) and issubclass(part, torch.autograd.Function) for part in answer]
        apart = answer[0] is not answer[1]
        seen = want if all(fits) and apart else f"a pair with {sum(fits) if apart else 1} of them"
    yield {"given": "the answer itself", "seen": {"what it is": seen}}


def _forward(answer: Answer, draw: Draw) -> Iterator[Case]:
    for x in _points(draw):
        leaf = x.clone().requires_grad_()
        seen = {"output": plain(answer[0].apply(leaf)), "x after forward": plain(leaf)}
        yield {"given": f"Cube.apply(x), x = {numbers(x)}", "seen": seen}


def _upstream(answer: Answer, draw: Draw) -> Iterator[Case]:
    for x in _points(draw):
        leaf, g = x.clone().requires_grad_(), draw.normal(*x.shape)
        (found,) = torch.autograd.grad(answer[0].apply(leaf), leaf, g)
        yield {"given": f"Cube at x = {numbers(x)}, upstream {numbers(g)}", "seen": {"gradient of x": plain(found)}}


def _two_gradients(answer: Answer, draw: Draw) -> Iterator[Case]:
    for x in _points(draw):
        g, v = draw.normal(*x.shape), draw.normal(*x.shape)
        args = g.clone().requires_grad_(), x.clone().requires_grad_()
        output = answer[1].apply(*args)
        found = torch.autograd.grad(output, args, v, allow_unused=True)
        seen = {"output": plain(output)}
        seen |= {f"gradient of {name}": plain(grad) for name, grad in zip(("grad_output", "x"), found, strict=True)}
        given = f"CubeBackward.apply(grad_output, x), grad_output = {numbers(g)}, x = {numbers(x)}, upstream {numbers(v)}"
        yield {"given": given, "seen": seen}


def _in_the_graph(answer: Answer, draw: Draw) -> Iterator[Case]:
    x, g = draw.normal(3).requires_grad_(), draw.normal(3).requires_grad_()
    (first,) = torch.autograd.grad(answer[0].apply(x), x, g, create_graph=True)
    seen = {"the gradient requires grad": first.requires_grad}
    if first.requires_grad:
        found = any(type(node)._forward_cls is answer[1] for node in written_by_hand([first]))
        seen["a node of CubeBackward stands in its graph"] = found
    yield {"given": "the gradient of Cube, create_graph=True", "seen": seen}


def _second(answer: Answer, draw: Draw) -> Iterator[Case]:
    for x in _points(draw):
        leaf, g, v = x.clone().requires_grad_(), draw.normal(*x.shape).requires_grad_(), draw.normal(*x.shape)
        (first,) = torch.autograd.grad(answer[0].apply(leaf), leaf, g, create_graph=True)
        found = [None, None]
        if first.requires_grad:
            found = torch.autograd.grad(first, [leaf, g], v, allow_unused=True)
        seen = {"second derivative": plain(found[0]), "gradient of the upstream gradient": plain(found[1])}
        yield {"given": f"Cube at x = {numbers(x)}, upstream {numbers(g)}, weights {numbers(v)}", "seen": seen}


def _third(answer: Answer, draw: Draw) -> Iterator[Case]:
    for x in _points(draw):
        leaf, g, v = (t.requires_grad_() for t in (x.clone(), draw.normal(*x.shape), draw.normal(*x.shape)))
        (first,) = torch.autograd.grad(answer[0].apply(leaf), leaf, g, create_graph=True)
        seen = {}
        for one, name in zip(torch.autograd.grad(first, [leaf, g], v, create_graph=True), ("x", "the upstream"), strict=True):
            third = "an error"
            if one.grad_fn is None or "Error" not in one.grad_fn.name():
                found = [None] * 3
                if one.requires_grad:
                    found = torch.autograd.grad(one.sum(), [leaf, g, v], retain_graph=True, allow_unused=True)
                third = [plain(torch.zeros_like(x) if grad is None else grad) for grad in found]
            seen[f"derivatives of that by {name}"] = third
        accept = {label: [value, "an error"] for label, value in seen.items()}
        given = f"the second derivative of Cube at x = {numbers(x)}, upstream {numbers(g)}, weights {numbers(v)}"
        yield {"given": given, "seen": seen, "accept": accept}


CUBE_BACKWARD = Exercise(
    name="cube_backward",
    chapter="09_second_order",
    probes=(
        Probe("form", _form, "Hand over both classes, Cube first, without calling them.", gate=True),
        Probe("forward", _forward, "Cube.forward returns the cube, through its kernel, and leaves x alone."),
        Probe(
            "upstream", _upstream, "The gradient of Cube is 3 x² times the upstream gradient: what the second kernel computes."
        ),
        Probe(
            "in the graph",
            _in_the_graph,
            "What a kernel returns has no graph, so the gradient is a constant: let Cube.backward return CubeBackward.apply(…).",
        ),
        Probe(
            "two gradients",
            _two_gradients,
            "CubeBackward computes 3 x² · grad_output, a function of two arguments: each has a gradient of its own.",
        ),
        Probe("second derivative", _second, "Two times differentiated, x³ is 6 x times both upstream gradients."),
        Probe(
            "third derivative",
            _third,
            "The second backward is opaque in its turn: use torch's operations on saved inputs there, or declare "
            "@once_differentiable.",
        ),
        *audit_probes(
            lambda draw: (draw.normal(2, 2).requires_grad_(),),
            ("x",),
            "linear",
            "kink",
            "upstream untouched",
            "stale",
            "shapes",
            "calls apart",
            "other dtype",
            "device",
            "saved",
            reference=lambda x: x**3,
            part=lambda answer: answer[0],
            of="Cube",
            advice=("saved",),
        ),
        *audit_probes(
            lambda draw: (draw.normal(2, 2).requires_grad_(), draw.normal(2, 2).requires_grad_()),
            ("grad_output", "x"),
            "linear",
            "kink",
            "frozen",
            "upstream untouched",
            "stale",
            "calls apart",
            "other dtype",
            "device",
            "saved",
            "work",
            reference=lambda g, x: 3 * x**2 * g,
            part=lambda answer: answer[1],
            of="CubeBackward",
            advice=("saved", "work"),
        ),
    ),
    reference=cube_with(),
    slips=(
        Slip(
            cube_with(lambda v, g, x: (None, 6 * x * g * v)),
            "grad_output is an argument of CubeBackward like x, and has a gradient: 3 x² times what comes in.",
        ),
        Slip(
            cube_with(lambda v, g, x: (3 * x * x * v, None)),
            "x is an argument of CubeBackward like grad_output, and has a gradient: 6 x · grad_output times what comes in.",
        ),
        Slip(
            cube_with(lambda v, g, x: (6 * x * g * v, 3 * x * x * v)),
            "The two gradients are swapped: backward returns them in the order of forward's arguments, grad_output first.",
        ),
        Slip(
            cube_with(lambda v, g, x: (3 * x * x * v, 6 * x * v)),
            "The gradient for x still contains grad_output: 6 x · grad_output · grad_grad.",
        ),
        Slip(
            cube_with(lambda v, g, x: (3 * x * x * g * v, 6 * x * g * v)),
            "By grad_output, 3 x² · grad_output has the slope 3 x²: grad_output itself is gone.",
        ),
        Slip(
            cube_with(lambda v, g, x: (3 * x * x, 6 * x * g)),
            "grad_grad is not used: each gradient is what comes in times a slope.",
        ),
        Slip(cube_with(lambda v, g, x: (3 * x * x * v, 3 * x * g * v)), "The derivative of 3 x² is 6 x."),
        Slip(
            cube_with(first=lambda cube_backward, g, x: 3 * x * x * g),
            "The numbers are right, and Cube.backward does not call CubeBackward: where the kernel is opaque, it must.",
        ),
        Slip(
            cube_with(first=lambda cube_backward, g, x: cube_backward.apply(g, x.detach())),
            "x is detached on its way to CubeBackward: hand the saved tensor over as it comes.",
        ),
        Slip(
            cube_with(first=lambda cube_backward, g, x: cube_backward.apply(g.detach(), x)),
            "grad_output is detached on its way to CubeBackward: hand it over as it comes.",
        ),
    ),
    errors=(
        (r"incorrect number of gradients \(expected 2", "CubeBackward has two arguments, so its backward returns two gradients."),
        (r"incorrect number of gradients \(expected 1", "Cube has one argument, x, so its backward returns one gradient."),
        (r"Legacy autograd function", "A Function is called through apply: CubeBackward.apply(grad_output, x)."),
        (
            r"no attribute 'save_for_backward'|forward\(\) missing 1 required positional argument",
            "A Function is called through apply, which makes ctx: CubeBackward.apply(grad_output, x).",
        ),
        (
            r"marked with @once_differentiable|appears to not have been used",
            "Here a second derivative is asked for: Cube.backward will be differentiated, so it is not once_differentiable.",
        ),
    ),
    rules=(
        not_instantiated("Cube"),
        not_instantiated("CubeBackward"),
        forward_not_called("Cube"),
        forward_not_called("CubeBackward"),
    ),
    given=("forward", *(f"{name}, {part}" for name in ("stale", "calls apart", "device") for part in ("Cube", "CubeBackward"))),
    hints=(
        "A kernel is opaque, so the gradient that it returns is a constant to torch. What makes an opaque forward have one?",
        "h(g, x) = 3 x² g is a function of two arguments: ∂h/∂g = 3 x², ∂h/∂x = 6 x g. Each is multiplied by grad_grad.",
        "Cube.backward: `return CubeBackward.apply(grad_output, x)`; CubeBackward.backward: "
        "`return 3 * x * x * grad_grad, 6 * x * grad_output * grad_grad`.",
    ),
)

EXERCISES = (CUBE_BACKWARD,)
