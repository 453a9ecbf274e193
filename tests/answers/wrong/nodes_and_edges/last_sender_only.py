"""Replaces in place of appending.

Meets: edges: Each node keeps its last sender only
"""


def incoming(y):
    graph, waiting = {y.grad_fn: []}, [y.grad_fn]
    while waiting:
        sender = waiting.pop()
        for node, input_nr in sender.next_functions:
            if node is None:
                continue
            if node not in graph:
                graph[node] = []
                waiting.append(node)
            graph[node] = [(sender, input_nr)]
    return graph
