"""Lowers the power and forgets the factor.

Meets: given numbers: the factor is missing
"""


def slope(x):
    return x**2
