"""Takes two nodes of one name for one.

Meets: nodes: Two nodes may have one name
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None:
            return None
        if node.name() not in places:
            places[node.name()] = len(nodes)
            nodes.append((node.name(), getattr(node, "variable", None)))
            for following, input_nr in node.next_functions:
                edges.append((places[node.name()], visit(following), input_nr))
        return places[node.name()]

    visit(y.grad_fn)
    return nodes, edges
