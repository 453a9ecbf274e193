"""The exercise `once_differentiable` of chapter 09: a backward that declares what it cannot do, and what torch then says."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, numbers, oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
Predictions = Callable[[], dict[str, str]]


def normed(x: Tensor) -> Tensor:
    """Batch norm without weight and bias, differentiated by torch."""
    centred = x - x.mean(0)
    return centred / (centred.square().mean(0) + 1e-5).sqrt()


def batch_norm_with(backward: Callable[[Tensor, Tensor, Tensor], Tensor], declare: Callable = lambda fn: fn) -> Function:
    """The exercise's BatchNorm with `backward(grad_output, normed, deviation)`."""

    class BatchNorm(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            centred = x - x.mean(0)
            deviation = (centred.square().mean(0) + 1e-5).sqrt()
            normed = centred / deviation
            ctx.save_for_backward(normed, deviation)
            return normed

        @staticmethod
        @declare
        def backward(ctx, grad_output):
            return backward(grad_output, *ctx.saved_tensors)

    return BatchNorm


def formula(g: Tensor, normed: Tensor, deviation: Tensor) -> Tensor:
    """The gradient for x; the deviation counts as a constant."""
    return (g - g.mean(0) - normed * (g * normed).mean(0)) / deviation


DECLARED = batch_norm_with(formula, once_differentiable)


def _first(y: Tensor, x: Tensor, create_graph: bool = True) -> Tensor:
    (first,) = torch.autograd.grad(y, x, create_graph=create_graph)
    return first


# each program of the exercise, on x that requires grad, and w that does
_PROGRAMS: dict[str, Callable[[Tensor, Tensor], object]] = {
    "cubes": lambda x, w: _first(DECLARED.apply(x).pow(3).sum(), x).pow(2).sum().backward(),
    "cubes, grad": lambda x, w: torch.autograd.grad(_first(DECLARED.apply(x).pow(3).sum(), x).pow(2).sum(), x),
    "weights": lambda x, w: _first((DECLARED.apply(x) * w.detach()).sum(), x).pow(2).sum().backward(),
    "no graph": lambda x, w: _first(DECLARED.apply(x).pow(3).sum(), x, False).pow(2).sum().backward(),
    "scaled, grad": lambda x, w: torch.autograd.grad(_first(DECLARED.apply(x * w).pow(3).sum(), x).pow(2).sum(), w),
}
_MESSAGES = {
    "A": "does not require grad and does not have a grad_fn",
    "B": "marked with @once_differentiable",
    "C": "appears to not have been used in the graph",
}
_WHY = {
    "cubes": "The gradient of a cube depends on y, so the upstream gradient requires grad, and backward() walks into the node "
    "that once_differentiable put there.",
    "cubes, grad": "autograd.grad walks only along paths to x, and the node that once_differentiable puts there leads nowhere: "
    "torch finds no way to x at all.",
    "weights": "The upstream gradient is w, a constant. Then once_differentiable hands the gradient over as a constant too.",
    "no graph": "Without create_graph=True the first gradient is a plain tensor, whatever backward is.",
    "scaled, grad": "There is a second way to w, the product: first = w * (gradient of x * w). torch follows that one, and the "
    "cut one is left out without a word.",
}


def predictions() -> dict[str, str]:
    """What torch says to each program, by letter."""
    found = {}
    for name, program in _PROGRAMS.items():
        x, w = (tensor(rows).requires_grad_() for rows in ([[1.0, 2.0], [3.0, 5.0], [8.0, 1.0]], [[1.0], [2.0], [-1.0]]))
        found[name] = "none"
        try:
            program(x, w)
        except RuntimeError as error:
            found[name] = next((letter for letter, text in _MESSAGES.items() if text in str(error)), "another error")
    return found


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    given, want = "the answer itself", "a Function, and a dict with a letter for each of the five programs"
    seen = described(answer)
    if isinstance(answer, tuple) and len(answer) == 2:
        function, says = answer
        said = says() if callable(says) else says
        if not (isinstance(function, type) and issubclass(function, torch.autograd.Function)):
            seen = f"{described(function)} where the Function belongs"
        elif not isinstance(said, dict):
            seen = f"{described(said)} where the dict belongs"
        else:
            missing = [name for name in _PROGRAMS if name not in said]
            seen = f"no letter for {', '.join(missing)}" if missing else want
    yield {"given": given, "seen": {"what it is": seen}}


def _declared(answer: tuple[Function, Predictions], draw: Draw) -> Iterator[Case]:
    for x in (draw.normal(4, 2), draw.normal(3, 1)):
        leaf, g = x.clone().requires_grad_(), draw.normal(*x.shape).requires_grad_()
        (first,) = torch.autograd.grad(answer[0].apply(leaf), leaf, g, create_graph=True)
        seen = {"first gradient": plain(first), "it requires grad": first.requires_grad}
        if first.requires_grad:
            try:
                first.pow(2).sum().backward()
                seen["its derivative"] = f"a number, {'right' if _is_right(leaf.grad, x, g) else 'wrong'}"
            except Exception:
                seen["its derivative"] = "an error"
        yield {"given": f"x = {numbers(x)}, an upstream gradient that requires grad, create_graph=True", "seen": seen}


def _is_right(found: Tensor | None, x: Tensor, g: Tensor) -> bool:
    leaf = x.clone().requires_grad_()
    (first,) = torch.autograd.grad(normed(leaf), leaf, g, create_graph=True)
    (right,) = torch.autograd.grad(first.pow(2).sum(), leaf)
    return found is not None and torch.allclose(found, right)


def _prediction(name: str, answer: tuple[Function, Predictions], draw: Draw) -> Iterator[Case]:
    says = answer[1]
    letter = (says() if callable(says) else says)[name]
    if isinstance(letter, str):
        letter = letter.strip().strip(".").upper()
        letter = letter if letter in _MESSAGES else letter.lower()
    elif letter is None:
        letter = "none"
    yield {"given": f'the program "{name}"', "seen": {"what torch says": "..." if letter is ... else plain(letter)}}


_SUBJECT = Subject(
    names=("x",),
    samples=lambda draw: [(draw.normal(*shape).requires_grad_(),) for shape in ((4, 2), (3, 3), (5, 1))],
    shapes=lambda draw: [
        ("three dimensions", (draw.normal(3, 2, 2).requires_grad_(),)),
        ("transposed", (draw.normal(2, 4).t().requires_grad_(),)),
        ("float32", (draw.normal(4, 3, dtype=torch.float32).requires_grad_(),)),
    ],
)


def _of_the_function(probe: Probe) -> Probe:
    return replace(probe, observe=lambda answer, draw: probe.observe(answer[0], draw))


def _slip(text: str, backward: Callable = formula, declare: Callable = lambda fn: fn) -> Slip:
    return Slip((batch_norm_with(backward, declare), predictions), text)


ONCE_DIFFERENTIABLE = Exercise(
    name="once_differentiable",
    chapter="09_second_order",
    probes=(
        Probe("form", _form, "Hand over the Function and the dict, as the check cell does, with a letter for each.", gate=True),
        *map(
            _of_the_function,
            function_probes(_SUBJECT, "forward", "returned", "upstream", "gradcheck", "upstream untouched", "shapes", "device")[
                1:
            ],
        ),
        Probe(
            "declared",
            _declared,
            "Let the first gradient through, with create_graph=True too, and let its derivative raise: that is what "
            "once_differentiable does.",
        ),
        *(Probe(name, partial(_prediction, name), why) for name, why in _WHY.items()),
    ),
    reference=(DECLARED, predictions),
    slips=(
        _slip("Nothing is declared: a second derivative comes out, and it is wrong, since the deviation counts as a constant."),
        Slip(
            (oracle(normed), predictions),
            "Its second derivative exists, so there is nothing to declare. Fine work; here the formula stays as it was, and the "
            "declaration is what is asked for.",
        ),
        _slip(
            "The gradient is cut off from the graph (no_grad, detach, .data): no error, and a second derivative that leaves this "
            "part out. once_differentiable raises in its place.",
            declare=torch.no_grad(),
        ),
        _slip("The formula has changed: leave it, it is right.", lambda g, normed, deviation: g / deviation),
    ),
    errors=(
        (
            r"is not callable|object has no attribute 'needs_input_grad'",
            "The decorators stand in this order: @staticmethod first, then @once_differentiable, then def backward.",
        ),
    ),
    rules=(not_instantiated("BatchNorm"), forward_not_called("BatchNorm")),
    hints=(
        "Which of the tensors that backward reads is neither an input nor an output of forward? What does torch take it for?",
        "The declaration is a decorator of backward, below @staticmethod. Then: is there a graph behind the first gradient? Does "
        "backward() reach the node that raises? Does grad() walk there?",
        '`@once_differentiable` between `@staticmethod` and `def backward`. A constant upstream: "A". backward(): "B". grad() '
        'with no other way to the tensor: "C". With another way: "none".',
    ),
)

EXERCISES = (ONCE_DIFFERENTIABLE,)
