"""Another derivative is wanted, and torch's is taken.

Meets: kind: not the one that is wanted
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
    function = [fact for fact in ("outside torch",) if case[fact]]
    if module and function:
        return "Module over a Function", module + function
    if module or function:
        return "Module" if module else "Function", module + function
    return "plain function", []
