"""The operations as methods and operators of a tensor, with their variants in place."""

import warnings

from torch import arrangement, creation, indexing, operations, random, views
from torch.dtypes import bool_, float16, float32, float64, int32, int64
from torch.grad_mode import set_grad_enabled
from torch.in_place import in_place, replace
from torch.nodes import Handle
from torch.tensor import Tensor, alias

METHODS = """
    add sub rsub mul div pow square reciprocal remainder maximum minimum clamp clamp_min clamp_max masked_fill heaviside
    neg abs relu exp log sqrt sin cos tanh sigmoid sign floor ceil round lt le gt ge eq ne
    logical_and logical_or logical_xor logical_not isnan isfinite isinf nan_to_num
    sum mean prod max min norm var std argmax argmin allclose isclose equal any all sum_to_size cumsum triu
    mm dot mv outer matmul bmm addmm
    t transpose permute view view_as reshape reshape_as expand expand_as unsqueeze squeeze unbind as_strided flatten movedim
    nonzero index_select index_add flip clone
"""
IN_PLACE = """
    add sub mul div pow square clamp clamp_min clamp_max masked_fill neg abs relu exp log sqrt tanh sigmoid sign floor round
    copy fill zero addmm logical_not index_add nan_to_num
"""
NUMBERS = (Tensor, bool, int, float)


def _named(name: str):
    return getattr(operations, name, None) or getattr(arrangement, name)


def _operator(operation, swapped: bool = False):
    def apply(self: Tensor, other: object) -> Tensor:
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return operation(other, self) if swapped else operation(self, other)

    return apply


def _set_data(self: Tensor, other: Tensor) -> None:
    for name in ("_storage", "shape", "_strides", "_offset", "_dtype", "_device"):
        setattr(self, name, getattr(other, name))


def _data(self: Tensor) -> Tensor:
    """The numbers with a count of changes of their own: whoever saved the tensor does not notice. That is why to avoid it."""
    result = detach(self)
    result._versions = [0]
    return result


def detach(self: Tensor) -> Tensor:
    """The same memory outside the graph."""
    return alias(self, self.shape, self._strides, self._offset)


def contiguous(self: Tensor, memory_format: object = None) -> Tensor:
    return self if self.is_contiguous() else arrangement.clone(self, memory_format="rows")


def backward(self: Tensor, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    from torch.autograd.run import backward

    backward(self, gradient, retain_graph, create_graph, inputs)


def register_hook(self: Tensor, hook) -> Handle:
    """Call `hook` with the gradient for this tensor; what it returns takes the gradient's place."""
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    node, number = self.edge()
    self._listener = node  # a leaf's node lives as long as somebody listens

    def listen(grads: tuple) -> tuple | None:
        changed = hook(grads[number]) if grads[number] is not None else None
        return None if changed is None else (*grads[:number], changed, *grads[number + 1 :])

    return Handle(node._prehooks, listen)


def register_post_accumulate_grad_hook(self: Tensor, hook) -> Handle:
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return Handle(self._late_hooks, hook)


def retain_grad(self: Tensor) -> None:
    """Keep the gradient of a tensor in the middle, as leaves do."""
    if self.is_leaf or self._retains:
        return
    self._retains = True

    def keep(grad: Tensor) -> None:
        self._grad = grad.clone() if self._grad is None else self._grad + grad

    register_hook(self, keep)


def type_(self: Tensor, dtype: object = None) -> object:
    kinds = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool"}
    return creation.to(self, dtype) if dtype is not None else f"torch.{kinds.get(self.dtype.name, self.dtype.name)}Tensor"


def numpy(self: Tensor) -> None:
    if self.requires_grad:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    raise ModuleNotFoundError("This page has no NumPy: use torch's own operations, or tolist().")


def cuda(self: Tensor, device: object = None) -> None:
    raise AssertionError("Torch not compiled with CUDA enabled")


def _iter(self: Tensor):
    if not self.shape:
        raise TypeError("iteration over a 0-d tensor")
    return iter(arrangement.unbind(self))


def _deepcopy(self: Tensor, memo: dict) -> Tensor:
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment"
        )
    with set_grad_enabled(False):
        result = arrangement.clone(self)
    result.__class__ = type(self)
    result._requires_grad = self._requires_grad
    memo[id(self)] = result
    return result


def _caster(dtype):
    return lambda self: creation.to(self, dtype)


def _legacy_transpose(self: Tensor) -> Tensor:
    if self.dim() != 2:
        warnings.warn("The use of `x.T` on tensors of dimension other than 2 is deprecated", UserWarning, stacklevel=2)
    return arrangement.permute(self, *reversed(range(self.dim())))


for name in METHODS.split():
    setattr(Tensor, name, _named(name))
for name in IN_PLACE.split():
    setattr(Tensor, f"{name}_", in_place(_named(name)))
for name, operation in {
    "add": operations.add, "sub": operations.sub, "mul": operations.mul, "truediv": operations.div, "pow": operations.pow,
    "mod": operations.remainder, "floordiv": operations.floor_divide, "lt": operations.lt, "le": operations.le,
    "gt": operations.gt, "ge": operations.ge, "eq": operations.eq, "ne": operations.ne, "and": operations.bitwise_and,
    "or": operations.bitwise_or, "xor": operations.logical_xor, "matmul": arrangement.matmul,
}.items():  # fmt: skip
    setattr(Tensor, f"__{name}__", _operator(operation))
for name in ("add", "mul", "and", "or", "truediv", "pow", "matmul"):
    operation = {"truediv": operations.div, "and": operations.bitwise_and, "or": operations.bitwise_or}.get(name)
    setattr(Tensor, f"__r{name}__", _operator(operation or _named(name), swapped=name in ("truediv", "pow", "matmul")))
for name in ("add", "sub", "mul", "pow"):
    setattr(Tensor, f"__i{name}__", _operator(getattr(Tensor, f"{name}_")))
Tensor.__itruediv__ = _operator(Tensor.div_)
Tensor.__rsub__ = _operator(operations.rsub)
Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = operations.neg, operations.abs, operations.bitwise_not
Tensor.__getitem__, Tensor.__setitem__, Tensor.__iter__, Tensor.__deepcopy__ = indexing.get, indexing.put, _iter, _deepcopy
Tensor.data, Tensor.T, Tensor.mT = (
    property(_data, _set_data),
    property(_legacy_transpose),
    property(lambda self: arrangement.transpose(self, -2, -1)),
)
Tensor.to, Tensor.cpu, Tensor.cuda, Tensor.numpy, Tensor.type = (
    creation.to,
    (lambda self: creation.to(self, "cpu")),
    cuda,
    numpy,
    type_,
)
Tensor.type_as = creation.to
for name, dtype in {"float": float32, "double": float64, "half": float16, "int": int32, "long": int64, "bool": bool_}.items():
    setattr(Tensor, name, _caster(dtype))
for value, name in enumerate(("zeros", "ones")):
    setattr(Tensor, f"new_{name}", creation.new_filled(value))
Tensor.new_empty, Tensor.new_full, Tensor.new_tensor = creation.new_filled(0), creation.new_full, creation.new_tensor
Tensor.detach, Tensor.contiguous, Tensor.backward, Tensor.retain_grad = detach, contiguous, backward, retain_grad
Tensor.register_hook = register_hook
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook
Tensor.uniform_, Tensor.normal_, Tensor.random_ = random.uniform_, random.normal_, random.random_
Tensor._replace = replace
Tensor.multiply, Tensor.subtract, Tensor.divide, Tensor.negative = Tensor.mul, Tensor.sub, Tensor.div, Tensor.neg
Tensor.swapaxes = Tensor.transpose
Tensor.ravel = views.flatten
