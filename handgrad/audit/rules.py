"""What can be read in an answer's text but not seen in its behaviour. By `ast` alone: nothing is run."""

import ast
from collections.abc import Callable

Rule = Callable[[str], str | None]


def not_instantiated(name: str) -> Rule:
    """A Function is used through `Name.apply`; `Name()` makes an instance, which no model that holds it can be copied with."""

    def rule(source: str) -> str | None:
        for call in _calls_in_functions(source):
            if ast.unparse(call.func) == name:
                return f"line {call.lineno} makes an instance, {name}(…): a Function has none. Call {name}.apply(…)."
        return None

    return rule


def forward_not_called(name: str) -> Rule:
    """`Name.forward(...)` called by hand goes round the graph: torch then differentiates the operations inside."""

    def rule(source: str) -> str | None:
        for call in _calls_in_functions(source):
            if ast.unparse(call.func) == f"{name}.forward":
                return (
                    f"line {call.lineno} calls {name}.forward by hand, so your backward is never reached. Call {name}.apply(…)."
                )
        return None

    return rule


_DIFFERENTIATES = {"backward", "grad", "vjp", "jvp", "jacrev", "jacfwd", "jacobian", "hessian", "forward_ad"}


def differentiates_by_hand(name: str) -> Rule:
    """The function `name` calls nothing of torch that finds derivatives. A test beside it may."""

    def rule(source: str) -> str | None:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return None
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        own = {function.name for function in functions}
        bodies = [function for function in functions if function.name == name]
        for call in (node for body in bodies for node in ast.walk(body) if isinstance(node, ast.Call)):
            called = ast.unparse(call.func)
            if called not in own and _DIFFERENTIATES & set(called.split(".")):
                return f"line {call.lineno} calls {called}, which does the work for you. Write the products and sums yourself."
        return None

    return rule


def _calls_in_functions(source: str) -> list[ast.Call]:
    """Calls that an answer's own functions make. Trying something at the top level of a cell is nobody's fault."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    bodies = (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.Lambda)))
    in_main = {id(inner) for node in tree.body if isinstance(node, ast.If) for inner in ast.walk(node)}
    return [
        call
        for body in bodies
        if id(body) not in in_main
        for call in ast.walk(body)
        if isinstance(call, ast.Call) and not isinstance(call.func, ast.Call)
    ]
