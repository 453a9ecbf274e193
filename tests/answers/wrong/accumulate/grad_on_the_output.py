"""Leaves the upstream gradient on y, which is no leaf.

Meets: left alone: keep gradients on leaves alone
"""

from handgrad.engine import topological_order


def backward(y, upstream):
    y.grad = upstream
    arrived = {y.grad_fn: y.grad}
    for node in topological_order(y.grad_fn):
        gradient = arrived.pop(node, None)
        if gradient is None:
            continue
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None and part is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
