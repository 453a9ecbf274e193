"""Pairs without the number.

Meets: form: expected a triple (i, j or None, input_nr)
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None:
            return None
        if node not in places:
            places[node] = len(nodes)
            nodes.append((node.name(), getattr(node, "variable", None)))
            for following, _ in node.next_functions:
                edges.append((places[node], visit(following)))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
