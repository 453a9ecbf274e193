"""Waits for all gradients, and calls itself.

Meets: deep: loop over topological_order
"""

from collections import Counter

from handgrad.engine import receivers, topological_order


def backward(y, upstream):
    missing = Counter(f for node in topological_order(y.grad_fn) for f in receivers(node))
    arrived = {y.grad_fn: upstream}

    def run(node):
        gradient = arrived.pop(node, None)
        if hasattr(node, "variable"):
            if gradient is not None:
                leaf = node.variable
                leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
            return
        parts = node(gradient) if gradient is not None else [None] * len(node.next_functions)
        for (following, _), part in zip(node.next_functions, parts):
            if following is None:
                continue
            if part is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
            missing[following] -= 1
            if missing[following] == 0:
                run(following)

    run(y.grad_fn)
