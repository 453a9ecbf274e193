"""Writes a node down each time that it comes by.

Meets: nodes: A node that two paths reach is written down twice
"""


def walk(y):
    nodes, edges = [], []

    def visit(node):
        if node is None:
            return None
        place = len(nodes)
        nodes.append((node.name(), getattr(node, "variable", None)))
        for following, input_nr in node.next_functions:
            edges.append((place, visit(following), input_nr))
        return place

    visit(y.grad_fn)
    return nodes, edges
