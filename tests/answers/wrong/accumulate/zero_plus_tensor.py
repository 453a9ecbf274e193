"""Begins with the number 0.

Meets: form: Begin with the first Tensor that arrives
"""

from collections import defaultdict

from handgrad.engine import topological_order


def backward(y, upstream):
    arrived = defaultdict(int)
    arrived[y.grad_fn] += upstream
    for node in topological_order(y.grad_fn):
        gradient = arrived.pop(node)
        if hasattr(node, "variable"):
            node.variable.grad = gradient
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None:
                arrived[following] += part
