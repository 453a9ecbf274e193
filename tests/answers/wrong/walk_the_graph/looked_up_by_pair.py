"""Looks for the pair of name and leaf, so tensors are compared.

Meets: nodes: remember the node itself
"""


def walk(y):
    nodes, edges = [], []

    def visit(node):
        if node is None:
            return None
        entry = (node.name(), getattr(node, "variable", None))
        if entry in nodes:
            return nodes.index(entry)
        here = len(nodes)
        nodes.append(entry)
        for following, input_nr in node.next_functions:
            edges.append((here, visit(following), input_nr))
        return here

    visit(y.grad_fn)
    return nodes, edges
