"""Filters None before it pairs edges and gradients.

Meets: constants: goes to a neighbour
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
        receivers = [following for following, _ in node.next_functions if following is not None]
        for following, part in zip(receivers, node(gradient)):
            if part is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
