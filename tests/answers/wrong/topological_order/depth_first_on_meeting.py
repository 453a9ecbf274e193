"""Depth first, but a node is written down on the way in.

Meets: diamond: first meets them
"""

def topo(node):
    order, stack = [], [node]
    while stack:
        current = stack.pop()
        if current in order:
            continue
        order.append(current)
        for following, _ in current.next_functions:
            if following is not None:
                stack.append(following)
    return order
