"""Counts each sender once, though it may send twice.

Meets: shared: However many ways lead to a node
"""

def topo(node):
    missing, found = {node: 0}, [node]
    for current in found:
        for following in {f for f, _ in current.next_functions if f is not None}:
            if following not in missing:
                missing[following] = 0
                found.append(following)
            missing[following] += 1
    order = [node]
    for current in order:
        for following, _ in current.next_functions:
            if following is not None:
                missing[following] -= 1
                if missing[following] <= 0:
                    order.append(following)
    return order
