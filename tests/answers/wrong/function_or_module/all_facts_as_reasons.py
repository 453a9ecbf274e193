"""Everything that is not empty is given as a reason.

Meets: reasons: no others
"""


def choose(case):
    module = case["trained"] or case["kept"] or case["modes"]
    function = case["outside torch"] or case["own backward"]
    reasons = [fact for fact, value in case.items() if value and fact != "operation"]
    if module and function:
        return "Module over a Function", reasons
    return "Module" if module else "Function" if function else "plain function", reasons
