"""A Module finds its parameters, buffers and other Modules by the names under which they are set."""

from collections.abc import Callable, Iterator

from torch.grad_mode import no_grad
from torch.nodes import Handle
from torch.tensor import Tensor, alias

_before: list[Callable] = []
_after: list[Callable] = []


def register_module_forward_pre_hook(hook: Callable) -> Handle:
    """Call `hook(module, inputs)` before each forward of each Module."""
    return Handle(_before, hook)


def register_module_forward_hook(hook: Callable, always_call: bool = False) -> Handle:
    """Call `hook(module, inputs, output)` after each forward of each Module."""
    return Handle(_after, hook)


class Parameter(Tensor):
    """A leaf that a Module trains."""

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> "Parameter":
        from torch.creation import empty

        data = empty(0) if data is None else data
        self = alias(data, data.shape, data._strides, data._offset)
        self.__class__ = cls
        return self.requires_grad_(requires_grad)


class Module:
    """A layer or a network."""

    training = True

    def __init__(self) -> None:
        object.__setattr__(self, "_parameters", {})
        object.__setattr__(self, "_buffers", {})
        object.__setattr__(self, "_modules", {})

    def __setattr__(self, name: str, value: object) -> None:
        kind = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        if kind is not None:
            if kind not in self.__dict__:
                raise AttributeError(f"cannot assign {kind[1:].rstrip('s')}s before Module.__init__() call")
            for other in (self.__dict__, self._parameters, self._buffers, self._modules):
                other.pop(name, None)
            self.__dict__[kind][name] = value
            return
        for held in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(held, ()):
                if held == "_parameters" and value is not None:
                    raise TypeError(
                        f"cannot assign '{_full_name(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                    )
                self.__dict__[held][name] = value
                return
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> object:
        for held in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__.get(held, ()):
                return self.__dict__[held][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for held in (self._parameters, self._buffers, self._modules, self.__dict__):
            if name in held:
                del held[name]
                return
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def register_parameter(self, name: str, parameter: Parameter | None) -> None:
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._parameters[name] = parameter

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        self._buffers[name] = tensor

    def forward(self, *args: object) -> object:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: object, **options: object) -> object:
        for hook in list(_before):
            hook(self, args)
        output = None
        try:
            output = self.forward(*args, **options)
        finally:
            for hook in list(_after):
                hook(self, args, output)
        return output

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, "Module"]]:
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator["Module"]:
        return (module for _, module in self.named_modules())

    def children(self) -> Iterator["Module"]:
        return iter(self._modules.values())

    def _named(self, held: str) -> Iterator[tuple[str, Tensor]]:
        seen: set[int] = set()
        for prefix, module in self.named_modules():
            for name, tensor in getattr(module, held).items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield f"{prefix}.{name}" if prefix else name, tensor

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        return self._named("_parameters")

    def parameters(self) -> Iterator[Parameter]:
        return (parameter for _, parameter in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        return self._named("_buffers")

    def buffers(self) -> Iterator[Tensor]:
        return (buffer for _, buffer in self.named_buffers())

    def state_dict(self) -> dict[str, Tensor]:
        return {name: tensor.detach() for name, tensor in (*self.named_parameters(), *self.named_buffers())}

    def _apply(self, change: Callable[[Tensor], Tensor]) -> "Module":
        for parameter in self.parameters():
            parameter.data = change(parameter.data)
        for module in self.modules():
            for name, buffer in module._buffers.items():
                module._buffers[name] = buffer if buffer is None else change(buffer)
        return self

    def to(self, *target: object, **options: object) -> "Module":
        return self._apply(lambda tensor: tensor.to(*target, **options))

    def double(self) -> "Module":
        return self._apply(lambda tensor: tensor.double())

    def float(self) -> "Module":
        return self._apply(lambda tensor: tensor.float())

    def zero_grad(self, set_to_none: bool = True) -> None:
        with no_grad():
            for parameter in self.parameters():
                if set_to_none:
                    parameter.grad = None
                elif parameter.grad is not None:
                    parameter.grad.zero_()

    def requires_grad_(self, asked: bool = True) -> "Module":
        for parameter in self.parameters():
            parameter.requires_grad_(asked)
        return self

    def train(self, mode: bool = True) -> "Module":
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> "Module":
        return self.train(False)


class Sequential(Module):
    """Modules one after the other."""

    def __init__(self, *modules: Module) -> None:
        super().__init__()
        for i, module in enumerate(modules):
            setattr(self, str(i), module)

    def forward(self, input: Tensor) -> Tensor:
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, i: int) -> Module:
        return list(self._modules.values())[i]


def _full_name(value: object) -> str:
    return "torch.FloatTensor" if isinstance(value, Tensor) else type(value).__name__
