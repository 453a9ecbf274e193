"""Prints the slope and returns nothing.

Meets: given numbers: Printing a value does not return it
"""


def slope(x):
    print(3 * x**2)
