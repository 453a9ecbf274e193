"""Changes in place: the numbers are overwritten, the change is counted, and the tensor hangs on a new node."""

from collections.abc import Callable

from torch.dtypes import wider
from torch.grad_mode import is_grad_enabled
from torch.nodes import Node, Operation
from torch.pointwise import pointwise
from torch.tensor import Tensor
from torch.views import Expand


class CopySlices(Node):
    """A view was changed: its base gets the gradient of the change where the view lies, and its own elsewhere."""

    def __init__(self, base: Tensor, change: Node, again: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self._change, self._again = change, again
        self._edges = (base.edge(), *change.next_functions[1:])

    def name(self) -> str:
        return "CopySlices"

    def __call__(self, grad):
        if grad is None:
            return (None,) * len(self._edges)
        whole = grad.clone()
        view = self._again(whole)
        of_view, *others = self._change(view.clone())
        view.copy_(of_view if of_view is not None else 0)
        return whole, *others

    def free(self) -> None:
        self._change.free()


def replace(self: Tensor, result: Tensor, name: str = "") -> Tensor:
    """Take the numbers of `result`, which was computed from this tensor, and its place in the graph."""
    base = self._base
    recording = is_grad_enabled()
    if recording and self._requires_grad and self._grad_fn is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if recording and base is not None and base._requires_grad and base._grad_fn is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if recording and self._guarded:
        raise RuntimeError(self._guarded)
    if result.shape != self.shape:
        raise RuntimeError(f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(result.shape)}")
    if wider(result.dtype, self.dtype) is not self.dtype and result.dtype.kind > self.dtype.kind:
        kinds = {"float32": "Float", "float64": "Double", "int64": "Long", "bool": "Bool"}
        names = [kinds.get(d.name, d.name) for d in (result.dtype, self.dtype)]
        raise RuntimeError(f"result type {names[0]} can't be cast to the desired output type {names[1]}")
    change, number = result._grad_fn, result.output_nr
    self.write(result.values() if not self.is_meta else [])
    if change is None:
        return self
    if base is not None:
        again = self._again
        CopySlices(base, change, again).attach(base)
        self.grad_fn  # noqa: B018  (hangs itself behind the change of its base)
    else:
        self._grad_fn, self.output_nr = change, number
    return self


class Copy(Operation):
    """Other numbers take the place of these, which get no gradient any more."""

    def forward(self, a, source):
        self.save(sizes=source.shape if isinstance(source, Tensor) else ())
        spread = Expand().forward(source, a.shape) if isinstance(source, Tensor) else source
        return pointwise(lambda old, fresh: fresh, a, spread, within=a.dtype)

    def backward(self, grad):
        return grad * 0, grad.sum_to_size(self._saved_sizes)


Copy.__name__ = "CopyBackwards"  # torch's own exception


class Fill(Operation):
    """One number takes the place of all."""

    def forward(self, a, value):
        return pointwise(lambda old, fresh: fresh, a, value, within=a.dtype)

    def backward(self, grad):
        return grad * 0, grad.sum()


class Zero(Operation):
    """0 takes the place of all."""

    def forward(self, a):
        return pointwise(lambda old: 0, a)

    def backward(self, grad):
        return grad * 0


def in_place(operation: Callable) -> Callable:
    """The variant with an underscore."""

    def change(self: Tensor, *args: object, **options: object) -> Tensor:
        return replace(self, operation(self, *args, **options))

    return change
