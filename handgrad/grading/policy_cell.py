"""The text of a cell → its syntax tree, with what IPython makes of it: magics, commands of the system, help."""

import ast
import re
from functools import cache

import IPython.core.magics
from IPython.core.alias import default_aliases
from IPython.core.inputtransformer2 import TransformerManager

MOST_MAGICS = 50  # each of them is another pass over the cell
_RUN_CODE = {"time", "timeit"}
_HARMLESS = {"matplotlib", "pinfo", "pinfo2"}  # with plain words as arguments: IPython evaluates what stands in braces
_OPTIONS = re.compile(r"(\s*(--no-raise-error|-[nrp]\s*\d+|-[tcqo]+)(?=\s|$))*\s*")
_LOOKS_LIKE_ONE = re.compile(r"\s*[%!?,;/]|.*=\s*[%!]|.*\?\s*$")


class Uses(ast.Pass):
    """In the tree, in place of an expression or a statement: what no answer needs, in words."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(lineno=line, col_offset=0)
        self.what = what


class Run(ast.Module):
    """In the tree, in place of a magic: the statements that it runs."""


def parse_cell(source: str) -> ast.Module:
    """The syntax tree, with lines counted as in `source`.

    Raises:
        SyntaxError, ValueError: the cell is not Python, and would not run.
    """
    if sum(bool(_LOOKS_LIKE_ONE.match(line)) for line in source.splitlines()) > MOST_MAGICS:
        return ast.Module([Uses(f"is one of more than {MOST_MAGICS} that look like commands of IPython's", 1)], [])
    code = TransformerManager().transform_cell(source)
    if len(code.splitlines()) == 1:  # then IPython takes a first word that is a magic's name for that magic, without its %
        first = re.match(r"\s*(\w+)(?![\w.]|\s*[=,])", code)
        if first and first[1] in _magic_names():
            return ast.Module([Uses(f"is IPython's command {first[1]}", 1)], [])
    lines = source.splitlines()
    blank = next((number for number, line in enumerate(lines) if line.strip()), 0)  # IPython leaves these out
    return ast.increment_lineno(_Magics().visit(ast.parse(code)), blank)


class _Magics(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Attribute(ast.Call(ast.Name("get_ipython"), []), method):
                texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
                if method.endswith("_magic") and len(texts) == len(node.args) > 1 and not node.keywords:
                    return self._magic(*texts, line=node.lineno)
                return Uses(f"uses IPython's shell ({(texts or [method])[0].strip()[:40]})", node.lineno)
        return node

    def _magic(self, name: str, text: str, *body: str, line: int) -> ast.AST:
        if name in _HARMLESS and not body and re.fullmatch(r"[\w.-]*", text):
            return ast.Constant(None, lineno=line, col_offset=0)
        refused = Uses(f"uses {'%%' if body else '%'}{name}", line)
        text = text[_OPTIONS.match(text).end() :]
        if name not in _RUN_CODE or "--" in text:
            return refused
        try:
            trees = [
                ast.increment_lineno(parse_cell(part), line - 1 + at) for at, part in enumerate([text, *body]) if part.strip()
            ]
        except (SyntaxError, ValueError):
            return refused
        return Run([statement for tree in trees for statement in tree.body], [])


@cache
def _magic_names() -> frozenset[str]:
    kinds = [getattr(IPython.core.magics, name) for name in dir(IPython.core.magics) if name.endswith("Magics")]
    names = {name for kind in kinds for name in kind.magics.get("line", ())}
    return frozenset(names | {name for name, _ in default_aliases()})
