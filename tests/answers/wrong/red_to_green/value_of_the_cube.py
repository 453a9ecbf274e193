"""Returns the value.

Meets: given numbers: That is the value of x³ itself
"""


def slope(x):
    return x**3
