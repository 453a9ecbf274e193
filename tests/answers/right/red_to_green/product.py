"""Written as a product."""


def slope(x):
    return 3 * x * x
