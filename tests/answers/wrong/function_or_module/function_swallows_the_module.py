"""A Function alone, where state must be kept.

Meets: kind: A Function keeps nothing between calls
"""


def choose(case):
    module = [
        fact
        for fact in (
            "trained",
            "kept",
            "modes",
        )
        if case[fact]
    ]
    function = [
        fact
        for fact in (
            "outside torch",
            "own backward",
        )
        if case[fact]
    ]
    if module and function:
        return "Function", module + function
    if module or function:
        return "Module" if module else "Function", module + function
    return "plain function", []
