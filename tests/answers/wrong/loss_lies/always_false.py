"""Refuses everything.

Meets: right ones pass: It refuses every backward
"""


def is_relu(fn):
    return False
