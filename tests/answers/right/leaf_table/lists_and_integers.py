"""Lists for rows, integers for gradients, names without the number behind."""


def leaf_table():
    return {
        "x": [True, True, None, 4],
        "w": (True, True, None, 8.0),
        "c": (True, False, None, None),
        "p": [False, True, "MulBackward", None],
        "d": (True, False, None, None),
        "s": [False, True, "AddBackward", 1],
        "y": (False, True, "MulBackward0", None),
        "new": (True, False, None, None),
    }
