"""Takes the pair for the node.

Meets: form: take the node
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
            stack += [(following, False) for following in current.next_functions if following is not None]
    return order[::-1]
