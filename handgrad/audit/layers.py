"""The probes of a Module that should behave as `torch.nn.Linear` does. Each takes the Module's class and a source of inputs."""

import contextlib
import copy
from collections.abc import Iterator
from itertools import combinations

import torch
from torch import nn

from handgrad.audit.calls import written_by_hand
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.audit.subject import words
from handgrad.device import device

Layer = type[nn.Module]
NAMES = ("input", "weight", "bias")


def layer_of(function: type[torch.autograd.Function]) -> Layer:
    """A Module whose forward is `function.apply(input, weight, bias)`, with nn.Linear's parameters."""

    class Linear(nn.Linear):
        def forward(self, input: torch.Tensor) -> torch.Tensor:
            return function.apply(input, self.weight, self.bias)

    return Linear


def form(cls: object, draw: Draw) -> Iterator[Case]:
    """The answer is a class that subclasses `torch.nn.Module`."""
    is_module = isinstance(cls, type) and issubclass(cls, nn.Module)
    other = f"the class {cls.__name__}" if isinstance(cls, type) else described(cls)
    seen = "a subclass of torch.nn.Module" if is_module else other
    yield {"given": "the answer itself", "seen": {"what it is": seen}}


def parameters(cls: Layer, draw: Draw) -> Iterator[Case]:
    """weight of (out, in) and bias of (out,), registered in this order, and trained."""
    layer = cls(4, 3)
    seen = {
        "named_parameters()": [[name, list(p.shape)] for name, p in layer.named_parameters()],
        "parameters that require grad": [name for name, p in layer.named_parameters() if p.requires_grad],
        "dtypes": [str(p.dtype).removeprefix("torch.") for p in layer.parameters()],
    }
    yield {"given": "Linear(4, 3)", "seen": seen}


def initialised(cls: Layer, draw: Draw) -> Iterator[Case]:
    """Every number of the parameters was set. What memory happens to hold is marked with NaN first."""
    with marked_memory():
        layer = cls(4, 3)
    for name, parameter in layer.named_parameters():
        yield {
            "given": "Linear(4, 3), new memory filled with NaN",
            "seen": {f"numbers of {name} that nobody set": int(parameter.isnan().sum())},
        }


def random_start(cls: Layer, draw: Draw) -> Iterator[Case]:
    """The weights differ, unit from unit, input from input, layer from layer: equal units would stay equal for ever."""
    with marked_memory():  # what nobody set is NaN, and never equal by chance
        first, second = cls(4, 3), cls(4, 3)
    seen = {
        "all weights are equal": bool((first.weight == first.weight.flatten()[0]).all()),
        "two units start with the same weights": _repeats(first.weight),
        "two inputs start with the same weights": _repeats(first.weight.t()),
        "the next layer starts with the same weights": torch.equal(first.weight, second.weight),
    }
    yield {"given": "Linear(4, 3), twice", "seen": seen}


def _repeats(weight: torch.Tensor) -> bool:
    return any(torch.equal(a, b) for a, b in combinations(weight, 2))


@contextlib.contextmanager
def marked_memory() -> Iterator[None]:
    """Fill new tensors with NaN, those of `torch.empty` and `torch.Tensor(3, 4)` too."""
    kept = (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch.utils.deterministic.fill_uninitialized_memory,
    )
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = True
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(kept[0], warn_only=kept[1])
        torch.utils.deterministic.fill_uninitialized_memory = kept[2]


def numbers(cls: Layer, draw: Draw) -> Iterator[Case]:
    """Output and gradients are nn.Linear's, for plain data and for an input that needs a gradient itself."""
    for leading, n_in, n_out, asked in (((2,), 4, 3, False), ((2,), 4, 3, True), ((1,), 3, 2, True), ((4,), 3, 1, True)):
        yield from forward_backward(cls, draw, draw.normal(*leading, n_in).requires_grad_(asked), n_out)
    yield from forward_backward(cls, draw, draw.normal(2, 4).requires_grad_(), 3, training=False)


def without_bias(cls: Layer, draw: Draw) -> Iterator[Case]:
    """`bias=False`: one parameter, nothing of a bias in the state, and the product alone."""
    layer = cls(4, 3, bias=False)
    seen = {"state_dict": [[name, list(value.shape)] for name, value in layer.state_dict().items()]}
    yield {"given": "Linear(4, 3, bias=False)", "seen": seen}
    for asked in (False, True):
        yield from forward_backward(cls, draw, draw.normal(2, 4).requires_grad_(asked), 3, bias=False)
    yield {"given": "Linear(4, 3, bias=False)", "seen": {"bias": described(getattr(layer, "bias", None))}}


def forward_backward(
    cls: Layer, draw: Draw, x: torch.Tensor, n_out: int, bias: bool = True, training: bool = True
) -> Iterator[Case]:
    """One case: output and gradients of a layer for `x` and a signed upstream gradient."""
    layer = loaded(cls, draw, x.shape[-1], n_out, bias).train(training)
    output = layer(x)
    output.backward(draw.normal(*output.shape))
    seen = {"output": plain(output), "gradient of input": plain(x.grad)}
    seen |= {f"gradient of {name}": plain(getattr(layer, name).grad) for name in NAMES[1 : 2 + bias]}
    parts = words(NAMES, (x, layer.weight, layer.bias if bias else None))
    made = f"Linear({x.shape[-1]}, {n_out}{'' if bias else ', bias=False'}){'' if training else '.eval()'}"
    yield {"given": f"{made}, {parts}", "seen": seen}


def loaded(cls: Layer, draw: Draw, n_in: int, n_out: int, bias: bool = True) -> nn.Module:
    """A layer in float64 that has loaded drawn numbers."""
    layer = (cls(n_in, n_out) if bias else cls(n_in, n_out, bias=False)).to(device(), torch.float64)
    state = {"weight": draw.normal(n_out, n_in)} | ({"bias": draw.normal(n_out)} if bias else {})
    layer.load_state_dict(state)
    return layer


def exchange(cls: Layer, draw: Draw) -> Iterator[Case]:
    """nn.Linear loads the layer's state, and the layer nn.Linear's."""
    x = draw.normal(2, 4)
    for bias in (True, False):
        torch_layer = nn.Linear(4, 3, bias=bias, device=device(), dtype=torch.float64)
        layer = loaded(cls, draw, 4, 3, bias)
        torch_layer.load_state_dict(layer.state_dict())
        given = f"nn.Linear(4, 3, bias={bias}).load_state_dict(yours.state_dict())"
        yield {"given": given, "seen": {"output of nn.Linear": plain(torch_layer(x))}}


def frozen(cls: Layer, draw: Draw) -> Iterator[Case]:
    """With one parameter frozen the other still gets its gradient, and the frozen one none."""
    for name, other in (("weight", "bias"), ("bias", "weight")):
        layer = loaded(cls, draw, 4, 3)
        getattr(layer, name).requires_grad_(False)
        x = draw.normal(2, 4).requires_grad_()
        layer(x).backward(draw.normal(2, 3))
        seen = {
            f"gradient of {name}": plain(getattr(layer, name).grad),
            f"gradient of {other}": plain(getattr(layer, other).grad),
            "gradient of input": plain(x.grad),
        }
        yield {"given": f"Linear(4, 3), {name}.requires_grad_(False)", "seen": seen}


def under_an_optimizer(cls: Layer, draw: Draw) -> Iterator[Case]:
    """Three steps of SGD move the parameters as they move nn.Linear's."""
    layer, x, y = loaded(cls, draw, 4, 3), draw.normal(5, 4), draw.normal(5, 3)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (layer(x) - y).pow(2).mean().backward()
        optimizer.step()
    seen = {f"{name} after three steps": plain(parameter) for name, parameter in layer.named_parameters()}
    yield {"given": "Linear(4, 3), SGD(layer.parameters(), lr=0.1)", "seen": seen}


def layers_apart(cls: Layer, draw: Draw) -> Iterator[Case]:
    """Two layers of one shape in a row keep their tensors apart."""
    net = nn.Sequential(loaded(cls, draw, 3, 3), loaded(cls, draw, 3, 3))
    net(draw.normal(2, 3)).backward(draw.normal(2, 3))
    seen = {f"gradient of {name}": plain(parameter.grad) for name, parameter in net.named_parameters()}
    yield {"given": "nn.Sequential(Linear(3, 3), Linear(3, 3))", "seen": seen}


def copies(cls: Layer, draw: Draw) -> Iterator[Case]:
    """`copy.deepcopy` gives a layer that computes the same and owns its parameters."""
    layer, x = loaded(cls, draw, 4, 3), draw.normal(2, 4)
    twin = copy.deepcopy(layer)
    with torch.no_grad():
        twin.weight.mul_(2)
    seen = {"output of the layer": plain(layer(x)), "output of its copy": plain(twin(x))}
    yield {"given": "copy.deepcopy(layer), then weight.mul_(2) on the copy", "seen": seen}


def moves(cls: Layer, draw: Draw) -> Iterator[Case]:
    """`.to(...)` takes along all that forward uses. The meta device shows it on a machine without a GPU."""
    layer = cls(4, 3).to(torch.float64)
    output = layer(draw.normal(2, 4).to(layer.weight.device))
    yield {"given": "layer.to(torch.float64), float64 input", "seen": {"output": described(output)}}
    output = cls(4, 3).to("meta")(torch.empty(2, 4, device="meta"))
    yield {"given": 'layer.to("meta"), input on the meta device', "seen": {"device of the output": output.device.type}}


def own_function(cls: Layer, draw: Draw) -> Iterator[Case]:
    """The layer computes through an autograd Function written in Python."""
    output = loaded(cls, draw, 4, 3)(draw.normal(2, 4))
    found = any(True for _ in written_by_hand([output]))
    yield {"given": "Linear(4, 3)", "seen": {"a Function of your own stands in the graph": found}}


def says_its_sizes(cls: Layer, draw: Draw) -> Iterator[Case]:
    """`repr` names the sizes."""
    text = repr(cls(17, 23))
    yield {"given": "repr(Linear(17, 23))", "seen": {"names both sizes": "17" in text and "23" in text}}
