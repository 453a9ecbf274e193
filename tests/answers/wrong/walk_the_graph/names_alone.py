"""A list of names, without the leaves.

Meets: form: expected a pair (name, leaf or None)   got a str, not a pair
"""


def walk(y):
    nodes, edges, places = [], [], {}

    def visit(node):
        if node is None:
            return None
        if node not in places:
            places[node] = len(nodes)
            nodes.append(node.name())
            for following, input_nr in node.next_functions:
                edges.append((places[node], visit(following), input_nr))
        return places[node]

    visit(y.grad_fn)
    return nodes, edges
