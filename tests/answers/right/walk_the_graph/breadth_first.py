"""Breadth first with a queue."""

from collections import deque


def walk(y):
    order, queue = {y.grad_fn: 0}, deque([y.grad_fn])
    edges = []
    while queue:
        node = queue.popleft()
        for following, input_nr in node.next_functions:
            if following is not None and following not in order:
                order[following] = len(order)
                queue.append(following)
            edges.append((order[node], order.get(following), input_nr))
    return [(node.name(), getattr(node, "variable", None)) for node in order], edges
