"""Accepts everything.

Meets: wrong ones fail: It accepts every backward
"""


def is_relu(fn):
    return True
