"""(input_nr, sender).

Meets: form: expected a pair (node, input_nr)   got (an int
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
            graph[node].append((input_nr, sender))
    return graph
