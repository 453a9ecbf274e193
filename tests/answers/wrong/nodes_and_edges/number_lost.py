"""Always 0.

Meets: two outputs: The number is always 0
"""


def incoming(y):
    graph, waiting = {y.grad_fn: []}, [y.grad_fn]
    while waiting:
        sender = waiting.pop()
        for node, _ in sender.next_functions:
            if node is None:
                continue
            if node not in graph:
                graph[node] = []
                waiting.append(node)
            graph[node].append((sender, 0))
    return graph
