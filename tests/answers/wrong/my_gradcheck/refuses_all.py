"""Refuses everything.

Meets: right ones: It refuses every Function
"""


def my_gradcheck(fn, inputs):
    return False
