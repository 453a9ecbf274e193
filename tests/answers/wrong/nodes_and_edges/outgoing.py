"""The edges that leave.

Meets: edges: These are the edges that leave each node
"""


def incoming(y):
    graph, waiting = {}, [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node not in graph:
            graph[node] = [(other, input_nr) for other, input_nr in node.next_functions if other is not None]
            waiting += [other for other, _ in graph[node]]
    return graph
