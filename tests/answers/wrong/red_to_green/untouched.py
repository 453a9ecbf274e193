"""The line as it was found.

Meets: given numbers: the power is missing
"""


def slope(x):
    return 3 * x
