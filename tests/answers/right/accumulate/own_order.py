"""Counts senders itself and does not use the given order."""

from collections import Counter


def backward(y, upstream):
    missing, found = Counter(), [y.grad_fn]
    for node in found:
        for following, _ in node.next_functions:
            if following is not None:
                missing[following] += 1
                if missing[following] == 1:
                    found.append(following)
    sums, ready = {y.grad_fn: upstream}, [y.grad_fn]
    while ready:
        node = ready.pop()
        gradient = sums.get(node)
        if not node.next_functions:
            if gradient is not None:
                old = node.variable.grad
                node.variable.grad = gradient if old is None else old + gradient
            continue
        parts = node(gradient) if gradient is not None else [None] * len(node.next_functions)
        for (following, _), part in zip(node.next_functions, parts):
            if following is None:
                continue
            if part is not None:
                sums[following] = sums[following] + part if following in sums else part
            missing[following] -= 1
            if not missing[following]:
                ready.append(following)
