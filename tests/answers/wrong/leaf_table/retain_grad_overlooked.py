"""No leaf, so no gradient.

Meets: row s: retain_grad() asked for the gradient
"""


def leaf_table():
    return {
        "x": (True, True, None, 4.0),
        "w": (True, True, None, 8.0),
        "c": (True, False, None, None),
        "p": (False, True, "MulBackward0", None),
        "d": (True, False, None, None),
        "s": (False, True, "AddBackward0", None),
        "y": (False, True, "MulBackward0", None),
        "new": (True, False, None, None),
    }
