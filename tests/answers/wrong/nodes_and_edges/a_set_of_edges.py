"""Drops an edge that stands there twice.

Meets: fan-out: An edge that stands there twice is kept once
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
            if (sender, input_nr) not in graph[node]:
                graph[node].append((sender, input_nr))
    return graph
