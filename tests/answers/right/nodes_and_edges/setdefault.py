"""With setdefault and a set of those seen."""


def incoming(y):
    graph, seen, queue = {y.grad_fn: []}, set(), [y.grad_fn]
    while queue:
        node = queue.pop(0)
        if node in seen:
            continue
        seen.add(node)
        for receiver, nr in node.next_functions:
            if receiver:
                graph.setdefault(receiver, []).append([node, nr])
                queue.append(receiver)
    return graph
