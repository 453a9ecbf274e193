"""Leaves as keys in place of their AccumulateGrads.

Meets: form: each key: expected a node   got a tensor
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
    return {getattr(node, "variable", node): edges for node, edges in graph.items()}
