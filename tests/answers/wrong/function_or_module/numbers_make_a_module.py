"""A number, such as a slope, is taken for state.

Meets: kind: A plain number is no reason for a Module
"""


def choose(case):
    module = [
        fact
        for fact in (
            "trained",
            "kept",
            "modes",
            "numbers",
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
        return "Module over a Function", module + function
    if module or function:
        return "Module" if module else "Function", module + function
    return "plain function", []
