"""The exercise `prelu` of chapter 07: a Function with a slope that is learned, and its Module."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import nn
from torch.nn.functional import prelu

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, oracle
from handgrad.device import device
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips


def _args(x: torch.Tensor, slope: float, asked: tuple[bool, bool] = (True, True)) -> Args:
    return x.requires_grad_(asked[0]), tensor([slope]).to(x.dtype).requires_grad_(asked[1])


SUBJECT = Subject(
    names=("input", "weight"),
    samples=lambda draw: [
        _args(tensor([-1.0, 1.0, -2.0]), 0.25),
        _args(draw.normal(2, 3), 0.1),
        _args(draw.normal(2, 3, 2), 0.3),
        _args(tensor([2.0, -3.0]), 0.5, (False, True)),
        _args(tensor([2.0, -3.0]), 0.5, (True, False)),
        _args(tensor([-1.5, 0.5, 3.0]), 0.0),
        _args(tensor([-1.5, 0.5, 3.0]), 1.5),
        _args(tensor([-1.5, 0.5, 3.0]), -0.2),
    ],
    extremes=lambda draw: [_args(tensor([150.0, -150.0, 1e-12, -1e-12]), 0.25)],
    shapes=lambda draw: [
        ("no elements", _args(tensor([]), 0.25)),
        ("one element", _args(tensor([-2.0]), 0.25)),
        ("one row", _args(draw.normal(1, 3), 0.25)),
        ("four dimensions", _args(draw.normal(2, 1, 2, 3), 0.25)),
        ("transposed", _args(draw.normal(3, 2).t(), 0.25)),
        ("float32", _args(draw.normal(4, 5, dtype=torch.float32), 0.25)),
    ],
    kinks=lambda draw: [_args(tensor([0.0]), 0.25)],
    at_kink=(0.25, 1.0),
)


def _slip(text: str, grad_input: Callable | None = None, grad_weight: Callable | None = None) -> Slip:
    def backward(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor) -> tuple:
        right = torch.where(x > 0, g, w * g), (g * x * (x < 0)).sum().reshape(1)
        return (
            grad_input(g, x, w) if grad_input else right[0],
            grad_weight(g, x, w) if grad_weight else right[1],
        )

    function = oracle(prelu, backward)
    return Slip((function, _of(function)), text)


def _of(function: type[torch.autograd.Function]) -> type[nn.Module]:
    class PReLU(nn.PReLU):
        def __init__(self, init: float = 0.25) -> None:
            super().__init__(init=init)

        def forward(self, input: torch.Tensor) -> torch.Tensor:
            return function.apply(input, self.weight)

    return PReLU


_MAXIMUM = oracle(
    lambda x, w: torch.maximum(x, w * x), lambda g, x, w: (torch.where(x > 0, g, w * g), (g * x * (x < 0)).sum()[None])
)


def _of_the_function(probe: Probe) -> Probe:
    return replace(probe, observe=lambda answer, draw: probe.observe(answer[0], draw))


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    seen = "neither"
    if isinstance(answer, tuple) and len(answer) == 2 and all(isinstance(part, type) for part in answer):
        function, module = answer
        fits = issubclass(function, torch.autograd.Function), issubclass(module, nn.Module)
        seen = {(True, True): "a Function and a Module", (True, False): "no Module"}.get(fits, "no Function")
    yield {"given": "the answer itself", "seen": {"what it is": seen}}


def _layer(cls: type[nn.Module], slope: float) -> nn.Module:
    layer = cls().to(device(), torch.float64)
    layer.load_state_dict({"weight": tensor([slope])})
    return layer


def _parameter(answer: tuple, draw: Draw) -> Iterator[Case]:
    for init in (0.25, draw.integer(1, 9) / 8):
        layer = answer[1]() if init == 0.25 else answer[1](init)
        seen = {
            "named_parameters()": [[name, p.tolist()] for name, p in layer.named_parameters()],
            "state_dict": [[name, list(value.shape)] for name, value in layer.state_dict().items()],
        }
        yield {"given": "PReLU()" if init == 0.25 else f"PReLU({init})", "seen": seen}
    one, other = answer[1](), answer[1]()
    with torch.no_grad():
        one.weight.add_(1)
    yield {"given": "1 added to the weight of another PReLU()", "seen": {"weight": other.weight.tolist()}}


def _module(answer: tuple, draw: Draw) -> Iterator[Case]:
    for shape, factor in (((3,), 1), ((2, 3), -1), ((2, 2, 2), 11)):
        slope = factor * draw.integer(1, 9) / 10
        layer, x = _layer(answer[1], slope), draw.normal(*shape)
        output = layer(x)
        output.backward(draw.normal(*shape))
        seen = {"output": plain(output), "gradient of weight": plain(layer.weight.grad)}
        yield {"given": f"PReLU() with weight {slope}, input of shape {shape}", "seen": seen}


def _own(answer: tuple, draw: Draw) -> Iterator[Case]:
    output = _layer(answer[1], 0.5)(draw.normal(3))
    name = output.grad_fn.name() if output.grad_fn is not None else "no node"
    yield {"given": "the node of PReLU()(x)", "seen": {"it is PReLUFunction's": name == answer[0].__name__ + "Backward"}}


PRELU = Exercise(
    name="prelu",
    chapter="07_module",
    probes=(
        Probe("form", _form, "Hand check both classes, (PReLUFunction, PReLU).", gate=True),
        *map(
            _of_the_function,
            function_probes(
                SUBJECT, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "kink",
                "calls apart", "second order", "stale", "saved", "shapes", "linear", "device",
                advice=("saved", "second order"),
            )[1:],
        ),
        Probe("parameter", _parameter, "One nn.Parameter of shape (1,), named weight as in nn.PReLU, that begins as init."),
        Probe("module", _module, "forward hands input and self.weight to PReLUFunction.apply."),
        Probe("own Function", _own, "forward goes round your Function: call PReLUFunction.apply(input, self.weight)."),
    ),
    reference=(oracle(prelu), _of(oracle(prelu))),
    slips=(
        *(Slip((slip.answer, _of(slip.answer)), slip.text) for slip in function_slips(prelu)),
        Slip(
            (_MAXIMUM, _of(_MAXIMUM)),
            "max(input, slope * input) is the formula for slopes up to 1 alone, and the slope is learned: ask for input's sign.",
        ),
        _slip(
            "The slope's gradient has one number for each input: sum them, there is one slope, of shape (1,).",
            grad_weight=lambda g, x, w: g * x * (x < 0),
        ),
        _slip(
            "The slope's gradient is a single number without a dimension: its argument has shape (1,), so keep that.",
            grad_weight=lambda g, x, w: (g * x * (x < 0)).sum(),
        ),
        _slip(
            "The slope's gradient is summed over the first dimension alone: one slope serves every element.",
            grad_weight=lambda g, x, w: (g * x * (x < 0)).sum(0),
        ),
        _slip(
            "The slope's gradient is a mean: every negative input adds to it, so sum.",
            grad_weight=lambda g, x, w: (g * x * (x < 0)).mean().reshape(1),
        ),
        _slip(
            "The slope gets a gradient from positive inputs too: there the output does not contain it.",
            grad_weight=lambda g, x, w: (g * x).sum().reshape(1),
        ),
        _slip(
            "The slope's gradient leaves the input out: the output is slope times input, so its derivative is the input.",
            grad_weight=lambda g, x, w: (g * (x < 0)).sum().reshape(1),
        ),
        _slip(
            "The slope's gradient ignores grad_output: the chain rule wants grad_output times the input, summed.",
            grad_weight=lambda g, x, w: (x * (x < 0)).sum().reshape(1),
        ),
        _slip("The slope gets no gradient, so it never learns.", grad_weight=lambda g, x, w: None),
        _slip("Where the input is negative, the gradient passes times the slope.", lambda g, x, w: g),
        _slip("Negatives do not get 0 here, but slope times the gradient.", lambda g, x, w: g * (x > 0)),
    ),
    errors=(
        (
            r"forward\(\) (takes|missing)|incorrect number of gradients",
            "forward has two arguments after ctx, input and weight, and backward returns a gradient for each.",
        ),
        (r"index 1 - got \[\]", "The slope has shape (1,), and your gradient has none: keep the dimension, reshape(1)."),
        (r"invalid gradient at index 1", "There is one slope: sum its gradient over all elements, to shape (1,)."),
        (
            r"does not require grad and does not have a grad_fn",
            "The output has no graph: hand over self.weight itself, not detached and not as a number.",
        ),
        (r"loading state_dict", "The state holds one entry, weight, of shape (1,), as nn.PReLU's does."),
        (r"before Module.__init__\(\) call", "super().__init__() comes first: it makes the place where parameters are kept."),
    ),
    rules=(not_instantiated("PReLUFunction"), forward_not_called("PReLUFunction")),
    hints=(
        "In how many outputs does the one slope appear? What does the chain rule do with several paths?",
        "d input: grad_output where input > 0, else slope · grad_output. d slope: the sum of grad_output · input over input ≤ 0.",
        "`grad_weight = (grad_output * input * (input <= 0)).sum().reshape(weight.shape)`.",
    ),
)  # fmt: skip

EXERCISES = (PRELU,)
