"""Gives every tensor of the graph its gradient.

Meets: row p: does not keep its gradient, unless retain_grad()
"""


def leaf_table():
    return {
        "x": (True, True, None, 4.0),
        "w": (True, True, None, 8.0),
        "c": (True, False, None, None),
        "p": (False, True, "MulBackward0", 1.0),
        "d": (True, False, None, None),
        "s": (False, True, "AddBackward0", 1.0),
        "y": (False, True, "MulBackward0", 1.0),
        "new": (True, False, None, None),
    }
