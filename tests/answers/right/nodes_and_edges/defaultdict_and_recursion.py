"""A defaultdict, filled by recursion."""

from collections import defaultdict


def incoming(y):
    graph = defaultdict(list)

    def visit(node):
        for following, input_nr in node.next_functions:
            if following is not None:
                known = following in graph
                graph[following].append((node, input_nr))
                if not known:
                    visit(following)

    graph[y.grad_fn]
    visit(y.grad_fn)
    return graph
