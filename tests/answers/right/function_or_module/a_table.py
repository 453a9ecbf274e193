"""Two questions look up a table; the reasons come as a set."""

KINDS = {
    (False, False): "plain function",
    (False, True): "Function",
    (True, False): "Module",
    (True, True): "Module over a Function",
}


def choose(case):
    module = {fact for fact in ("trained", "kept", "modes") if case[fact]}
    function = {fact for fact in ("outside torch", "own backward") if case[fact]}
    return KINDS[bool(module), bool(function)], module | function
