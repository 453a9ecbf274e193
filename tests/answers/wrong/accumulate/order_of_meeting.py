"""Runs nodes in the order in which it meets them.

Meets: branches: a node runs before all its gradients are there
"""

def backward(y, upstream):
    arrived, queue, seen = {y.grad_fn: upstream}, [y.grad_fn], {y.grad_fn}
    for node in queue:
        gradient = arrived.pop(node, None)
        if gradient is None:
            continue
        if hasattr(node, "variable"):
            leaf = node.variable
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
            continue
        for (following, _), part in zip(node.next_functions, node(gradient)):
            if following is not None and part is not None:
                arrived[following] = arrived[following] + part if following in arrived else part
                if following not in seen:
                    seen.add(following)
                    queue.append(following)
