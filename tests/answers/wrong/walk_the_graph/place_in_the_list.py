"""Numbers the entries of next_functions in place of their input_nr.

Meets: edges: with the number that stands there
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None:
            return None
        if node not in places:
            places[node] = len(nodes)
            nodes.append((node.name(), getattr(node, "variable", None)))
            for input_nr, (following, _) in enumerate(node.next_functions):
                edges.append((places[node], visit(following), input_nr))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
