"""From the receiver to the sender.

Meets: edges: expected 1   got nothing
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
                edges.append((visit(following), places[node], input_nr))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
