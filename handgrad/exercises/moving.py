"""The exercise `move_and_freeze` of chapter 07: a layer that moves as a whole, and trains in part."""

import copy
from collections.abc import Iterator

import torch
from torch import nn
from torch.nn.functional import linear
from torch.utils._python_dispatch import TorchDispatchMode

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.device import device
from handgrad.exercises.exercise import Exercise, Probe, Slip


class CentredLinear(nn.Module):
    """y = (x - center) weightᵀ + bias."""

    def __init__(self, in_features: int, out_features: int, center: torch.Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-0.1, 0.1))
        self.bias = nn.Parameter(torch.zeros(out_features))
        self.register_buffer("center", center.clone())

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return linear(input - self.center, self.weight, self.bias)


def freeze_weight(layer: nn.Module, lr: float) -> torch.optim.SGD:
    """Freeze `layer.weight`; return SGD over what is still trained."""
    layer.weight.requires_grad_(False)
    return torch.optim.SGD([p for p in layer.parameters() if p.requires_grad], lr=lr)


def _sgd_over_all(layer: nn.Module, lr: float) -> torch.optim.SGD:
    layer.weight.requires_grad_(False)
    return torch.optim.SGD(layer.parameters(), lr=lr)


def _not_frozen(layer: nn.Module, lr: float) -> torch.optim.SGD:
    return torch.optim.SGD([layer.bias], lr=lr)


class _PlainCenter(CentredLinear):
    def __init__(self, in_features: int, out_features: int, center: torch.Tensor) -> None:
        super().__init__(in_features, out_features, center)
        del self.center
        self.center = center


class _TrainedCenter(CentredLinear):
    def __init__(self, in_features: int, out_features: int, center: torch.Tensor) -> None:
        super().__init__(in_features, out_features, center)
        del self.center
        self.center = nn.Parameter(center.clone())


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    pair = isinstance(answer, tuple) and len(answer) == 2
    fits = pair and isinstance(answer[0], type) and issubclass(answer[0], nn.Module) and callable(answer[1])
    yield {"given": "the answer itself", "seen": {"what it is": "a Module and a function" if fits else "something else"}}


def _centred(answer: tuple, draw: Draw, dtype: torch.dtype = torch.float64) -> nn.Module:
    layer = answer[0](4, 3, draw.normal(4, dtype=torch.float32).cpu()).to(device(), dtype)
    state = {"weight": draw.normal(3, 4), "bias": draw.normal(3), "center": draw.normal(4)}
    layer.load_state_dict(state)
    return layer


def _registered(answer: tuple, draw: Draw) -> Iterator[Case]:
    layer = answer[0](4, 3, draw.normal(4, dtype=torch.float32).cpu())
    seen = {
        "parameters": [name for name, _ in layer.named_parameters()],
        "buffers": [name for name, _ in layer.named_buffers()],
        "state_dict": sorted(layer.state_dict()),
    }
    yield {"given": "CentredLinear(4, 3, center)", "seen": seen}


def _numbers(answer: tuple, draw: Draw) -> Iterator[Case]:
    for shape in ((2, 4), (4,)):
        layer, x = _centred(answer, draw), draw.normal(*shape)
        output = layer(x)
        output.backward(draw.normal(*output.shape))
        seen = {"output": plain(output)} | {f"gradient of {name}": plain(p.grad) for name, p in layer.named_parameters()}
        yield {"given": f"after .to(torch.float64) and load_state_dict, input of shape {shape}", "seen": seen}


def _moves(answer: tuple, draw: Draw) -> Iterator[Case]:
    layer = answer[0](4, 3, draw.normal(4, dtype=torch.float32).cpu())
    for dtype in (torch.float64, torch.bfloat16):
        layer.to(device(), dtype)
        seen = {"output": described(layer(draw.normal(2, 4, dtype=dtype)))}
        yield {"given": f"layer.to({dtype}), {dtype} input", "seen": seen}
    output = layer.to("meta")(torch.empty(2, 4, device="meta", dtype=torch.bfloat16))
    yield {"given": 'layer.to("meta"), input on the meta device', "seen": {"device of the output": output.device.type}}


def _updates(answer: tuple, draw: Draw) -> Iterator[Case]:
    layer, x = _centred(answer, draw), draw.normal(2, 4)
    twin = copy.deepcopy(layer)
    with torch.no_grad():
        twin.weight.mul_(2)
    yield {"given": "copy.deepcopy(layer), then weight.mul_(2) on the copy", "seen": {"output of the copy": plain(twin(x))}}


def _trains(answer: tuple, draw: Draw) -> Iterator[Case]:
    for given, training in (("freeze_weight(layer.eval(), 0.3)", False), ("freeze_weight(layer, 0.3)", True)):
        layer, x, y = _centred(answer, draw).train(training), draw.normal(5, 4), draw.normal(5, 3)
        optimizer = answer[1](layer, 0.3)
        names = {id(p): name for name, p in layer.named_parameters()}
        held = [names.get(id(p), "a tensor that is no parameter") for group in optimizer.param_groups for p in group["params"]]
        seen = {"parameters that the optimizer holds": held, "weight.requires_grad": layer.weight.requires_grad}
        yield {"given": given, "seen": seen | {"parameters of the layer": sorted(names.values())}}
    for _ in range(3):
        optimizer.zero_grad()
        (layer(x) - y).pow(2).mean().backward()
        optimizer.step()
    seen = {f"{name} after three steps": plain(value) for name, value in sorted(layer.state_dict().items())}
    yield {"given": "freeze_weight(layer, 0.3), then three steps", "seen": seen}


class _CountProducts(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.products = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.products += func.name() in ("aten::mm", "aten::bmm", "aten::addmm", "aten::mv")
        return func(*args, **(kwargs or {}))


def _work(answer: tuple, draw: Draw) -> Iterator[Case]:
    layer, x = _centred(answer, draw), draw.normal(5, 4)
    answer[1](layer, 0.1)
    output = layer(x)
    with _CountProducts() as counted:
        output.backward(draw.normal(5, 3))
    yield {"given": "plain data, weight frozen", "seen": {"matrix products in backward": counted.products}}


MOVE_AND_FREEZE = Exercise(
    name="move_and_freeze",
    chapter="07_module",
    probes=(
        Probe("form", _form, "Hand check both, (CentredLinear, freeze_weight).", gate=True),
        Probe("registered", _registered, "weight and bias are parameters, center is a buffer: self.register_buffer."),
        Probe("moves", _moves, "A tensor on self that is no parameter and no buffer stays behind."),
        Probe("numbers", _numbers, "forward must use the parameters as they are now, not as they were in __init__."),
        Probe("updates", _updates, "forward uses a tensor cached in __init__: compute it in forward, from self.weight."),
        Probe("frozen", _trains, "weight.requires_grad is False, and the optimizer holds the rest, here bias alone."),
        Probe("work", _work, "backward still computes the weight's gradient: freeze with weight.requires_grad_(False)."),
    ),
    reference=(CentredLinear, freeze_weight),
    slips=(
        Slip(
            (_PlainCenter, freeze_weight),
            "center is a plain tensor: it is not saved and does not move. self.register_buffer('center', center).",
        ),
        Slip(
            (_TrainedCenter, freeze_weight),
            "center is a Parameter now, and an optimizer would train it: it is a buffer, self.register_buffer('center', center).",
        ),
        Slip(
            (CentredLinear, _sgd_over_all),
            "The optimizer also holds the frozen weight: give it only those with requires_grad.",
        ),
        Slip(
            (CentredLinear, _not_frozen),
            "The weight is left out of the optimizer and not frozen: its gradient is still computed, for nothing.",
        ),
    ),
    errors=(
        (
            r"deepcopy protocol|modified by an inplace|through the graph a second time|should be the same|same dtype|same device"
            r"|not on the expected device|view and is being modified",
            "A tensor made in __init__ from the parameters does not follow them: compute it in forward.",
        ),
        (r"empty parameter list", "Nothing is trained any more: only the weight is to be frozen."),
        (r"loading state_dict", "The state holds weight, bias and center: parameters and a buffer, nothing else."),
        (r"cannot assign .* as parameter", "A Parameter is not replaced by a plain tensor: requires_grad_(False) freezes it."),
        (r"has no attribute 'param_groups'", "freeze_weight returns the optimizer."),
    ),
    hints=(
        "Which tensors does .to() know about? When is weight.t() computed, and does it see the weight of tomorrow?",
        "center is state that is not trained: a buffer. What is computed from a parameter is computed in forward.",
        "`self.register_buffer('center', center)`, `@ self.weight.t()` in forward; `weight.requires_grad_(False)`, then "
        "`SGD([p for p in layer.parameters() if p.requires_grad], lr=lr)`.",
    ),
)  # fmt: skip

EXERCISES = (MOVE_AND_FREEZE,)
