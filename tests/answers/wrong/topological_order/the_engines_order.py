"""Calls the engine's own.

Meets: form: here you write one yourself
"""

from handgrad.engine import topological_order


def topo(node):
    return topological_order(node)
