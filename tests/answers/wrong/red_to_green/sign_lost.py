"""Right for positive numbers.

Meets: given numbers: three times the square of x
"""


def slope(x):
    return 3 * x * x.abs()
