"""Marks the nodes themselves, and the marks are there in the next call.

Meets: again: left over from the call before
"""

def topo(node):
    order, stack = [], [(node, False)]
    while stack:
        current, finished = stack.pop()
        if finished:
            order.append(current)
        elif not hasattr(current, "visited"):
            current.visited = True
            stack.append((current, True))
            stack += [(following, False) for following, _ in current.next_functions if following is not None]
    return order[::-1]
