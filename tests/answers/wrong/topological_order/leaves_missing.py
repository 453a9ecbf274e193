"""Leaves out nodes that send to nobody.

Meets: chain: The leaves' nodes are missing
"""

def topo(node):
    order, seen, stack = [], set(), [(node, False)]
    while stack:
        current, finished = stack.pop()
        if finished:
            order.append(current)
        elif current not in seen and current.next_functions:
            seen.add(current)
            stack.append((current, True))
            stack += [(following, False) for following, _ in current.next_functions if following is not None]
    return order[::-1]
