"""Only the first reason.

Meets: reasons: The reasons are the names of the facts
"""


def choose(case):
    module = [fact for fact in ("trained", "kept", "modes") if case[fact]]
    function = [fact for fact in ("outside torch", "own backward") if case[fact]]
    if module and function:
        return "Module over a Function", [module[0], function[0]]
    return "Module" if module else "Function" if function else "plain function", (module + function)[:1]
