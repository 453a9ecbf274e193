"""The place in next_functions in place of input_nr.

Meets: edges: node.next_functions holds (receiver, input_nr)
"""


def incoming(y):
    graph, waiting = {y.grad_fn: []}, [y.grad_fn]
    while waiting:
        sender = waiting.pop()
        for input_nr, (node, _) in enumerate(sender.next_functions):
            if node is None:
                continue
            if node not in graph:
                graph[node] = []
                waiting.append(node)
            graph[node].append((sender, input_nr))
    return graph
