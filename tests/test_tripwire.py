"""What answers change of what judges them is told; what torch changes by itself is not."""

import builtins
import json
import linecache
import math
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
import torch
import torch.autograd.gradcheck
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import handgrad.check
import handgrad.observe
from handgrad.audit.subject import Subject
from handgrad.exercises import EXERCISES
from handgrad.grading import tripwire
from handgrad.observe import observe


def fake(*args: object, **kwargs: object) -> None:
    """Stands in for something."""


GRADCHECK = sys.modules["torch.autograd.gradcheck"]
EXERCISE = EXERCISES["my_relu"]

TAMPERINGS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "torch.relu was replaced": lambda patch: patch.setattr(torch, "relu", fake),
    "torch.relu was removed": lambda patch: patch.delattr(torch, "relu"),
    "torch.len was added": lambda patch: patch.setattr(torch, "len", fake, raising=False),
    "torch.Tensor.backward was replaced": lambda patch: patch.setattr(torch.Tensor, "backward", fake),
    "torch.Tensor.relu was added": lambda patch: patch.setattr(torch.Tensor, "relu", fake),
    "torch.autograd.grad was replaced": lambda patch: patch.setattr(torch.autograd, "grad", fake),
    "torch.autograd.function.Function.apply was replaced": lambda patch: patch.setattr(torch.autograd.Function, "apply", fake),
    "torch.autograd.function.once_differentiable was replaced": lambda patch: patch.setattr(
        torch.autograd.function, "once_differentiable", fake
    ),
    "torch.autograd.gradcheck.gradcheck was replaced": lambda patch: patch.setattr(GRADCHECK, "gradcheck", fake),
    "torch.nn.Linear was replaced": lambda patch: patch.setattr(torch.nn, "Linear", fake),
    "torch.nn.functional.relu was replaced": lambda patch: patch.setattr(torch.nn.functional, "relu", fake),
    "torch.nn.functional.relu was rewritten": lambda patch: patch.setattr(torch.nn.functional.relu, "__code__", fake.__code__),
    "torch.nn.functional.gelu was removed": lambda patch: patch.delattr(torch.nn.functional, "gelu"),
    "torch.linalg.solve was replaced": lambda patch: patch.setattr(torch.linalg, "solve", fake),
    "torch.nn.modules.module.Module.__call__ was replaced": lambda patch: patch.setattr(torch.nn.Module, "__call__", fake),
    "torch.nn.parameter.Parameter.__add__ was added": lambda patch: patch.setattr(torch.nn.Parameter, "__add__", fake),
    "torch.nn.modules.linear.Linear.forward was replaced": lambda patch: patch.setattr(torch.nn.Linear, "forward", fake),
    "_global_forward_hooks.1 was added": lambda patch: patch.setitem(torch.nn.modules.module._global_forward_hooks, 1, fake),
    "builtins.isinstance was replaced": lambda patch: patch.setattr(builtins, "isinstance", lambda *_: True),
    "builtins.helper was added": lambda patch: patch.setattr(builtins, "helper", fake, raising=False),
    "math.isclose was replaced": lambda patch: patch.setattr(math, "isclose", fake),
    "json.dumps was replaced": lambda patch: patch.setattr(json, "dumps", fake),
    "linecache.getlines was replaced": lambda patch: patch.setattr(linecache, "getlines", fake),
    "sys.modules.handgrad.observe was replaced": lambda patch: patch.setitem(sys.modules, "handgrad.observe", torch),
    "sys.modules.torch was removed": lambda patch: patch.delitem(sys.modules, "torch"),
    "sys.excepthook was replaced": lambda patch: patch.setattr(sys, "excepthook", fake),
    "sys.displayhook was replaced": lambda patch: patch.setattr(sys, "displayhook", fake),
    "sys.settrace was replaced": lambda patch: patch.setattr(sys, "settrace", fake),
    "sys.meta_path was replaced": lambda patch: patch.setattr(sys, "meta_path", sys.meta_path[:]),
    "handgrad.check.RECORD was replaced": lambda patch: patch.setattr(sys.modules["handgrad.check"], "RECORD", "x"),
    "handgrad.check.print was added": lambda patch: patch.setattr(sys.modules["handgrad.check"], "print", fake, raising=False),
    "handgrad.observe.observe_probe was replaced": lambda patch: patch.setattr(handgrad.observe, "observe_probe", fake),
    "handgrad.observe.source_of was rewritten": lambda patch: patch.setattr(
        handgrad.observe.source_of, "__code__", fake.__code__
    ),
    "handgrad.observe.source_of was rewritten by its defaults": lambda patch: patch.setattr(
        handgrad.observe.source_of, "__defaults__", (1,)
    ),
    "handgrad.audit.subject.Subject.__init__ was replaced": lambda patch: patch.setattr(Subject, "__init__", fake),
    "EXERCISES.my_relu was replaced": lambda patch: patch.setitem(EXERCISES, "my_relu", None),
    "an exercise's reference was replaced": lambda patch: patch.setitem(vars(EXERCISE), "reference", fake),
    "probes.0.observe was replaced": lambda patch: patch.setitem(vars(EXERCISE.probes[0]), "observe", fake),
}


@pytest.mark.parametrize("words", TAMPERINGS)
def test_a_change_is_told(words):
    changed = tripwire.arm()
    assert changed() == []
    with pytest.MonkeyPatch.context() as patch:
        TAMPERINGS[words](patch)
        found = changed()
    assert any(words.removesuffix(" by its defaults") in what for what in found), found
    assert len(found) < 6


def test_a_finder_that_is_added_is_told():
    changed = tripwire.arm()
    sys.meta_path.append(fake)
    try:
        assert changed() == ["sys.meta_path was changed"]
    finally:
        sys.meta_path.remove(fake)


def test_it_can_be_asked_again():
    changed = tripwire.arm()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "relu", fake)
        assert changed() == changed() == ["torch.relu was replaced"]
        patch.setattr(math, "pi", 3)
        patch.setattr(math, "sin", fake)
        assert sorted(changed()) == ["math.sin was replaced", "torch.relu was replaced"]
    assert changed() == []


class _Function(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class _Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def test_modes_and_traces_are_told():
    changed = tripwire.arm()
    with _Function():
        assert changed() == ["a mode that intercepts torch's functions was set"]
    with _Dispatch():
        assert changed() == ["a mode that intercepts torch's operators was set"]
    before = sys.getprofile()
    sys.setprofile(lambda *_: None)
    try:
        found = changed()
    finally:
        sys.setprofile(before)
    assert found == ["a profile function was set"]
    assert changed() == []


def test_a_replaced_builtin_blinds_nothing():
    changed = tripwire.arm()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch, "relu", fake)
        patch.setattr(builtins, "all", lambda *_: True)
        patch.setattr(builtins, "map", lambda *_: ())
        found = changed()
    assert sorted(found) == ["builtins.all was replaced", "builtins.map was replaced", "torch.relu was replaced"]


def test_what_torch_does_by_itself_is_not_told():
    changed = tripwire.arm()
    for exercise in EXERCISES.values():
        observe(exercise, exercise.reference, seed=3)
        assert changed() == [], exercise.name
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(torch.sin, x)
    torch.autograd.gradgradcheck(torch.sin, x)
    torch.func.vmap(torch.func.grad(torch.sin))(torch.ones(2))
    torch.testing.assert_close(x, x)
    torch.optim.SGD([x], lr=0.1).step()
    torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.set_default_device("cpu")
    try:
        assert changed() == []
    finally:
        torch.set_default_dtype(before)
        torch.set_default_device(None)
    assert changed() == []


def test_it_is_kept_nowhere():
    changed = tripwire.arm()
    modules = list(sys.modules.values())
    assert not [module for module in modules if any(value is changed for value in list(getattr(module, "__dict__", {}).values()))]


def test_it_is_fast():
    changed = tripwire.arm()
    times = []
    for _ in range(20):
        start = time.process_time()
        changed()
        times.append(time.process_time() - start)
    assert min(times) < 0.010  # a millisecond on an idle machine


IN_THE_SHELL = {
    "pass": [],
    "x = 1\nx": [],
    "1 / 0": [],
    "def f(:": [],
    "%time y = 1": [],
    "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1])\nplt.show()": [],
    "from handgrad import check\ncheck('my_relu', 1)": [],
    "import warnings\nwarnings.simplefilter('ignore')": [],
    "class A(torch.nn.Linear):\n    def forward(self, x): return x\nA(2, 2)(torch.ones(2))": [],
    "ip.showtraceback = f": ["IPython's _Shell.showtraceback was added"],
    "ip.run_cell = f": ["IPython's _Shell.run_cell was added"],
    "ip.run_code = f": ["IPython's _Shell.run_code was added"],
    "type(ip)._showtraceback = f": ["handgrad.warm.shell._Shell._showtraceback was replaced"],
    "InteractiveShell.run_cell_async = f": ["InteractiveShell.run_cell_async was replaced"],
    "ip.display_pub.publish = f": ["IPython's _Publisher.publish was added"],
    "type(ip.display_pub).publish = f": ["handgrad.warm.shell._Publisher.publish was replaced"],
    "ip.display_pub = f": ["IPython's shell.display_pub was replaced"],
    "ip.displayhook = f": ["IPython's shell.displayhook was replaced"],
    "ip.ast_transformers.append(f)": ["IPython's ast_transformers was changed"],
    "ip.input_transformers_post.append(f)": ["IPython's input_transformers_post was changed"],
    "ip.input_transformers_cleanup.append(f)": ["IPython's cleanup_transforms was changed"],
    "ip.events.register('pre_run_cell', lambda *a: 0)": ["IPython's event pre_run_cell was changed"],
    "ip.set_custom_exc((ValueError,), lambda *a: 0)": [
        "IPython's shell.custom_exceptions was replaced",
        "IPython's shell.CustomTB was",
    ],
    "import handgrad.warm.shell as s\ns._say = f": ["handgrad.warm.shell._say was replaced"],
    "import handgrad.warm.shell as s\ns._wire = f": [],
}

PROGRAM = """
import contextlib, io, json, sys
from handgrad.warm import shell
shell.build()
import handgrad.check, handgrad.observe, torch
from handgrad.grading import tripwire
from IPython.core.interactiveshell import InteractiveShell
shell._shell.push({"ip": shell._shell, "InteractiveShell": InteractiveShell, "torch": torch, "f": lambda *a, **k: None})
run, found = shell._shell.run_cell, {}
for cell in json.loads(sys.stdin.read()):
    ip = shell._shell
    owners = (ip, ip.display_pub, type(ip), type(ip.display_pub), InteractiveShell)
    kept = [(owner, dict(vars(owner))) for owner in owners]
    changed = tripwire.arm()
    with contextlib.redirect_stdout(io.StringIO()):
        run(cell, store_history=False)
    found[cell] = changed()
    for owner, before in kept:
        for name in [name for name in vars(owner) if name not in before]:
            delattr(owner, name)
        for name, value in before.items():
            if vars(owner)[name] is not value:
                setattr(owner, name, value)
    for some in (ip.ast_transformers, ip.input_transformers_post, ip.input_transformer_manager.cleanup_transforms):
        while ip.user_ns["f"] in some:
            some.remove(ip.user_ns["f"])
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found_in_the_shell() -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input=json.dumps(list(IN_THE_SHELL)),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("cell", IN_THE_SHELL)
def test_in_the_shell(cell, found_in_the_shell):
    found = found_in_the_shell[cell]
    assert len(found) == len(IN_THE_SHELL[cell]), found
    for words in IN_THE_SHELL[cell]:
        assert any(words in what for what in found), found
