"""Recursive, with the limit raised.

Meets: form: raises the recursion limit
"""

from sys import setrecursionlimit

setrecursionlimit(100_000)


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
