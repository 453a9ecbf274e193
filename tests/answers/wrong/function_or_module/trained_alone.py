"""Only what is trained makes a Module.

Meets: kind: State is more than what is trained
"""


def choose(case):
    module = [fact for fact in ("trained",) if case[fact]]
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
