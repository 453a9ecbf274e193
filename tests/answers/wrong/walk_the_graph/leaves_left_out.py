"""Stops before the AccumulateGrads.

Meets: nodes: stands in the list exactly once
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None or hasattr(node, "variable"):
            return None
        if node not in places:
            places[node] = len(nodes)
            nodes.append((node.name(), getattr(node, "variable", None)))
            for following, input_nr in node.next_functions:
                edges.append((places[node], visit(following), input_nr))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
