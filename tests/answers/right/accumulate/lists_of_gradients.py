"""Collects what arrives in lists, and sums when a node's turn comes."""

from collections import defaultdict
from functools import reduce
from operator import add

from handgrad.engine import topological_order


def backward(y, upstream):
    inbox = defaultdict(list)
    inbox[y.grad_fn].append(upstream)
    for node in topological_order(y.grad_fn):
        if not inbox[node]:
            continue
        total = reduce(add, inbox.pop(node))
        leaf = getattr(node, "variable", None)
        if leaf is None:
            for edge, part in zip(node.next_functions, node(total), strict=True):
                if edge[0] and part:
                    inbox[edge[0]].append(part)
        elif leaf.grad is None:
            leaf.grad = total
        else:
            leaf.grad = leaf.grad + total
