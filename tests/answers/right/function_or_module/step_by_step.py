"""Plain ifs; the reasons in another order, in a list of two."""


def choose(case):
    reasons = []
    if case["own backward"]:
        reasons.append("own backward")
    if case["outside torch"]:
        reasons.append("outside torch")
    kind = "Function" if reasons else "plain function"
    state = [fact for fact in ("modes", "kept", "trained") if case.get(fact)]
    if state:
        kind = "Module over a Function" if reasons else "Module"
    return [kind, reasons + state]
