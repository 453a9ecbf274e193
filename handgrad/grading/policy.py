"""Whether the text of an answer may be run: it is read by `ast`, before it runs.

This is no proof and no wall: Python can be written so that no reading of it tells what it will do. The wall is the box that
answers run in (`handgrad.grading.box`), and what they compute is judged outside of it. This is the door-keeper. It turns away
what no answer needs and what leads elsewhere (to the system, to files, IPython, the insides of Python, of torch and of the
check), so that who wants to tamper must write what can be seen. What it lets in, `handgrad.grading.tripwire` may still see.
"""

import __future__

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import Formatter

from handgrad.grading.policy_cell import Uses, parse_cell
from handgrad.grading.policy_names import (
    DUNDERS,
    FUNCTION,
    OWN,
    SYSTEM,
    Names,
    binds,
    imports,
    is_dunder,
    is_hidden,
    may_be_used,
    words,
)

MOST_BYTES = 100_000

_NAMES = words("eval exec compile open vars globals locals breakpoint get_ipython license credits copyright")
_CALLED_ONLY = words("getattr setattr hasattr delattr attrgetter methodcaller wraps exit quit")
_TAKE_MODULES = words("print help dir repr getattr hasattr setattr delattr")
_MAY_BE_SET = frozenset({"__name__", "__qualname__", "__doc__"})
_SETTINGS = ("torch.backends.", "matplotlib.rcParams.", "matplotlib.pyplot.rcParams.")  # made to be assigned to
_COURSE = frozenset({"torch", "handgrad", "check", "hint"})  # a cell may not give them another meaning
_FUTURE = frozenset(__future__.all_feature_names) - {"barry_as_FLUFL"}  # that one changes what the next cells mean


@dataclass(frozen=True, order=True)
class Problem:
    """Why an answer is not run, in words for the learner and the teacher."""

    line: int
    text: str


def problems(source: str) -> list[Problem]:
    """What the text of an answer cell uses that no answer needs; empty when it may be run.

    A cell that is not Python has no problem: running it shows the learner the syntax error.
    """
    if len(source.encode(errors="surrogatepass")) > MOST_BYTES:
        return [Problem(1, f"the cell is longer than {MOST_BYTES // 1000} kB; answers have no need of that")]
    try:
        try:
            tree = parse_cell(source)
        except (SyntaxError, ValueError):  # ValueError: a null byte
            return []
        found = {Problem(line, f"line {line} {what}; answers have no need of it") for line, what in _Reader(tree).read()}
    except (RecursionError, MemoryError):
        return [Problem(1, "the cell is nested too deeply to be read; answers have no need of that")]
    return sorted(found)


class _Reader:
    """Reads a tree and finds, line by line, what no answer needs."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.nodes = list(ast.walk(tree))
        self.nodes += [part for node in self.nodes for part in _in_text_annotations(node)]
        self.names = Names(self.nodes)
        self.modules_fine = {id(part) for node in self.nodes for part in self._where_modules_may_stand(node)}
        self.called = {id(node.func) for node in self.nodes if isinstance(node, ast.Call)}

    def read(self) -> Iterator[tuple[int, str]]:
        """Lines, and what stands there, as in `uses sys`."""
        for node in self.nodes:
            yield from ((getattr(node, "lineno", 1), what) for what in self._look(node))
        for node in _outside_functions(self.tree):
            yield from (
                (getattr(node, "lineno", 1), f"gives {name} another meaning") for name in _COURSE.intersection(binds(node))
            )

    def _where_modules_may_stand(self, node: ast.AST) -> Iterator[ast.AST]:
        match node:
            case ast.Attribute(value) | ast.Expr(value):
                yield value
            case ast.Assign([ast.Name()], value):
                yield from (value.body, value.orelse) if isinstance(value, ast.IfExp) else [value]
            case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if all(isinstance(part, ast.Name) for part in targets):
                yield from values
            case ast.Call(ast.Name(name), args) if name in _TAKE_MODULES and name not in self.names.bound:
                yield from args

    def _look(self, node: ast.AST) -> Iterator[str]:
        match node:
            case Uses(what=what):
                yield what
            case ast.Import() | ast.ImportFrom():
                yield from self._import(node)
            case ast.Name(name):
                # load, save and the like are the cell's own here: imports of them are refused
                if name in _NAMES or (is_hidden(name) and (is_dunder(name) or name.lstrip("_") in SYSTEM)):
                    yield f"uses {name}"
                yield from self._handing_on(node, name)
            case ast.Attribute(attr=name):
                yield from self._attribute(node, name)
                yield from self._handing_on(node, name)
            case ast.Subscript(value, ctx=ast.Store() | ast.Del()):
                yield from self._assignment(value, f"{_text(value)}[…]")
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                if is_dunder(name) and name not in DUNDERS:
                    yield f"defines {name}"
            case ast.Global(names) | ast.MatchClass(kwd_attrs=names):
                yield from (f"uses {name}" for name in names if is_hidden(name))
                if isinstance(node, ast.Global):
                    yield from (f"gives {name} another meaning" for name in _COURSE.intersection(names))
            case ast.Call():
                yield from self._call(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
        module, names = getattr(node, "module", None), [alias.name for alias in node.names]
        if module == "__future__":
            yield from (f"imports {name} from __future__" for name in names if name not in _FUTURE)
        elif isinstance(node, ast.ImportFrom) and (node.level or "*" in names):
            yield f"imports {names[0]} from {'.' * node.level}{module or ''}"
        else:
            paths = [f"{module}.{name}" if module else name for name in names]
            yield from (f"imports {path}" for path in paths if not may_be_used(path))
            yield from (f"renames {alias.name}" for alias in node.names if alias.name in _CALLED_ONLY and alias.asname)
            for name, path in imports([node]):
                if name in _COURSE and path not in (name, f"handgrad.{name}"):
                    yield f"imports {path} as {name}"

    def _handing_on(self, node: ast.Name | ast.Attribute, name: str) -> Iterator[str]:
        if isinstance(node.ctx, ast.Load):
            if name in _CALLED_ONLY and id(node) not in self.called:
                yield f"hands {name} on"
            if id(node) not in self.modules_fine and self.names.stands_for_module(node):
                yield f"hands the module {_text(node)} on"

    def _attribute(self, node: ast.Attribute, name: str) -> Iterator[str]:
        if is_hidden(name) or not all(map(may_be_used, self.names.paths(node))):
            yield f"uses {_text(node)}"
        elif name in ("format", "format_map"):
            yield from self._format(node.value)
        if not isinstance(node.ctx, ast.Load):
            if is_dunder(name) and name not in _MAY_BE_SET:
                yield f"assigns to {_text(node)}"
            yield from self._assignment(node.value, _text(node))

    def _assignment(self, owner: ast.AST, text: str) -> Iterator[str]:
        of_class = isinstance(owner, ast.Attribute) and owner.attr == "__class__"
        of_own_class = of_class and isinstance(owner.value, ast.Name) and owner.value.id in OWN
        foreign = [path for path in self.names.paths(owner) if not f"{path}.".startswith(_SETTINGS)]
        if foreign or (of_class and not of_own_class):
            yield f"assigns to {text}, which is not the answer's own"
        elif isinstance(owner, ast.Name) and owner.id not in self.names.bound and not text.endswith("]"):
            yield f"assigns to {text}, and {owner.id} is not made in this cell"

    def _call(self, node: ast.Call) -> Iterator[str]:
        function, args = _text(node.func).rpartition(".")[2], node.args
        match function:
            case "getattr" | "setattr" | "hasattr" | "delattr":
                name = args[1].value if len(args) > 1 and isinstance(args[1], ast.Constant) else None
                if not isinstance(name, str) or isinstance(args[0], ast.Starred):
                    yield f"uses {function} with a name that is computed"
                elif is_hidden(name) or not all(may_be_used(f"{path}.{name}") for path in self.names.paths(args[0])):
                    yield f"uses {name}"
                elif function in ("setattr", "delattr"):
                    if is_dunder(name) and name not in _MAY_BE_SET:
                        yield f"assigns to {name}"
                    yield from self._assignment(args[0], f"{_text(args[0])}.{name}")
            case "attrgetter" | "methodcaller":
                for arg in args if function == "attrgetter" else args[:1]:
                    if not isinstance(arg, ast.Constant):
                        yield f"uses {function} with a name that is computed"
                    elif any(map(is_hidden, str(arg.value).split("."))):
                        yield f"uses {arg.value}"
            case "wraps" if len(args) != 1 or isinstance(args[0], ast.Starred) or node.keywords:
                yield "uses wraps with more than a function"
            case "dataclass" | "total_ordering" if any(map(self.names.paths, args)):
                yield f"uses {function} on a class that is not the answer's own"

    def _format(self, template: ast.AST) -> Iterator[str]:
        """A format string reads attributes: `"{0.name}".format(x)`."""
        templates = [template]
        if isinstance(template, ast.Name | ast.Attribute):
            name = template.id if isinstance(template, ast.Name) else f".{template.attr}"
            templates = [value for bound, value in self.names.pairs if bound == name]
        if isinstance(template, ast.Name) and template.id == "str":
            templates = [None]
        for text in map(_constant_text, templates):
            if text is None:
                yield "formats with a text that is computed"
                continue
            try:
                fields = [field for part in Formatter().parse(text) for field in part[1:3] if field]
            except ValueError:
                continue
            if any(map(is_hidden, re.findall(r"\w+", " ".join(fields)))):
                yield f"uses the format {text[:40]!r}"


def _constant_text(node: ast.AST | None) -> str | None:
    match node:
        case ast.Constant(str(text)):
            return text
        case ast.BinOp(left, ast.Add(), right):
            texts = _constant_text(left), _constant_text(right)
            return None if None in texts else "".join(texts)
        case ast.BinOp(text, ast.Mult()):
            return _constant_text(text)
    return None


def _text(node: ast.AST) -> str:
    """How messages name an expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id if isinstance(node, ast.Name) else "(…)", *parts[::-1]])


def _in_text_annotations(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of annotations that are written as text: some functions evaluate them."""
    for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        for part in ast.walk(annotation) if annotation else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                try:
                    inside = ast.parse(part.value.strip(), mode="eval")
                except (SyntaxError, ValueError):
                    continue
                yield from (ast.copy_location(inner, part) for inner in ast.walk(inside.body))


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that bind names of the cell itself, imports aside."""
    for field, value in ast.iter_fields(node):
        if field == "body" and isinstance(node, (*FUNCTION, ast.ClassDef, ast.Lambda)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.arg | ast.Import | ast.ImportFrom):
                yield child
                yield from _outside_functions(child)
