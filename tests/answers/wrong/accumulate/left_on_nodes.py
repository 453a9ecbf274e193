"""Adds up on the nodes, begins anew in each call, and leaves the gradients there.

Meets: left alone: keep gradients on leaves alone
"""

from handgrad.engine import topological_order


def backward(y, upstream):
    nodes = topological_order(y.grad_fn)
    for node in nodes:
        node.grad = None
    y.grad_fn.grad = upstream
    for node in nodes:
        if node.grad is None:
            continue
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = node.grad if leaf.grad is None else leaf.grad + node.grad
            continue
        for (following, _), part in zip(node.next_functions, node(node.grad)):
            if following is not None and part is not None:
                following.grad = part if following.grad is None else following.grad + part
