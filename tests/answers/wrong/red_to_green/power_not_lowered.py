"""Brings the exponent down and leaves it there.

Meets: given numbers: is one less afterwards
"""


def slope(x):
    return 3 * x**3
