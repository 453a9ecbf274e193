"""`backward`, which fills the leaves, and `grad`, which hands the gradients out."""

from collections.abc import Sequence

from torch.creation import ones_like, zeros_like
from torch.engine import Edge, walk
from torch.tensor import Tensor

Tensors = Tensor | Sequence[Tensor]

_UNUSED = (
    "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this is the "
    "desired behavior."
)


def _listed(value: object, count: int | None = None) -> list:
    if value is None:
        return [None] * (count or 0)
    return [value] if isinstance(value, Tensor) else list(value)


def _start(outputs: list[Tensor], gradients: list) -> tuple[list[Edge], list]:
    """Where the walk begins, and with what."""
    edges, found = [], []
    for i, (output, gradient) in enumerate(zip(outputs, gradients, strict=True)):
        if gradient is not None and gradient.shape != output.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {gradient.shape} and output[{i}] has a shape of "
                f"{output.shape}."
            )
        if not output.requires_grad:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if gradient is None:
            if output.numel() != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            gradient = ones_like(output)
        edges.append(output.edge())
        found.append(gradient)
    return edges, found


def backward(
    tensors: Tensors,
    grad_tensors: Tensors | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Tensors | None = None,
) -> None:
    """Add the gradients of the outputs into the `.grad` of all leaves, or of `inputs` alone."""
    outputs = _listed(tensors)
    edges, gradients = _start(outputs, _listed(grad_tensors, len(outputs)))
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        walk(edges, gradients, None, keep, create_graph)
        return
    chosen = _listed(inputs)
    caught = walk(edges, gradients, [t.edge() for t in chosen], keep, create_graph)
    for t in chosen:
        found = caught.get(t.edge())
        if found is not None:
            t._grad = found.clone() if t._grad is None else t._grad + found


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple:
    """The gradients of the outputs for the inputs; no leaf is touched."""
    results, wanted = _listed(outputs), _listed(inputs)
    edges, gradients = _start(results, _listed(grad_outputs, len(results)))
    if not all(t.requires_grad for t in wanted):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    keep = create_graph if retain_graph is None else retain_graph
    caught = walk(edges, gradients, [t.edge() for t in wanted], keep, create_graph)
    found = [caught.get(t.edge()) for t in wanted]
    if materialize_grads:
        found = [zeros_like(t) if g is None else g for t, g in zip(wanted, found, strict=True)]
    elif not allow_unused and None in [g if g is None else 0 for g in found]:
        raise RuntimeError(_UNUSED.format(next(i for i, g in enumerate(found) if g is None)))
    return tuple(found)
