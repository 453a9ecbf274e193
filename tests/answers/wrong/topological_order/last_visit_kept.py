"""Walks every path and keeps the last visit: right, and without end on a ladder.

Meets: once: remember which nodes you have seen
"""

def topo(node):
    order = [node]
    for sender in order:
        order += [following for following, _ in sender.next_functions if following is not None]
    last = {}
    for place, current in enumerate(order):
        last[current] = place
    return sorted(last, key=last.get)
