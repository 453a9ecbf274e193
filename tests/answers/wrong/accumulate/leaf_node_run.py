"""Runs the leaf's node, which does no work here.

Meets: form: A leaf's node does no work here
"""

from handgrad.engine import topological_order


def backward(y, upstream):
    arrived = {y.grad_fn: upstream}
    for node in topological_order(y.grad_fn):
        for (following, _), part in zip(node.next_functions, node(arrived.pop(node))):
            if following is not None and part is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
