"""Nodes of the graph, and what they save. A gradient comes in for each output of an operation, one goes out for each input."""

import itertools
import re

from torch.grad_mode import is_grad_enabled, set_grad_enabled

_count = itertools.count()
saved_tensor_hooks: list[tuple] = []
watchers: list = []  # modes that see each operation (torch.utils._python_dispatch)

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
    "you need to backward through the graph a second time or if you need to access saved tensors after calling backward."
)
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.{kind}Tensor {shape}]"
    "{which} is at version {now}; expected version {then} instead. Hint: enable anomaly detection to find the operation that "
    "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
_KINDS = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool", "float16": "Half", "bfloat16": "BFloat16",
          "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte"}  # fmt: skip


class SavedTensor:
    """A tensor kept for backward. It knows whether somebody changed it since, and gives nothing back once it is freed."""

    def __init__(self, tensor, output_of: "Node | None" = None) -> None:
        self.freed, self.unpack_hook = False, None
        # an output is kept without its node, which it would hold in a circle
        self.output_of, self.number = output_of, tensor.output_nr
        if saved_tensor_hooks:
            pack, self.unpack_hook = saved_tensor_hooks[-1]
            with set_grad_enabled(False):
                self.tensor = pack(tensor.detach() if output_of else tensor)
            return
        self.tensor = tensor.detach() if output_of else tensor
        self.version = tensor._version

    def unpack(self):
        if self.freed:
            raise RuntimeError(FREED)
        tensor = self.unpack_hook(self.tensor) if self.unpack_hook else self.tensor
        if not self.unpack_hook and tensor._version != self.version:
            raise RuntimeError(self._changed(tensor))
        if self.output_of is not None:
            tensor = tensor.detach()
            tensor._grad_fn, tensor.output_nr = self.output_of, self.number
        return tensor

    def _changed(self, tensor) -> str:
        node = self.output_of or tensor._grad_fn
        which = f", which is output {self.number} of {re.sub(r'Backward[0-9]+$', '', node.name())}," if node else ""
        kind = _KINDS.get(tensor.dtype.name, tensor.dtype.name.title())
        shape = list(tensor.shape)
        return CHANGED.format(kind=kind, shape=shape, which=which, now=tensor._version, then=self.version)

    def free(self) -> None:
        self.freed, self.tensor = True, None


class Handle:
    """What a hook's registration returns."""

    def __init__(self, hooks: list, hook) -> None:
        self._hooks, self._hook = hooks, hook
        hooks.append(hook)

    def remove(self) -> None:
        if self._hook in self._hooks:
            self._hooks.remove(self._hook)

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class Node:
    """A node: the derivative of one operation that was recorded."""

    __slots__ = ("__weakref__", "_asked", "_edges", "_hooks", "_prehooks", "_sequence", "_storeroom", "_wants")

    def __init__(self) -> None:
        self._sequence = next(_count)
        self._edges: tuple = ()
        self._asked: list | None = None  # of each edge, whether this walk wants what lies behind it; None: all
        self._hooks, self._prehooks = [], []
        self._storeroom: dict = {}
        self._wants: list = []  # shape, dtype and device of each output: gradients for it look like that

    @property
    def next_functions(self) -> tuple:
        return self._edges

    @property
    def metadata(self) -> dict:
        return {}

    def name(self) -> str:
        return type(self).__name__

    def register_hook(self, hook) -> Handle:
        return Handle(self._hooks, hook)

    def register_prehook(self, hook) -> Handle:
        return Handle(self._prehooks, hook)

    def _sequence_nr(self) -> int:
        return self._sequence

    def run(self, *grads):
        """What the engine calls."""
        return self(*grads)

    def free(self) -> None:
        for kept in self._storeroom.values():
            if isinstance(kept, SavedTensor):
                kept.free()

    def attach(self, output) -> None:
        """Hang an output on this node."""
        output._grad_fn, output.output_nr = self, len(self._wants)
        self._wants.append((output.shape, output.dtype, output.device))


class AccumulateGrad(Node):
    """The end of a way: adds what arrives into the `.grad` of a leaf."""

    __slots__ = ("variable",)

    def __init__(self, variable) -> None:
        super().__init__()
        self.variable, self._sequence = variable, 2**64 - 1  # before all others, as soon as it may
        self._wants = [(variable.shape, variable.dtype, variable.device)]

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __call__(self, grad):
        if grad is None:
            return ()
        leaf = self.variable
        before = leaf._grad
        if before is None:
            leaf._grad = grad.clone()
        elif is_grad_enabled():
            leaf._grad = before + grad
        else:
            before.add_(grad)
        for hook in list(leaf._late_hooks):
            hook(leaf)
        return ()


class Operation(Node):
    """An operation of torch: how it is computed, and how a gradient goes back through it.

    What a gradient can be asked for stands in `forward` as positional arguments, everything else by name.
    """

    number = 0  # torch numbers the variants of one name

    def __init_subclass__(cls) -> None:
        """Mul becomes MulBackward0, as torch calls the node."""
        cls.operation = cls.__name__.strip("_")
        cls.__name__ = cls.__qualname__ = f"{cls.operation}Backward{cls.number}"

    def forward(self, *inputs, **options):
        raise NotImplementedError

    def backward(self, grad):
        raise NotImplementedError

    @classmethod
    def apply(cls, *inputs, **options):
        if watchers:
            return watchers[-1].see(cls, inputs, options)
        self = cls()
        tracked = [getattr(a, "requires_grad", False) for a in inputs]
        record = is_grad_enabled() and any(tracked)
        self._edges = tuple(a.edge() if t else (None, 0) for a, t in zip(inputs, tracked, strict=True)) if record else ()
        with set_grad_enabled(False):
            result = self.forward(*inputs, **options)
        if record:
            outputs = [r for r in (result if isinstance(result, tuple) else (result,)) if r.is_floating_point()]
            for output in outputs:
                self.attach(output)
            self._keep(outputs)
        return result

    def needs(self, place: int) -> bool:
        """Whether somebody asks for the gradient of this argument."""
        behind = bool(self._edges) and self._edges[place][0] is not None
        return behind and (self._asked is None or self._asked[place])

    def save(self, /, **values) -> None:
        """Keep what backward needs; it finds it as `self._saved_…`."""
        if self._edges:
            self._storeroom.update(values)

    def _keep(self, outputs: list) -> None:
        for name, value in self._storeroom.items():
            if hasattr(value, "grad_fn"):
                own = any(value is output for output in outputs)
                self._storeroom[name] = SavedTensor(value, output_of=self if own else None)

    def __getattr__(self, name: str):
        if name.startswith("_saved_") and name[7:] in self._storeroom:
            kept = self._storeroom[name[7:]]
            return kept.unpack() if isinstance(kept, SavedTensor) else kept
        raise AttributeError(f"'{self.name()}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return sorted([*object.__dir__(self), *(f"_saved_{name}" for name in self._storeroom)])

    def __call__(self, *grads):
        if all(grad is None for grad in grads):
            return (None,) * len(self._edges)
        found = self.backward(*grads)
        return found if isinstance(found, tuple) else (found,)

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"
