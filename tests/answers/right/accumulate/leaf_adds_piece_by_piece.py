"""Each gradient is added to the leaf when it comes by; += makes a new Tensor."""

from handgrad.engine import topological_order


def backward(y, upstream):
    arrived = {y.grad_fn: upstream}
    for node in topological_order(y.grad_fn):
        if node not in arrived:
            continue
        for i, part in enumerate(node(arrived[node])):
            receiver = node.next_functions[i][0]
            if receiver is None or part is None:
                continue
            if receiver.name().endswith("AccumulateGrad"):
                if receiver.variable.grad is None:
                    receiver.variable.grad = part
                else:
                    receiver.variable.grad += part
            elif receiver in arrived:
                arrived[receiver] += part
            else:
                arrived[receiver] = part
