"""Nodes are numbered when all behind them is done; tuples in place of lists."""


def walk(y):
    done = {}
    edges = []

    def visit(node):
        if node is None or node in done:
            return
        for following, _ in node.next_functions:
            visit(following)
        done[node] = len(done)
        for following, input_nr in node.next_functions:
            edges.append((done[node], done.get(following), input_nr))

    visit(y.grad_fn)
    nodes = tuple((node.name(), node.variable if "AccumulateGrad" in node.name() else None) for node in done)
    return nodes, tuple(edges)
