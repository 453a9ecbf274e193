"""The order in which a breadth-first walk meets the nodes.

Meets: diamond: first meets them
"""

from collections import deque


def topo(node):
    order, queue = [], deque([node])
    while queue:
        current = queue.popleft()
        if current in order:
            continue
        order.append(current)
        for following, _ in current.next_functions:
            if following is not None:
                queue.append(following)
    return order
