"""Marks a node when it is put on the stack, so one that is reached again is not moved up.

Meets: diamond: Write a node down when all behind it are written
"""

def topo(node):
    order, seen, stack = [], {node}, [(node, False)]
    while stack:
        current, finished = stack.pop()
        if finished:
            order.append(current)
            continue
        stack.append((current, True))
        for following, _ in current.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                stack.append((following, False))
    return order[::-1]
