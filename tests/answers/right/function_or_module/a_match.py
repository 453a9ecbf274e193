"""One match over the two answers, and a generator of facts."""

STATE = ("trained", "kept", "modes")


def reasons_among(case, facts):
    return (name for name, value in case.items() if name in facts and value)


def choose(case):
    state = list(reasons_among(case, STATE))
    derivative = list(reasons_among(case, ("outside torch", "own backward")))
    match state, derivative:
        case [], []:
            kind = "plain function"
        case [], _:
            kind = "Function"
        case _, []:
            kind = "Module"
        case _:
            kind = "Module over a Function"
    return kind, (*derivative, *state)
