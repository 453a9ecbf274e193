"""Adds into the Tensor that has arrived first, which others hold too.

Meets: left alone: Others hold the same Tensors
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
            if leaf.grad is None:
                leaf.grad = gradient
            else:
                leaf.grad.data += gradient.data
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None and part is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
