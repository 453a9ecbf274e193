"""One number for all.

Meets: given numbers: One slope for each element
"""


def slope(x):
    return (3 * x**2).sum()
