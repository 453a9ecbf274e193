"""First all nodes, then all edges, as tuples."""


def incoming(y):
    nodes = [y.grad_fn]
    for node in nodes:
        nodes += [other for other, _ in node.next_functions if other is not None and other not in nodes]
    nodes = list(dict.fromkeys(nodes))
    edges = [(node, *edge) for node in nodes for edge in node.next_functions]
    return {node: tuple((sender, number) for sender, receiver, number in edges if receiver is node) for node in nodes}
