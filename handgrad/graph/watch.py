"""What watches a function while it runs: values, modules, local names; and what puts everything back afterwards."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


def tensors_of(result: object) -> tuple[torch.Tensor, ...]:
    """The tensors of a result: one, or those in tuples, lists and dicts."""
    if isinstance(result, torch.Tensor):
        return (result,)
    inner = result.values() if isinstance(result, Mapping) else result if isinstance(result, (tuple, list)) else ()
    return tuple(tensor for one in inner for tensor in tensors_of(one))


def copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


@contextlib.contextmanager
def untouched(tensors: Mapping[str, torch.Tensor]) -> Iterator[None]:
    """Give random generators their state back."""
    devices = {tensor.device for tensor in tensors.values() if isinstance(tensor, torch.Tensor) and tensor.device.type == "cuda"}
    with torch.random.fork_rng(devices=sorted(devices, key=str)):
        yield


@contextlib.contextmanager
def kept_gradients(leaves: list[torch.Tensor], others: Iterable[object]) -> Iterator[None]:
    """Start without gradients, and give back those that were there."""
    tensors = leaves + [tensor for tensor in others if isinstance(tensor, torch.Tensor) and tensor.retains_grad]
    before = [tensor.grad for tensor in tensors]
    for tensor in tensors:
        tensor.grad = None
    try:
        yield
    finally:
        for tensor, gradient in zip(tensors, before, strict=True):
            tensor.grad = gradient


class Values(TorchFunctionMode):
    """Keeps a copy of each tensor with a grad_fn when it is first seen: it may be written into later."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[tuple[object, int], torch.Tensor] = {}

    def look(self, thing: object) -> None:
        for tensor in tensors_of(thing):
            if tensor.grad_fn is not None and (tensor.grad_fn, tensor.output_nr) not in self.values:
                self.values[tensor.grad_fn, tensor.output_nr] = copy(tensor)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") == "__get__":  # a property such as grad_fn: looking at it would look again
            return func(*args, **(kwargs or {}))
        with torch._C.DisableTorchFunctionSubclass():
            self.look(args)
        result = func(*args, **(kwargs or {}))
        with torch._C.DisableTorchFunctionSubclass():
            self.look(result)
        return result


class Made(TorchDispatchMode):
    """Keeps what each operation makes, also where no Python calls it, as in a backward that is itself recorded."""

    def __init__(self) -> None:
        super().__init__()
        self._tensors: list[tuple[torch.Tensor, int]] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self._tensors += [(tensor, tensor._version) for tensor in tensors_of(result)]
        return result

    def values(self) -> dict[tuple[object, int], torch.Tensor]:
        """By node and output: a tensor has its node only when the operation is over. What was written into since is left out."""
        there = [tensor for tensor, version in self._tensors if tensor.grad_fn is not None and tensor._version == version]
        return {(tensor.grad_fn, tensor.output_nr): copy(tensor) for tensor in there}


class Calls:
    """Notes when each module's forward begins and ends, by the sequence numbers that nodes get."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names
        self.calls: list[tuple[str, int, int]] = []  # name, first number, number after the last
        self._open: list[tuple[int, int]] = []  # place in `calls`, id of the module
        self._count: dict[int, int] = {}

    def __enter__(self) -> "Calls":
        from torch.nn.modules import module

        self._handles = [
            module.register_module_forward_pre_hook(self._begin),
            module.register_module_forward_hook(self._end, always_call=True),
        ]
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self._handles:
            handle.remove()

    def _begin(self, module: torch.nn.Module, _: object) -> None:
        name = self.names.get(id(module), type(module).__name__)
        count = self._count[id(module)] = self._count.get(id(module), 0) + 1
        self._open.append((len(self.calls), id(module)))
        self.calls.append((f"{name} · call {count}" if name and count > 1 else name, torch.autograd._get_sequence_nr(), -1))

    def _end(self, *_: object) -> None:
        place, _ = self._open.pop()
        name, begin, _ = self.calls[place]
        self.calls[place] = (name, begin, torch.autograd._get_sequence_nr())


class Locals:
    """Keeps the tensors that a function has names for when it returns."""

    def __init__(self, function: Callable) -> None:
        self._code = getattr(function, "__code__", None)
        self.tensors: dict[str, torch.Tensor] = {}

    def __enter__(self) -> "Locals":
        self._free = sys.getprofile() is None  # a profiler that runs is left alone, and names are not known
        if self._free and self._code:
            sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        if self._free:
            sys.setprofile(None)

    def _look(self, frame, event: str, _: object) -> None:
        if event == "return" and frame.f_code is self._code:
            self.tensors = {name: value for name, value in frame.f_locals.items() if isinstance(value, torch.Tensor)}
