"""Lists None where nobody takes the gradient.

Meets: form: leads nowhere and is left out
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
            if current is not None:
                stack += [(following, False) for following, _ in current.next_functions]
    return order[::-1]
