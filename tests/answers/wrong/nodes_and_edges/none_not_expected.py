"""Stumbles over a constant.

Meets: nodes: next_functions holds None for an argument without gradient
"""


def incoming(y):
    graph, waiting = {y.grad_fn: []}, [y.grad_fn]
    while waiting:
        sender = waiting.pop()
        for node, input_nr in sender.next_functions:
            if node not in graph:
                graph[node] = []
                waiting.append(node)
            graph[node].append((sender, input_nr))
    return graph
