"""Watch a Function while others use it: what it is called with, whether its output is used, what its backward does."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.graph import Node
from torch.utils._python_dispatch import TorchDispatchMode


@dataclass
class Seen:
    """How a Function was called while it was watched: the arguments of the first call, and how often backward ran."""

    args: tuple | None = None
    backwards: int = 0
    by_torch: bool = False


class _Tasks(TorchDispatchMode):
    """The walks through a graph that operations belong to: more than one where backward starts another."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: set[int] = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.tasks.add(torch._C._current_graph_task_id())
        return func(*args, **(kwargs or {}))


@contextlib.contextmanager
def watched(function: type[Function], mixed: bool = False, tasks: bool = False) -> Iterator[Seen]:
    """Note each forward and backward of `function`.

    Args:
        mixed: forward's outputs are exchanged between rows and stretched: whoever uses them gives something else.
        tasks: note whether backward lets torch differentiate.
    """
    seen = Seen()
    old_style = function.setup_context is Function.setup_context
    name = "backward" if function.backward is not Function.backward else "vjp"
    own = {each: vars(function).get(each) for each in ("forward", name)}
    forward, backward = function.forward, getattr(function, name)

    def noting_forward(*args: object, **options: object) -> object:
        if seen.args is None:
            bound = inspect.signature(forward).bind(*args, **options)
            seen.args = bound.args[1:] if old_style else bound.args
        output = forward(*args, **options)
        if not mixed:
            return output
        return tuple(map(_mixed, output)) if isinstance(output, tuple) else _mixed(output)

    def noting_backward(*args: object) -> object:
        seen.backwards += 1
        if not tasks:
            return backward(*args)
        with _Tasks() as found:
            result = backward(*args)
        seen.by_torch |= len(found.tasks) > 1
        return result

    function.forward = staticmethod(_named_like(forward, noting_forward))
    setattr(function, name, staticmethod(noting_backward))
    try:
        yield seen
    finally:
        for each, was in own.items():
            delattr(function, each) if was is None else setattr(function, each, was)


def _named_like(forward: Callable, noting: Callable) -> Callable:
    """`noting` with the parameters of `forward`: torch reads their names from its code where arguments are handed by keyword."""
    try:
        parameters = inspect.signature(forward).parameters.values()
    except (TypeError, ValueError):
        return noting
    if any(p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters):
        return noting
    names = ", ".join(p.name for p in parameters)
    alike = eval(f"lambda {names}: _noting_({names})", {"_noting_": noting})
    alike.__defaults__ = getattr(forward, "__defaults__", None)
    return alike


def _mixed(output: object) -> object:
    if not isinstance(output, Tensor) or not output.is_floating_point():
        return output
    other = (output.flip(0) if output.dim() else output) * 1.5 + 0.25
    try:
        return output.copy_(other)  # what is marked dirty has to be returned itself
    except RuntimeError:
        return other


def nodes_of(function: type[Function], output: Tensor) -> list[Node]:
    """The nodes of `function`, or of a class made from it, in the graph of `output`."""
    return [node for node in graph_of(output.grad_fn) if issubclass(getattr(node, "_forward_cls", object), function)]


def graph_of(start: Node | None) -> Iterator[Node]:
    stack, seen = [start], set()
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            stack.extend(after for after, _ in node.next_functions)
