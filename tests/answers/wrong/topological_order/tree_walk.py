"""Forgets which nodes it has seen.

Meets: diamond: remember which nodes you have seen
"""

def topo(node):
    order = [node]
    for sender in order:
        order += [following for following, _ in sender.next_functions if following is not None]
    return order
