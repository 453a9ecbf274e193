"""A copy of the leaf, which is another tensor.

Meets: leaves: An AccumulateGrad keeps its leaf as .variable
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None:
            return None
        if node not in places:
            places[node] = len(nodes)
            nodes.append((node.name(), node.variable.clone() if hasattr(node, "variable") else None))
            for following, input_nr in node.next_functions:
                edges.append((places[node], visit(following), input_nr))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
