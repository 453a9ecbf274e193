"""Functions that bring their own derivative. The context that `forward` gets is the node itself."""

import functools
import warnings

from torch.creation import zeros
from torch.grad_mode import enable_grad, is_grad_enabled, set_grad_enabled
from torch.nodes import FREED, Node, SavedTensor
from torch.tensor import Tensor

_NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode AD."
)
_NO_INSTANCE = (
    "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd function with static "
    "forward method. (Example: https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
)
_VIEW = (
    "Output 0 of {} is a view and is being modified inplace. This view was created inside a custom Function (or because an input "
    "was returned as-is) and the autograd logic to handle view+inplace would override the custom backward associated with the "
    "custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the "
    "custom Function."
)


class FunctionCtx:
    """What `forward` and `backward` may do with their context."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self._materialize = value


class BackwardCFunction(Node, FunctionCtx):
    """The node of a Function. Attributes that forward sets on it are for its backward."""

    __slots__ = ("__dict__", "_constant", "_dirty", "_freed", "_materialize", "_saved", "_to_save", "needs_input_grad",
                 "saved_for_forward")  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._to_save = self._dirty = self._constant = self._saved = ()
        self._materialize, self._freed, self.needs_input_grad = True, False, ()

    @property
    def saved_tensors(self) -> tuple:
        if self._freed:
            raise RuntimeError(FREED)
        return tuple(kept and kept.unpack() for kept in self._saved)

    saved_variables = saved_tensors

    @property
    def dirty_tensors(self) -> tuple:
        return self._dirty

    def apply(self, *grads: Tensor | None) -> object:
        """Call backward as it is: nothing is checked, nothing is summed."""
        own = self._forward_cls
        if own.backward is Function.backward and own.vjp is Function.vjp:
            raise NotImplementedError(_NO_BACKWARD)
        rule = own.vjp if own.vjp is not Function.vjp else own.backward
        return rule(self, *grads)

    def run(self, *grads: Tensor | None) -> tuple:
        """What the engine calls: missing gradients become zeros, and what comes back is counted."""
        if self._materialize:
            wanted = zip(grads, self._wants, strict=True)
            grads = [zeros(w[0], dtype=w[1], device=w[2]) if g is None and w else g for g, w in wanted]
        found = self.apply(*grads)
        found = found if isinstance(found, tuple) else (found,)
        count = len(self._edges)
        surplus = found[count:]
        if len(found) < count or any(g is not None for g in surplus):
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {count}, got {len(found)})"
            )
        for place, (gradient, is_tensor) in enumerate(zip(found, self._tensors, strict=False)):
            if gradient is not None and not isinstance(gradient, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(gradient).__name__})")
            if gradient is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {place + 1}, but the "
                    "corresponding forward input was not a Variable"
                )
        return found[:count]

    def free(self) -> None:
        self._freed = True
        for kept in self._saved:
            if kept is not None:
                kept.free()


class FunctionMeta(type):
    """Each Function has a class of nodes of its own: MyReLU's is MyReLUBackward."""

    def __init__(cls, name: str, bases: tuple, body: dict) -> None:
        super().__init__(name, bases, body)
        cls._backward_cls = type(f"{name}Backward", (BackwardCFunction,), {"_forward_cls": cls, "__slots__": ("_tensors",)})


class Function(metaclass=FunctionMeta):
    """A computation with its derivative. Write `forward` and `backward` as static methods and call `apply`."""

    generate_vmap_rule = False

    def __init__(self) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should invoke them "
            "on the class itself. Instantiating an autograd function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: object, **options: object) -> object:
        raise RuntimeError(_NO_INSTANCE)

    @staticmethod
    def forward(*args: object, **options: object) -> object:
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: object, inputs: tuple, output: object) -> object:
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: object, *grad_outputs: object) -> object:
        raise NotImplementedError(_NO_BACKWARD)

    vjp = backward

    @staticmethod
    def jvp(ctx: object, *grad_inputs: object) -> object:
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: object, in_dims: tuple, *args: object) -> object:
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap static method or set generate_vmap_rule=True."
        )

    @classmethod
    def apply(cls, *args: object) -> object:
        """Run forward with recording switched off, and put one node into the graph."""
        ctx = cls._backward_cls()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        ctx._tensors = tuple(isinstance(a, Tensor) for a in args)
        record = is_grad_enabled() and any(ctx.needs_input_grad)
        edges = tuple(a.edge() if isinstance(a, Tensor) else (None, 0) for a in args)
        with set_grad_enabled(False):
            if cls.setup_context is not Function.setup_context:
                result = cls.forward(*args)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args)
        outputs = result if isinstance(result, tuple) else (result,)
        ctx._edges = edges if record else ()
        outputs = tuple(_output(ctx, o, args, record) for o in outputs)
        if record:
            ctx._saved = tuple(_kept(ctx, t, outputs) for t in _checked(ctx._to_save))
        else:
            _checked(ctx._to_save)
        ctx._to_save = ()
        return outputs if isinstance(result, tuple) else outputs[0]


def _checked(tensors: tuple) -> tuple:
    for i, t in enumerate(tensors):
        if t is not None and not isinstance(t, Tensor):
            raise TypeError(f"save_for_backward can only save variables, but argument {i} is of type {type(t).__name__}")
    return tensors


def _kept(ctx: BackwardCFunction, t: Tensor | None, outputs: tuple) -> SavedTensor | None:
    if t is None:
        return None
    return SavedTensor(t, output_of=ctx if any(t is o for o in outputs) and t._grad_fn is ctx else None)


def _output(ctx: BackwardCFunction, output: object, args: tuple, record: bool) -> object:
    """Hang an output on the node. An input that is returned as it is becomes a view, unless it is marked as changed."""
    if not isinstance(output, Tensor):
        ctx._wants.append(None)
        return output
    dirty = any(output is t for t in ctx._dirty)
    if dirty and record and output._requires_grad and output._grad_fn is None:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if dirty:
        output._base = None
    elif any(output is a for a in args):
        output = output.detach()
    constant = any(output is t for t in ctx._constant) or not output.is_floating_point()
    if not record or constant:
        if not dirty:
            output._requires_grad, output._grad_fn = False, None
        ctx._wants.append((output.shape, output.dtype, output.device))
        return output
    if not dirty and any(isinstance(a, Tensor) and a._storage is output._storage for a in args):
        output._base, output._guarded = None, _VIEW.format(ctx.name().removesuffix("Backward"))
    ctx.attach(output)
    return output


class _Refusal(Node):
    """Stands behind the result of a backward that may not be differentiated again."""

    def name(self) -> str:
        return "torch::autograd::Error"

    def __call__(self, *grads: Tensor | None) -> tuple:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(backward):
    """A backward whose result refuses to be differentiated again."""

    @functools.wraps(backward)
    def wrapper(ctx, *grads):
        asked = is_grad_enabled() and any(isinstance(g, Tensor) and g.requires_grad for g in grads)
        with set_grad_enabled(False):
            found = backward(ctx, *grads)
        if not asked:
            return found
        node = _Refusal()
        with enable_grad():
            node._edges = tuple(g.edge() for g in grads if isinstance(g, Tensor))
        rows = [f.detach() if isinstance(f, Tensor) else f for f in (found if isinstance(found, tuple) else (found,))]
        for row in rows:
            if isinstance(row, Tensor):
                node.attach(row)
        return tuple(rows) if isinstance(found, tuple) else rows[0]

    return wrapper
