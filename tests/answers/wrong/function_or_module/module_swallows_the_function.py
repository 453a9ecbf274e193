"""A Module alone, where it needs a Function inside.

Meets: kind: A Module alone has torch's derivatives
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
        return "Module", module + function
    if module or function:
        return "Module" if module else "Function", module + function
    return "plain function", []
