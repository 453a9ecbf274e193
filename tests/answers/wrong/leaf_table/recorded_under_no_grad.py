"""Thinks that no_grad records.

Meets: row new: Under no_grad the subtraction is not recorded
"""


def leaf_table():
    return {
        "x": (True, True, None, 4.0),
        "w": (True, True, None, 8.0),
        "c": (True, False, None, None),
        "p": (False, True, "MulBackward0", None),
        "d": (True, False, None, None),
        "s": (False, True, "AddBackward0", 1.0),
        "y": (False, True, "MulBackward0", None),
        "new": (False, True, "SubBackward0", None),
    }
