"""Depth first with a stack, backwards; the name of the class, which is the same without its namespace."""


def walk(y):
    found, stack = [], [y.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found.append(node)
            stack += [entry[0] for entry in reversed(node.next_functions)]
    nodes, edges = [], []
    for i, node in enumerate(found):
        kind = type(node).__name__
        nodes.append([kind, node.variable if kind == "AccumulateGrad" else None])
        for other, number in reversed(node.next_functions):
            edges.append([i, None if other is None else found.index(other), number])
    return nodes, edges
