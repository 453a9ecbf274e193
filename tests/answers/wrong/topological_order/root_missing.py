"""The list begins behind the node that was given.

Meets: chain: it runs first
"""

def topo(node):
    order, seen, stack = [], set(), [(node, False)]
    while stack:
        current, finished = stack.pop()
        if finished:
            order.append(current)
        elif current not in seen:
            seen.add(current)
            stack.append((current, True))
            stack += [(following, False) for following, _ in current.next_functions if following is not None]
    return order[:-1][::-1]
