"""Which modules and classes the names of a cell may stand for, and which of those an answer may use."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


MODULES = words(
    """torch numpy math cmath random itertools functools operator collections dataclasses typing enum time copy abc contextlib
    warnings re statistics fractions decimal numbers heapq bisect textwrap pprint matplotlib handgrad"""
)
# of packages; their other submodules are out of bounds, what is no module is not
_SUBMODULES = {
    "torch": words(
        """accelerator amp autograd backends compiler cuda distributions fft func functional library linalg masked mps nested nn
        optim quasirandom random return_types signal sparse special testing utils version"""
    ),
    "torch.nn": words("attention functional init modules parameter utils"),
    "torch.cuda": words("amp"),
    "torch.utils": words("checkpoint data"),
    "torch.utils.data": words(""),
    "numpy.ma": words(""),
    "numpy.lib": words("stride_tricks"),
    "numpy": words("dtypes exceptions fft lib linalg ma polynomial random strings testing typing version"),
    "matplotlib": words("axes cm collections colors dates figure gridspec lines patches pyplot style ticker"),
}
# of modules whose other names reach into torch's own operators, its compiler, or any memory
_ONLY = {
    "torch.library": words("custom_op opcheck register_autograd register_fake"),
    "torch.compiler": words("disable is_compiling"),
    "numpy.lib": words("stride_tricks"),
    "numpy.lib.stride_tricks": words("sliding_window_view"),
}
OF_HANDGRAD = words("NotDone audit check device hint progress")
# what the answers of chapter 02 build on, by `from handgrad.engine import …`; the module itself stays out of reach
_OF_ENGINE = words("AccumulateGrad Add Clamp Function Mul Node Tensor each receivers topological_order")
# modules of Python's own that are seen inside others; torch and numpy have something of these names themselves
_FOREIGN = sys.stdlib_module_names - words("abc array copy math random select time trace typing")
_PACKAGES = words("torch numpy np handgrad matplotlib mpl Image rcsetup")

# out of bounds under whatever name they are reached
SYSTEM = words(
    """sys os builtins importlib imp inspect gc ctypes subprocess socket pickle threading multiprocessing linecache traceback
    shutil tempfile pathlib runpy marshal codeop pty bltns PIL dateutil cbook"""
)
FILES = words(
    """open load save hub jit cpp_extension ctypeslib f2py from_file fromfile tofile fromregex dump dumps memmap savefig imsave
    imread savetxt savez savez_compressed loadtxt genfromtxt DataSource read_text write_text
    load_library import_module"""
)
INSIDES = words(
    """exec compile runstring rundocs ModuleType FunctionType CodeType mro ForwardRef get_type_hints update_wrapper switch_backend
    f_back f_builtins f_code f_globals f_lineno f_locals f_trace tb_frame tb_lasti tb_lineno tb_next gi_code gi_frame gi_yieldfrom
    cr_await cr_code cr_frame cr_origin ag_await ag_code ag_frame _C _ip"""
)
DUNDERS = frozenset(
    f"__{word}__"
    for word in words(
        """init new init_subclass set_name post_init class name qualname doc version all main slots match_args debug call
        class_getitem len length_hint getitem setitem delitem contains missing iter next reversed repr str format bytes bool int
        float complex index hash eq ne lt le gt ge enter exit aenter aexit aiter anext await get set delete getattr neg pos abs
        invert round trunc floor ceil add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv
        ifloordiv mod rmod divmod rdivmod pow rpow ipow matmul rmatmul imatmul and rand iand or ror ior xor rxor ixor lshift
        rlshift rshift rrshift"""
    )
)

# as the course's own cells import them; an answer may use them without importing them again
_BEFORE = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "np": "numpy",
    "math": "math",
    "plt": "matplotlib.pyplot",
    "handgrad": "handgrad",
}
_ALSO_FUNCTIONS = {"torch.autograd.gradcheck", *(f"handgrad.{name}" for name in OF_HANDGRAD)}
_PASS_ON = words("next iter list tuple set sorted reversed max min dict zip enumerate")
OWN = words("self cls")
FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_dunder(name: str) -> bool:
    """Whether a name is `__of_this_kind__`."""
    return len(name) > 4 and name.startswith("__") and name.endswith("__")


def is_hidden(name: str) -> bool:
    """Whether an attribute or a name is out of bounds, whatever it is one of."""
    return (
        name in FILES
        or name in INSIDES
        or name.lstrip("_") in SYSTEM
        or (is_dunder(name) and name not in DUNDERS)
        or name.startswith("register_module_")  # hooks on every module there is
    )


def is_module(path: str) -> bool:
    """Whether a dotted name is that of a module."""
    package, _, name = path.rpartition(".")
    return path not in _ALSO_FUNCTIONS and (name in _submodules(package) if package else name in MODULES)


def may_be_used(path: str) -> bool:
    """Whether an answer may use what a dotted name stands for."""
    parts = path.split(".")
    if parts[0] == "type":  # of something: a class that nobody knows
        return True
    if parts[0] not in MODULES:
        return False
    for number, part in enumerate(parts[1:], 1):
        package = ".".join(parts[:number])
        within = _SUBMODULES.get(package)
        if is_hidden(part) or (part.startswith("_") and part not in DUNDERS) or part in _PACKAGES:
            return False
        if within is not None and part in _submodules(package) and part not in within:
            return False
        if part in _FOREIGN and part not in (within or ()):
            return False
        if part not in _ONLY.get(package, (part,)):
            return False
    if parts[0] == "handgrad":
        of_engine = len(parts) > 2 and parts[1] == "engine" and parts[2] in _OF_ENGINE
        return len(parts) == 1 or of_engine or (len(parts) == 2 and parts[1] in OF_HANDGRAD)
    return parts[-2:-1] != ["testing"] or parts[-1].startswith("assert")


@cache
def _submodules(package: str) -> frozenset[str]:
    """The submodules of a package, without importing it."""
    top, *rest = package.split(".")
    spec = find_spec(top) if top in MODULES else None
    folders = [Path(place, *rest) for place in (spec and spec.submodule_search_locations) or ()]
    return frozenset(entry.name.partition(".")[0] for folder in folders if folder.is_dir() for entry in folder.iterdir())


class Names:
    """The dotted names of the modules and classes that each name of a cell may stand for, in whatever scope.

    They are followed through assignments, loops, defaults, arguments and what functions return. An attribute is kept as `.name`,
    what a function returns as `name()`.
    """

    def __init__(self, nodes: list[ast.AST]) -> None:
        self.imports = list(imports(nodes))
        self.bound = {name for node in nodes for name in binds(node)}
        self._functions = {node.name: node for node in nodes if isinstance(node, FUNCTION)}
        self._known: dict[str, set[str]] = defaultdict(set)
        before = _BEFORE | {name: f"handgrad.{name}" for name in OF_HANDGRAD - self.bound}
        for name, path in (*before.items(), *self.imports):
            self._known[name].add(path)
        self.pairs = [pair for node in nodes for pair in self._handed_on(node)]
        size = -1
        while size != (size := sum(map(len, self._known.values()))):
            for name, value in self.pairs:
                self._known[name] |= {path for path in self.paths(value) if _is_kind(path)}

    def paths(self, node: ast.AST | None) -> set[str]:
        """What an expression may be, as far as that was imported; `type` for the class of something."""
        match node:
            case ast.Name(name):
                return self._known.get(name, set())
            case ast.Attribute(value, name):
                return {f"{path}.{name}" for path in self.paths(value)} | self._known.get(f".{name}", set())
            case ast.Call(ast.Name("getattr"), [value, ast.Constant(str(name)), *_]):
                return {f"{path}.{name}" for path in self.paths(value)}
            case ast.Call(ast.Name("type"), [value]):
                return set() if isinstance(value, ast.Name) and value.id in OWN else {"type"}
            case ast.Call(ast.Name(name), args):
                return self._known.get(f"{name}()", set()).union(*(map(self.paths, args) if name in _PASS_ON else ()))
            case ast.Call(ast.Lambda() as function, args):
                return self.paths(function.body).union(*map(self.paths, args))
            case ast.Call() | ast.Compare() | ast.BinOp() | ast.UnaryOp() | ast.JoinedStr() | ast.Lambda() | None:
                return set()
            case ast.Subscript(value) | ast.DictComp(_, value) | ast.NamedExpr(_, value):
                return self.paths(value)
            case ast.ListComp(value) | ast.SetComp(value) | ast.GeneratorExp(value):
                return self.paths(value)
        return set().union(*map(self.paths, ast.iter_child_nodes(node)))

    def stands_for_module(self, node: ast.Name | ast.Attribute) -> bool:
        """Whether an expression is a module, by name. A variable that is called as the course calls a module is none."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        variable = root.id in _BEFORE and root.id in self.bound and root.id not in dict(self.imports)
        return not variable and any(map(is_module, self.paths(node)))

    def _handed_on(self, node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
        """What `node` binds, with the expression that it is bound to."""
        match node:
            case ast.Assign(targets, value):
                yield from (pair for target in targets for pair in _one_by_one(target, value))
            case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target, value):
                yield from _one_by_one(target, value)
            case ast.For(target, value) | ast.AsyncFor(target, value) | ast.comprehension(target, value):
                yield from _one_by_one(target, ast.Starred(value))
            case ast.Match(value, cases):
                yield from ((name, value) for case in cases for part in ast.walk(case.pattern) for name in binds(part))
            case ast.ClassDef(body=body):
                inside = [pair for statement in body for pair in self._handed_on(statement)]
                yield from ((f".{name}", value) for name, value in inside)
            case ast.Call(ast.Name(name), args, keywords) if name in self._functions:
                yield from zip(_positional(self._functions[name]), args, strict=False)
                yield from ((keyword.arg, keyword.value) for keyword in keywords if keyword.arg)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                yield from zip(_positional(node)[::-1], node.args.defaults[::-1], strict=False)
                yield from zip([arg.arg for arg in node.args.kwonlyargs], node.args.kw_defaults, strict=True)
                if isinstance(node, FUNCTION):
                    yield from ((f"{node.name}()", part.value) for part in ast.walk(node) if isinstance(part, ast.Return))


def _is_kind(path: str) -> bool:
    return path == "type" or is_module(path) or path.rpartition(".")[2][:1].isupper()


def _positional(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[str]:
    return [arg.arg for arg in function.args.posonlyargs + function.args.args]


def _one_by_one(target: ast.AST, value: ast.AST | None) -> Iterator[tuple[str, ast.AST | None]]:
    """`a, b = c, d` name by name; where they cannot be paired, each name in the target with the whole value."""
    match target, value:
        case ((ast.Tuple(targets) | ast.List(targets)), (ast.Tuple(values) | ast.List(values))) if len(targets) == len(values):
            starred = any(isinstance(part, ast.Starred) for part in targets + values)
            for part, its in zip(targets, values, strict=True):
                yield from _one_by_one(part, value if starred else its)
        case ((ast.Tuple(targets) | ast.List(targets)), _):
            for part in targets:
                yield from _one_by_one(part, value)
        case ((ast.Starred(part) | ast.Subscript(part)), _):
            yield from _one_by_one(part, value)
        case ast.Name(name), _:
            yield name, value
        case ast.Attribute(attr=name), _:
            yield f".{name}", value


def imports(nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    """The names that imports bind, and to what."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                yield (alias.asname, alias.name) if alias.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            yield from ((alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names)


def binds(node: ast.AST) -> list[str]:
    """The names that a node itself binds, in whatever scope."""
    match node:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.ExceptHandler(name=str(name)):
            return [name]
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name) | ast.arg(name):
            return [name]
        case ast.MatchAs(name=str(name)) | ast.MatchStar(str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.Import() | ast.ImportFrom():
            return [name for name, _ in imports([node])]
    return []
