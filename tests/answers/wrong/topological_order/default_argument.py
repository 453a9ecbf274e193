"""Remembers in a default argument, which is one for all calls.

Meets: again: make what the walk remembers anew
"""

def topo(node, seen=set()):
    order, stack = [], [(node, False)]
    while stack:
        current, finished = stack.pop()
        if finished:
            order.append(current)
        elif current not in seen:
            seen.add(current)
            stack.append((current, True))
            stack += [(following, False) for following, _ in current.next_functions if following is not None]
    return order[::-1]
