"""An in-place change makes a node.

Meets: row w: leaves a leaf a leaf
"""


def leaf_table():
    return {
        "x": (True, True, None, 4.0),
        "w": (False, True, "SubBackward0", 8.0),
        "c": (True, False, None, None),
        "p": (False, True, "MulBackward0", None),
        "d": (True, False, None, None),
        "s": (False, True, "AddBackward0", 1.0),
        "y": (False, True, "MulBackward0", None),
        "new": (True, False, None, None),
    }
