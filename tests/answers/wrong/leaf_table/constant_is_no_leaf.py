"""A leaf must require a gradient.

Meets: row c: A leaf need not require one
"""


def leaf_table():
    return {
        "x": (True, True, None, 4.0),
        "w": (True, True, None, 8.0),
        "c": (False, False, None, None),
        "p": (False, True, "MulBackward0", None),
        "d": (True, False, None, None),
        "s": (False, True, "AddBackward0", 1.0),
        "y": (False, True, "MulBackward0", None),
        "new": (True, False, None, None),
    }
