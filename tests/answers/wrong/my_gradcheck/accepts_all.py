"""Accepts everything.

Meets: values: It accepts every Function
"""


def my_gradcheck(fn, inputs):
    return True
