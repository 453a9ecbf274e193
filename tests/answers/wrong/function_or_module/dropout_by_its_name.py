"""Whatever is called dropout is a Module, two modes or not.

Meets: kind: must something be kept
"""


def choose(case):
    """Return (kind, reasons).

    kind: "plain function", "Function", "Module" or "Module over a Function".
    reasons: the list of the facts that decided, in any order; empty for a plain function.
    """
    # State that outlives a call needs an object; `numbers` do not, they are arguments.
    module = ["modes"] if "dropout" in case["operation"] else [fact for fact in ("trained", "kept", "modes") if case[fact]]
    # Only where torch finds no derivative, or another than the one wanted, do we write one.
    function = [fact for fact in ("outside torch", "own backward") if case[fact]]
    if module and function:
        return "Module over a Function", module + function
    if module:
        return "Module", module
    if function:
        return "Function", function
    return "plain function", []
