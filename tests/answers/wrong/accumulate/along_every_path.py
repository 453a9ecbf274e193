"""Sends each gradient on at once, along every path.

Meets: once: A node runs again for each path
"""

def backward(y, upstream):
    waiting = [(y.grad_fn, upstream)]
    while waiting:
        node, gradient = waiting.pop()
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None and part is not None:
                waiting.append((following, part))
