"""Visits a node as often as it is reached, so its own edges are written down again.

Meets: edges: write (node, input_nr) into the receiver's list
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
            graph[node].append((sender, input_nr))
    return graph
