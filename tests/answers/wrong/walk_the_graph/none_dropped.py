"""Leaves out edges that lead to None.

Meets: edges: An entry (None, 0) is dropped
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None:
            return None
        if node not in places:
            places[node] = len(nodes)
            nodes.append((node.name(), getattr(node, "variable", None)))
            for following, input_nr in node.next_functions:
                if following is not None:
                    edges.append((places[node], visit(following), input_nr))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
