"""Adds up on the nodes, as micrograd does, and a second call finds the first one's sums.

Meets: two calls: A node still has the gradient of the call before
"""

from handgrad.engine import topological_order


def backward(y, upstream):
    nodes = topological_order(y.grad_fn)
    for node in nodes:
        node.total = getattr(node, "total", None)
    y.grad_fn.total = upstream if y.grad_fn.total is None else y.grad_fn.total + upstream
    for node in nodes:
        if node.total is None:
            continue
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = node.total if leaf.grad is None else leaf.grad + node.total
            continue
        for (following, _), part in zip(node.next_functions, node(node.total)):
            if following is not None and part is not None:
                following.total = part if following.total is None else following.total + part
