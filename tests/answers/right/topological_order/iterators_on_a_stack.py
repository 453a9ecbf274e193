"""Depth first with the iterators of the nodes on a stack; a deque that grows at its left end is returned."""

from collections import deque


def topo(node):
    order, seen, stack = deque(), {node}, [(node, iter(node.next_functions))]
    while stack:
        current, edges = stack[-1]
        for following, _ in edges:
            if following is not None and following not in seen:
                seen.add(following)
                stack.append((following, iter(following.next_functions)))
                break
        else:
            stack.pop()
            order.appendleft(current)
    return order
