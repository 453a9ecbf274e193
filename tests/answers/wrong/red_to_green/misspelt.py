"""A name that does not exist.

Meets: given numbers: NameError: name 'X' is not defined
"""


def slope(x):
    return 3 * X**2  # noqa: F821
