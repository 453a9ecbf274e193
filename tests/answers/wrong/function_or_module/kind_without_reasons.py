"""The kind alone.

Meets: kind: a str, not a pair
"""


def choose(case):
    if case["trained"] or case["kept"] or case["modes"]:
        return "Module over a Function" if case["outside torch"] or case["own backward"] else "Module"
    return "Function" if case["outside torch"] or case["own backward"] else "plain function"
