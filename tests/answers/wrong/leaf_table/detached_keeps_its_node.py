"""detach takes nothing away.

Meets: row d: outside the graph
"""


def leaf_table():
    return {
        "x": (True, True, None, 4.0),
        "w": (True, True, None, 8.0),
        "c": (True, False, None, None),
        "p": (False, True, "MulBackward0", None),
        "d": (False, True, "MulBackward0", None),
        "s": (False, True, "AddBackward0", 1.0),
        "y": (False, True, "MulBackward0", None),
        "new": (True, False, None, None),
    }
