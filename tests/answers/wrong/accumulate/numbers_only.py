"""Begins with the number 0 in a Tensor, which lists cannot be added to.

Meets: lists: their data may be numbers or lists
"""

from collections import defaultdict

from handgrad.engine import Tensor, topological_order


def backward(y, upstream):
    arrived = defaultdict(lambda: Tensor(0.0))
    arrived[y.grad_fn] = upstream
    for node in topological_order(y.grad_fn):
        if node not in arrived:
            continue
        gradient = arrived.pop(node)
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = (leaf.grad or Tensor(0.0)) + gradient
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None and part is not None:
                arrived[following] += part
