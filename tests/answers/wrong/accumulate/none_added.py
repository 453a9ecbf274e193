"""Hands on None as if it were a gradient, where nothing has arrived yet.

Meets: no gradient: nothing arrives there, and that node does not run
"""

from handgrad.engine import topological_order


def backward(y, upstream):
    arrived = {y.grad_fn: upstream}
    for node in topological_order(y.grad_fn):
        gradient = arrived.pop(node, None)
        if gradient is None:
            continue
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
