"""Always input 0.

Meets: edges: The third number is always 0
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
                edges.append((places[node], visit(following), 0))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
