"""The same by recursion.

Meets: once: A node runs again for each path
"""

def backward(y, upstream):
    def send(node, gradient):
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
            return
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None and part is not None:
                send(following, part)

    send(y.grad_fn, upstream)
