"""x is squared in place, and the caller's numbers are gone.

Meets: given numbers: changed in place
"""


def slope(x):
    return x.pow_(2).mul_(3)
