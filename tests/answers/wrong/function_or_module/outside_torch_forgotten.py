"""What runs outside torch is taken for differentiable.

Meets: kind: leaves no graph
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
    function = [fact for fact in ("own backward",) if case[fact]]
    if module and function:
        return "Module over a Function", module + function
    if module or function:
        return "Module" if module else "Function", module + function
    return "plain function", []
