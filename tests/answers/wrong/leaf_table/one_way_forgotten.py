"""The way through p is forgotten.

Meets: row x: Their gradients are added
"""


def leaf_table():
    return {
        "x": (True, True, None, 1.0),
        "w": (True, True, None, 8.0),
        "c": (True, False, None, None),
        "p": (False, True, "MulBackward0", None),
        "d": (True, False, None, None),
        "s": (False, True, "AddBackward0", 1.0),
        "y": (False, True, "MulBackward0", None),
        "new": (True, False, None, None),
    }
