"""The engine: it walks the graph from the end to the beginning, and gives each node the sum of what arrives at it."""

import heapq
import itertools
from collections.abc import Sequence

from torch.grad_mode import set_grad_enabled
from torch.layout import Size
from torch.nodes import AccumulateGrad, Node

Edge = tuple[Node, int]


def walk(roots: list[Edge], gradients: list, wanted: Sequence[Edge] | None, keep: bool, create_graph: bool) -> dict:
    """Send gradients from the roots down the graph.

    Args:
        wanted: gradients for these are caught and returned, and nothing is added to a leaf; None means all leaves.
        keep: whether nodes keep what they saved.
    """
    waiting = _senders(roots)
    useful = _leading_to(wanted, waiting) if wanted is not None else None
    ends = {node for node, _ in wanted or ()}
    arrived: dict[Node, list] = {}
    caught: dict[Edge, object] = {}
    for (node, number), gradient in zip(roots, gradients, strict=True):
        _add(arrived, node, number, gradient)
    tie = itertools.count()
    # the youngest first; what adds up in leaves before all
    ready = [(-node._sequence, next(tie), node) for node in arrived if not waiting[node]]
    heapq.heapify(ready)
    with set_grad_enabled(create_graph):
        while ready:
            _, _, node = heapq.heappop(ready)
            grads = _heard(node, arrived.pop(node, [None] * len(node._wants)))
            for edge in wanted or ():
                if edge[0] is node:
                    caught[edge] = grads[edge[1]]
            if useful is None or node in useful:
                node._asked = useful and [following in useful or following in ends for following, _ in node.next_functions]
                sent = _run(node, grads, keep)
            else:
                sent = (None,) * len(node.next_functions)
            for (following, number), gradient in zip(node.next_functions, sent, strict=True):
                if following is None:
                    continue
                if gradient is not None:
                    _add(arrived, following, number, gradient)
                waiting[following] -= 1
                if not waiting[following]:
                    heapq.heappush(ready, (-following._sequence, next(tie), following))
    return caught


def _senders(roots: list[Edge]) -> dict[Node, int]:
    """How many edges lead to each node: it waits until all have sent."""
    counts = {node: 0 for node, _ in roots}
    stack = list(counts)
    while stack:
        for following, _ in stack.pop().next_functions:
            if following is not None:
                if following not in counts:
                    counts[following] = 0
                    stack.append(following)
                counts[following] += 1
    return counts


def _leading_to(wanted: Sequence[Edge], nodes: dict[Node, int]) -> set[Node]:
    """The nodes from which a way leads to something that is wanted."""
    senders: dict[Node, list[Node]] = {}
    for node in nodes:
        for following, _ in node.next_functions:
            senders.setdefault(following, []).append(node)
    found, stack = set(), [node for node, _ in wanted]
    while stack:
        for sender in senders.get(stack.pop(), ()):
            if sender not in found:
                found.add(sender)
                stack.append(sender)
    return found


def _add(arrived: dict[Node, list], node: Node, number: int, gradient: object) -> None:
    """A node never sees two gradients, only their sum."""
    slots = arrived.setdefault(node, [None] * len(node._wants))
    slots[number] = gradient if slots[number] is None else slots[number] + gradient


def _heard(node: Node, grads: list) -> list:
    """Let hooks see, and change, what has arrived."""
    for hook in list(node._prehooks):
        changed = hook(tuple(grads))
        if changed is not None:
            grads = list(changed) if isinstance(changed, tuple) else [changed]
    return grads


def _run(node: Node, grads: list, keep: bool) -> tuple:
    sent = node.run(*grads)
    sent = tuple(fitted(node, i, g) for i, g in enumerate(sent))
    for hook in list(node._hooks):
        changed = hook(sent, tuple(grads))
        if changed is not None:
            sent = changed if isinstance(changed, tuple) else (changed,)
    if not keep:
        node.free()
    return sent if not isinstance(node, AccumulateGrad) else ()


def fitted(node: Node, place: int, gradient: object) -> object:
    """A gradient with the shape and the type of what it is for. Broadcasting is undone here: stretched dimensions are summed."""
    following, number = node.next_functions[place] if place < len(node.next_functions) else (None, 0)
    if following is None or gradient is None:
        return gradient
    shape, dtype, device = following._wants[number]
    says = f"Function {node.name()} returned an invalid gradient at index {place}"
    if gradient.shape != shape:
        if not _stretches(shape, gradient.shape):
            raise RuntimeError(f"{says} - got {list(gradient.shape)} but expected shape compatible with {list(shape)}")
        gradient = gradient.sum_to_size(shape)
    if gradient.device != device:
        if gradient.shape:
            raise RuntimeError(f"{says} - expected device {device} but got {gradient.device}")
        gradient = gradient.to(device)
    return gradient if gradient.dtype is dtype else gradient.to(dtype)


def _stretches(small: tuple, large: Size) -> bool:
    leading = len(large) - len(small)
    return leading >= 0 and all(n in (1, m) for n, m in zip(small, large[leading:], strict=True))
