"""micrograd's way: right, until the chain is deep.

Meets: deep: Keep a list of what is left to do
"""

def topo(node):
    order, seen = [], set()

    def build(v):
        if v not in seen:
            seen.add(v)
            for child, _ in v.next_functions:
                if child is not None:
                    build(child)
            order.append(v)

    build(node)
    return order[::-1]
