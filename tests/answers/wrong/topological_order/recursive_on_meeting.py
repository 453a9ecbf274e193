"""Recursive, and in pre-order.

Meets: diamond: first meets them
"""

def topo(node):
    order = []

    def visit(current):
        if current is None or current in order:
            return
        order.append(current)
        for following, _ in current.next_functions:
            visit(following)

    visit(node)
    return order
