"""What an answer has changed of what judges it: torch, Python, IPython, and the check.

It runs in the answer's own process, so an answer that knows it can outwit it. It is there to tell a teacher; that it is silent
proves nothing. Whether the numbers are right is judged elsewhere.
"""

import builtins
import json
import json.encoder
import operator
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache
from types import FunctionType, ModuleType

import torch._dynamo  # when it is first imported, torch replaces functions of its own
import torch.autograd.forward_ad
import torch.autograd.functional
import torch.autograd.gradcheck
import torch.func
import torch.nn.functional
import torch.overrides
import torch.testing
from IPython.core import display_functions
from IPython.core.interactiveshell import InteractiveShell
from torch.utils._device import DeviceContext

from handgrad.exercises import EXERCISES
from handgrad.exercises.exercise import Exercise

_TORCH = (
    *("torch", "torch._tensor", "torch.func", "torch.linalg", "torch.overrides", "torch.random", "torch.testing"),
    *("torch.nn", "torch.nn.functional", "torch.nn.modules.module", "torch.autograd"),
    *(f"torch.autograd.{name}" for name in ("forward_ad", "function", "functional", "grad_mode", "gradcheck", "graph")),
)
_CLASSES = (torch.Tensor, torch.autograd.Function, torch.autograd.function.FunctionCtx, torch.autograd.function.FunctionMeta)
_OF_SYS = ("modules", "meta_path", "path_hooks", "excepthook", "displayhook", "settrace", "setprofile", "exc_info")
_OF_SHELL = (
    *("events", "compile", "display_pub", "displayhook", "hooks"),
    *("CustomTB", "InteractiveTB", "SyntaxTB", "custom_exceptions"),
)
_TRAITS = ("ast_transformers", "input_transformers_post", "input_transformer_manager", "display_formatter")
_NOT_JUDGING = ("handgrad.grading", "handgrad.warm", "handgrad.progress", "handgrad.cli")
_SENDING = (display_functions, json, json.encoder, struct)  # by way of these a record leaves the process
FORGOTTEN = {"reference": None, "slips": ()}  # what an exercise holds where answers run: nothing that they may find
_CHANGE_BY_THEMSELVES = {"warnings", "linecache.cache", "handgrad.warm.shell._wire"}
_SET_BY_TORCH = "torch.Storage"  # with the default dtype

# a name, the names and values that are live, those that they had, and which new names count: None for all
_Table = tuple[str, Mapping[str, object], dict[str, object], frozenset[str] | None]


@cache
def armed() -> Callable[[], list[str]]:
    """`arm`, once: in the warm process for all of its children, whose memory is a copy of its own."""
    return arm()


def arm() -> Callable[[], list[str]]:
    """Remember how things are, before any answer runs.

    Returns:
        A function that says, in words, what has been replaced, rewritten, removed or added since.
    """
    from torch._dynamo.mutation_guard import install_generation_tagging_init

    install_generation_tagging_init()  # as torch.compile does at its first use: it puts its own __init__ on every Module
    tables = [(name, live, before, tuple(before.values()), counted) for name, live, before, counted in _tables()]
    lists, states = [(name, live, tuple(live)) for name, live in _lists()], list(_states())
    bodies = {}
    for table, _, before, _, _ in tables:
        for name, value in before.items():
            for function in _functions(value):
                bodies[id(function)] = (f"{table}.{name}", function, function.__code__, function.__defaults__)
    # torch and Python keep state in their modules: there only functions, classes and modules count
    may_change = {_SET_BY_TORCH}
    for table, _, before, _, _ in tables:
        if table in sys.modules and table != "sys" and not table.startswith("handgrad"):
            may_change |= {
                f"{table}.{name}" for name, value in before.items() if not (callable(value) or isinstance(value, ModuleType))
            }
    codes, absent = list(bodies.values()), object()
    functions, code_before, defaults_before = (tuple(body[place] for body in codes) for place in (1, 2, 3))
    code_of, defaults_of = operator.attrgetter("__code__"), operator.attrgetter("__defaults__")
    # by their numbers alone, since they are not to be kept
    forgotten = [(name, vars(one), id(vars(one)[name])) for one in EXERCISES.values() for name in FORGOTTEN]
    length, every, each, same = len, all, map, operator.is_  # as they are now

    def changed() -> list[str]:
        found = []
        for table, live, before, values, counted in tables:
            if length(live) == length(before) and every(each(same, live.values(), values)):
                continue
            for name, value in before.items():
                if live.get(name, absent) is not value and f"{table}.{name}" not in may_change:
                    found.append(f"{table}.{name} was {'replaced' if name in live else 'removed'}")
            if counted is None or counted:
                for name in live:
                    if name not in before and (counted is None or name in counted):
                        found.append(f"{table}.{name} was added")
        as_before = every(each(same, each(code_of, functions), code_before))
        if not (as_before and every(each(same, each(defaults_of, functions), defaults_before))):
            for name, function, code, defaults in codes:
                if function.__code__ is not code or function.__defaults__ is not defaults:
                    found.append(f"{name} was rewritten")
        for name, live, before in lists:
            if length(live) != length(before) or not every(each(same, live, before)):
                found.append(f"{name} was changed")
        for name, ask, before in states:
            if ask() != before:
                found.append(f"{name} was set")
        for name, live, number in forgotten:
            if live.get(name, absent) is not FORGOTTEN[name] and id(live.get(name, absent)) != number:
                found.append(f"an exercise's {name} was replaced")
        return found

    return changed


def _tables() -> Iterator[_Table]:
    """Whatever has names that can be given another value."""
    yield "builtins", vars(builtins), dict(vars(builtins)), None
    layers = {kind for kind in vars(torch.nn).values() if isinstance(kind, type)}
    for kind in (*_CLASSES, *sorted(layers, key=str)):
        yield f"{kind.__module__}.{kind.__qualname__}", vars(kind), dict(vars(kind)), None
    own = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "handgrad"}
    fixed = {name: sys.modules[name] for name in (*own, *_TORCH)}
    yield "sys.modules", sys.modules, fixed, frozenset()
    yield "sys", vars(sys), {name: vars(sys)[name] for name in _OF_SYS}, frozenset()
    judging = [module for name, module in own.items() if not name.startswith(_NOT_JUDGING)]
    used = [value for module in judging for value in vars(module).values() if isinstance(value, ModuleType)]
    hiding = frozenset(vars(builtins))  # in a module, a new name counts that hides one of Python's own
    for module in {id(module): module for module in (*fixed.values(), *used, *_SENDING)}.values():
        if module not in (builtins, sys) and module.__name__ not in _CHANGE_BY_THEMSELVES:
            steady = {
                name: value for name, value in vars(module).items() if f"{module.__name__}.{name}" not in _CHANGE_BY_THEMSELVES
            }
            yield module.__name__, vars(module), steady, hiding
    seen: dict[int, object] = {}
    for name, module in own.items():
        for word in [word for word in vars(module) if not word.startswith("__")]:
            value = vars(module)[word]
            yield from _parts(f"{name}.{word}", value, seen)
    for word, value in vars(torch.nn.modules.module).items():
        if isinstance(value, dict) and word.startswith("_global_"):  # hooks on every module there is
            yield word, value, dict(value), None
    yield from _shell_tables()


def _parts(name: str, value: object, seen: dict[int, object]) -> Iterator[_Table]:
    """The tables in a value of the course's: in its classes, its dataclasses' objects, in dicts and tuples."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, tuple):
        inside = dict(enumerate(value))
    elif isinstance(value, dict):
        inside = value
    elif isinstance(value, type) and value.__module__.startswith("handgrad."):
        inside = vars(value)
    elif is_dataclass(value):
        inside = getattr(value, "__dict__", {})
    else:
        return
    if isinstance(value, Exercise):
        # not what a child forgets, which must not be kept here either
        kept = {key: part for key, part in inside.items() if key not in FORGOTTEN}
        yield name, inside, kept, frozenset(dir(value)) - {*kept, *FORGOTTEN}
    elif not isinstance(value, tuple):
        yield name, inside, dict(inside), None
    for key, part in list(inside.items()):
        if not (isinstance(value, Exercise) and key in FORGOTTEN):
            yield from _parts(f"{name}.{key}", part, seen)


def _shell_tables() -> Iterator[_Table]:
    if InteractiveShell.initialized():
        shell = InteractiveShell.instance()
        yield "IPython's shell", vars(shell), {name: vars(shell)[name] for name in _OF_SHELL}, frozenset()
        for item in (shell, shell.display_pub, shell.displayhook, shell.events, shell.compile):
            methods = frozenset(name for name in dir(type(item)) if callable(getattr(type(item), name)))
            hidden = {name: value for name, value in vars(item).items() if name in methods}
            yield f"IPython's {type(item).__name__}", vars(item), hidden, methods
        traits = shell._trait_values
        yield "IPython's shell", traits, {name: traits[name] for name in _TRAITS if name in traits}, frozenset()
        kinds = {kind for item in (shell, shell.display_pub, shell.displayhook) for kind in type(item).__mro__}
        for kind in sorted(kinds, key=str):
            if kind.__module__.startswith("IPython."):
                yield kind.__qualname__, vars(kind), dict(vars(kind)), None


def _lists() -> Iterator[tuple[str, list]]:
    yield "sys.meta_path", sys.meta_path
    yield "sys.path_hooks", sys.path_hooks
    if InteractiveShell.initialized():
        shell = InteractiveShell.instance()
        # those after a cell are left out: `%matplotlib inline` adds to them
        for event in ("pre_execute", "pre_run_cell", "post_run_cell"):
            yield f"IPython's event {event}", shell.events.callbacks[event]
        for name in ("ast_transformers", "input_transformers_post"):
            yield f"IPython's {name}", getattr(shell, name)
        for name, transforms in vars(shell.input_transformer_manager).items():
            yield f"IPython's {name}", transforms


def _states() -> Iterator[tuple[str, Callable[[], object], object]]:
    questions = {
        "a trace function": sys.gettrace,
        "a profile function": sys.getprofile,
        "a mode that intercepts torch's functions": _function_modes,
        "a mode that intercepts torch's operators": torch._C._len_torch_dispatch_stack,
    }
    for name, ask in questions.items():
        yield name, ask, ask()


def _function_modes() -> int:
    modes = [torch._C._get_function_stack_at(number) for number in range(torch._C._len_torch_function_stack())]
    return len([mode for mode in modes if not isinstance(mode, DeviceContext)])  # of `torch.set_default_device`


def _functions(value: object) -> list[FunctionType]:
    """The Python functions that a name stands for."""
    inside = (value, getattr(value, "__func__", None), value.fget if isinstance(value, property) else None)
    return [item for item in inside if isinstance(item, FunctionType)]
