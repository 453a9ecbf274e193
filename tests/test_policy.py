"""Which answers may be run: every honest one, odd ones too; and none of those that reach for what isn't theirs."""

import ast
import importlib
import json
import textwrap
import time
from pathlib import Path
from types import ModuleType

import pytest

from handgrad.grading.policy import MOST_BYTES, Problem, problems
from handgrad.grading.policy_names import MODULES, may_be_used

ROOT = Path(__file__).parents[1]

# files of the banks that an answer cell may not hold, and why
REFUSED = {
    "right/custom_op/by_library.py": "uses torch.library.Library",
    "wrong/compilable_linear/a_break_by_hand.py": "imports torch._dynamo",
    "wrong/compilable_linear/log_in_forward.py": "imports logging",
    "wrong/jvp/in_place_by_forward_ad_alone.py": "uses torch._C",
    "wrong/red_to_green/check_replaced.py": "gives check another meaning",
    "wrong/topological_order/recursion_limit_raised.py": "imports sys",
    "wrong/where_paths_part/isclose.py": "uses __import__",
    "wrong/your_operator/trains_on_everything.py": "imports sklearn",
}


def bank() -> list:
    folder = ROOT / "tests" / "answers"
    return [pytest.param(path, id=path.relative_to(folder).as_posix()) for path in sorted(folder.glob("*/*/*.py"))]


@pytest.mark.parametrize("path", bank())
def test_answers_of_the_bank_may_be_run(path):
    found = problems(path.read_text(encoding="utf-8"))
    why = REFUSED.get(path.relative_to(ROOT / "tests" / "answers").as_posix())
    if why:
        assert any(why in problem.text for problem in found)
    else:
        assert found == []


@pytest.mark.parametrize("kind", ["exercises", "solutions"])
def test_answer_cells_of_the_course_may_be_run(kind):
    cells = [cell for path in (ROOT / kind).glob("*.ipynb") for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    answers = [source for source in sources if source.startswith("# exercise:")]
    assert len(answers) >= 10
    assert [problem for source in answers for problem in problems(source)] == []


HONEST = {
    "class with a property": """
        class Layer(nn.Module):
            def __init__(self, n: int = 3) -> None:
                super().__init__()
                self._n = n
                self.register_buffer("scale", torch.ones(n))
            @property
            def n(self): return self._n
            @n.setter
            def n(self, value): self._n = value
            def __repr__(self): return f"{type(self).__name__}({self._n!r})"
            def forward(self, x): return x * self.scale""",
    "closures and nonlocal": """
        def counted(f):
            calls = 0
            def inner(*args, **kwargs):
                nonlocal calls
                calls += 1
                inner.calls = calls
                return f(*args, **kwargs)
            return inner""",
    "decorator with wraps": """
        import functools
        from functools import wraps, lru_cache
        def loud(f):
            @wraps(f)
            def inner(*args):
                print(f.__name__, *args)
                return f(*args)
            return inner
        @loud
        def relu(x): return x.clamp(min=0)
        @functools.cache
        def twice(n): return 2 * n""",
    "numpy": """
        import numpy as np
        rng = np.random.default_rng(0)
        a = rng.normal(size=(3, 4)).astype(np.float32)
        np.testing.assert_allclose(a, a.copy(), rtol=1e-6)
        x = torch.from_numpy(a).requires_grad_()
        a[0, :] = 1
        np.set_printoptions(precision=3)
        print(np.linalg.norm(a), np.select([a > 0], [a]), np.trace(a), np.array([1]))""",
    "own tests with assert": """
        x = torch.tensor([1., -1.], requires_grad=True)
        y = MyReLU.apply(x)
        y.sum().backward()
        assert torch.equal(x.grad, torch.tensor([1., 0.])), x.grad
        torch.testing.assert_close(y, x.relu())
        x.grad = None
        del x.grad""",
    "plots": """
        %matplotlib inline
        import matplotlib.pyplot as plt
        from matplotlib import cm
        plt.rcParams["font.sans-serif"] = ["SimHei"]
        plt.rcParams.update({"figure.dpi": 100})
        fig, ax = plt.subplots(figsize=(6, 3))
        ax.plot(xs, ys, "--", label="relu", c=cm.viridis(0.5))
        ax.set_title("loss"); ax.legend(); plt.show()""",
    "f-strings and formats": """
        loss = 0.25
        print(f"{loss:.4f} {loss!r:>10} {type(loss).__name__} {{braces}}")
        print("{:5d} {:.3f}".format(1, loss), "{name}: {0}".format(1, name="x"), ("{:5} " * 3).format(1, 2, 3))
        line = "step {step}: " + "{loss:.3f}"
        print(line.format(step=1, loss=loss), "%5.2f" % loss)""",
    "timeit": """
        %timeit -n 10 -r3 torch.ones(3).relu()
        t = %timeit -o torch.ones(3) @ torch.ones(3)
        %time y = MyReLU.apply(x)""",
    "time a line of a loop": "for _ in range(3):\n    %time y = torch.ones(3) * 2\n",
    "help": "MyReLU?\ntorch.autograd.Function??\n",
    "type hints": """
        from __future__ import annotations
        from typing import Any, Optional, TYPE_CHECKING
        from collections.abc import Callable
        def f(x: "torch.Tensor", g: Callable[[torch.Tensor], Any] | None = None, n: Optional[int] = None) -> torch.Tensor:
            y: torch.Tensor = x
            return y""",
    "match": """
        def size(x):
            match x:
                case torch.Tensor(shape=s) if len(s) > 1: return s
                case (a, *rest) | [a, *rest]: return a
                case {"w": w, **others}: return w
                case int(n) | float(n): return n
                case _: return None""",
    "lambdas": """
        relu, grad = lambda x: x.clamp(min=0), (lambda x, g=1.0: g * (x > 0))
        print(list(map(lambda t: t ** 2, [1, 2])))""",
    "module with parameters": """
        from torch import nn, optim
        import torch.nn.functional as F
        class Net(nn.Module):
            def __init__(self):
                super(Net, self).__init__()
                self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(2)])
                self.w = nn.Parameter(torch.empty(2))
                nn.init.normal_(self.w)
                self.register_parameter("bias", None)
                self.act = nn.ReLU
                for m in self.modules():
                    if isinstance(m, nn.Linear):
                        m.bias.data.zero_()
                        m.weight.requires_grad = False
            def forward(self, x):
                for layer in self.layers: x = self.act()(layer(x))
                return F.relu(x)
        model = Net(); model.eval(); model.train()
        model.w.data = torch.zeros(2)
        model.layers[0].weight.data[0] = 1
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        optimizer.param_groups[0]["lr"] *= 0.5
        for p in model.parameters(): p.grad = None
        for name, p in model.named_parameters(): p.requires_grad_(name != "w")
        state = model.state_dict(); model.load_state_dict(state)""",
    "hooks": """
        seen = []
        x = torch.ones(2, requires_grad=True)
        handle = x.register_hook(lambda g: seen.append(g.clone()))
        model.register_forward_hook(lambda m, i, o: seen.append(o))
        handle.remove()
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): y = x * x
        print(y.grad_fn, y.grad_fn.next_functions[0][0], y.grad_fn._saved_self, x._version)""",
    "named tuples and dataclasses": """
        from collections import namedtuple, defaultdict, deque, Counter, OrderedDict
        from dataclasses import dataclass, field
        from enum import Enum
        Point = namedtuple("Point", "x y")
        p = Point(1, 2)._replace(x=3)
        @dataclass(frozen=True, order=True)
        class Step:
            loss: float = 0.0
            weights: list["torch.Tensor"] = field(default_factory=list)
            def __post_init__(self): assert self.loss >= 0
        class Kind(Enum):
            RELU = 1""",
    "no_grad and friends": """
        with torch.no_grad(), warnings.catch_warnings():
            w -= 0.1 * w.grad
            w.grad.zero_()
        @torch.no_grad()
        def step(w): w.sub_(w.grad)
        torch.set_grad_enabled(True)
        with torch.enable_grad(): y = x * 2
        with torch.autograd.set_detect_anomaly(True): y.sum().backward()
        import warnings; warnings.simplefilter("ignore")""",
    "gradcheck": """
        from torch.autograd import gradcheck, gradgradcheck, Variable
        x = torch.randn(3, dtype=torch.float64, requires_grad=True)
        for test in (gradcheck, gradgradcheck): assert test(MyReLU.apply, (x,))
        print(torch.autograd.gradcheck(MyReLU.apply, x, eps=1e-6), torch.autograd.functional.jacobian(torch.exp, x))""",
    "Chinese": """
        # 激活函数：大于零的部分保留！
        class MyReLU(torch.autograd.Function):
            '''整流线性单元？'''
            变量 = 1
        print('完成', 变量 := 2)""",
    "walrus": "if (n := len([1, 2])) > 1 and (y := [last := v for v in range(n)]): print(n, last)",
    "once_differentiable": """
        from torch.autograd.function import once_differentiable, FunctionCtx
        class Double(torch.autograd.Function):
            generate_vmap_rule = True
            @staticmethod
            def forward(ctx, input, *args, **kwargs):
                ctx.save_for_backward(input)
                ctx.n, ctx._shape = 2, input.shape
                ctx.set_materialize_grads(False)
                return input * ctx.n
            @staticmethod
            @once_differentiable
            def backward(ctx, *grads):
                input, = ctx.saved_tensors
                return grads[0] * ctx.n if ctx.needs_input_grad[0] else None""",
    "state on the class": """
        class MyReLU(torch.autograd.Function):
            calls = 0
            @classmethod
            def count(cls): cls.calls += 1
            def other(self): type(self).calls += 1; self.__class__.calls += 1
        MyReLU.calls = 0
        MyReLU.last = None
        relu = MyReLU.apply""",
    "constant attributes by name": """
        class Bag:
            def __init__(self, **values):
                for value in values.values(): setattr(self, "value", value)
        print(getattr(Bag(), "value", None), hasattr(y, "grad_fn"), getattr(torch, "relu")(x), callable(getattr(nn, "ReLU")))""",
    "errors": """
        class WrongShape(ValueError):
            def __init__(self, *args, shape=()): super().__init__(*args); self.shape = shape
        try: raise WrongShape("no", shape=(1,)) from None
        except (WrongShape, RuntimeError) as error: print(type(error).__name__, str(error), error.args, error.shape)
        finally: print("end")""",
    "context manager and iterator": """
        import contextlib
        class Timer:
            def __enter__(self): self.start = time.perf_counter(); return self
            def __exit__(self, kind, error, trace): print(time.perf_counter() - self.start)
            def __iter__(self): yield from range(3)
            def __len__(self): return 3
            def __getitem__(self, i): return i
            def __call__(self, *a): return a
            def __eq__(self, other): return True
        import time
        with Timer() as timer: pass
        @contextlib.contextmanager
        def nothing(): yield""",
    "operator, itertools, functools, math": """
        import math, operator, itertools as it, copy, random
        from functools import reduce, partial
        print(reduce(operator.mul, [1, 2]), sorted([(1, 2)], key=operator.itemgetter(1)), list(it.product("a", repeat=2)))
        print(sorted([x], key=operator.attrgetter("requires_grad")), math.isclose(math.pi, 3), copy.deepcopy(model))
        print(random.random())
        half = partial(torch.mul, 0.5)""",
    "aliases of modules": """
        import torch as t
        F = torch.nn.functional
        nn, optim = torch.nn, torch.optim
        xp = np if isinstance(x, np.ndarray) else torch
        F.relu(t.ones(1))""",
    "variables called like modules": """
        N, C, F = x.shape
        w = x.view(N, F)[..., :F]
        f = [torch.empty(F) for F in (1, 2)]
        print(F, max(F, 2))
        device = torch.device('cpu'); print(device.type)""",
    "settings of the back end": """
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False
        torch.manual_seed(0)
        torch.set_default_dtype(torch.float64)""",
    "random data and a loader": """
        from torch.utils.data import TensorDataset, DataLoader
        for xb, yb in DataLoader(TensorDataset(x, y), batch_size=2, shuffle=True): print(xb.shape)""",
    "main": 'if __name__ == "__main__":\n    print(torch.__version__, __doc__)',
    "calls check itself": """
        from handgrad import check, hint, progress
        import handgrad
        check("my_relu", MyReLU)
        hint("my_relu", 2)
        handgrad.check("my_relu", MyReLU)
        progress()""",
    "func": """
        from torch.func import vjp, grad, vmap
        out, pull = vjp(torch.sin, x)
        print(pull(out), grad(torch.sin)(torch.tensor(1.0)))""",
    "metaclass-free oddities": """
        class A(torch.autograd.Function, object): pass
        B = type('B', (A,), {'n': 1})
        a, *b = 1, 2
        x[..., None][0] = 1
        x.data[:] = 0
        print(*b, sep='')
        async def f(): return 1""",
    "types of layers in a loop": """
        layers = []
        for kind in (nn.ReLU, nn.Tanh):
            layer = kind()
            layer.name = 'a'
            layers.append(layer)
        layers[0].x = 1
        made = {k: k() for k in [nn.ReLU]}
        made[nn.ReLU].y = 2""",
    "classes beside tensors": """
        kind, x = nn.ReLU, torch.ones(2)
        x.grad = None
        layers = [c() for c in (nn.ReLU, nn.Tanh)]
        layers[0].x = 1
        match {"w": x}:
            case {"w": w}: w.grad = None""",
    "a device of torch's": "from torch import device\nprint(device('cpu'), device.type)",
    "exit": "if x is None: exit()\n",
    "leftovers": "print(torch)\nhelp(MyReLU)\ndir(torch)\ntorch\n_ = [print(i) for i in range(2)]\n",
}


@pytest.mark.parametrize("name", HONEST)
def test_honest_answers_may_be_run(name):
    source = textwrap.dedent(HONEST[name]).strip("\n")
    assert problems(f"# exercise: my_relu\n{source}\n") == []


# each is (what it does, what of it the message must name)
ATTACKS = [
    ("import sys", "sys"),
    ("import os.path as p", "os.path"),
    ("from os import environ", "os.environ"),
    ("import torch.utils.cpp_extension", "cpp_extension"),
    ("from torch import hub", "torch.hub"),
    ("from torch import load as l", "torch.load"),
    ("from math import *", "*"),
    ("from . import exercises", "exercises"),
    ("from handgrad.exercises import EXERCISES", "handgrad.exercises"),
    ("import handgrad.exercises.relu as r", "handgrad.exercises"),
    ("import handgrad; handgrad.exercises.relu.reference", "handgrad.exercises"),
    ("import handgrad; handgrad.check.note_check", "handgrad.check.note_check"),
    ("from handgrad import observe", "handgrad.observe"),
    ("from handgrad import engine", "handgrad.engine"),
    ("import handgrad.engine as e", "handgrad.engine"),
    ("from handgrad.engine import run_backward", "handgrad.engine.run_backward"),
    ("from handgrad.engine import Tensor\nTensor.backward = f", "Tensor.backward"),
    ("from handgrad.engine import each\neach.__code__ = f", "each.__code__"),
    ("from importlib import import_module", "importlib"),
    ("from __future__ import barry_as_FLUFL", "barry_as_FLUFL"),
    ("__import__('os').system('id')", "__import__"),
    ("__builtins__['eval']('1')", "__builtins__"),
    ("eval('1')", "eval"),
    ("e = exec", "exec"),
    ("list(map(exec, ['1']))", "exec"),
    ("open('/etc/passwd')", "open"),
    ("globals()['check'] = None", "globals"),
    ("vars(torch)['relu'] = 1", "vars"),
    ("torch.sys.modules", "torch.sys"),
    ("import random; random._os.environ", "random._os"),
    ("import collections.abc as c; c.sys", "c.sys"),
    ("import typing; typing.sys.modules", "typing.sys"),
    ("import dataclasses; dataclasses.sys", "dataclasses.sys"),
    ("import dataclasses; dataclasses.types.FunctionType", "dataclasses.types"),
    ("import contextlib; contextlib.os", "contextlib.os"),
    ("import enum; enum.bltns.eval('1')", "enum.bltns"),
    ("torch.utils.data.dataloader.python_multiprocessing", "torch.utils.data.dataloader"),
    ("torch.cuda.tunable.mp", "torch.cuda.tunable"),
    ("import copy; copy.copyreg", "copy.copyreg"),
    ("from copy import weakref", "copy.weakref"),
    ("import numpy; numpy.f2py.compile('')", "numpy.f2py"),
    ("np.load('x')", "np.load"),
    ("np.testing.measure('1')", "np.testing.measure"),
    ("np.lib.format", "np.lib"),
    ("np.ctypeslib.load_library('c', '.')", "np.ctypeslib"),
    ("torch.ones(3).numpy().tofile('x')", "tofile"),
    ("torch.ones(3).numpy().ctypes", "ctypes"),
    ("torch.hub.load('x', 'y')", "torch.hub"),
    ("torch.save(1, 'x')", "torch.save"),
    ("torch.jit.script", "torch.jit"),
    ("torch.compile(f)", "torch.compile"),
    ("torch.library.impl", "torch.library"),
    ("torch.fx.symbolic_trace", "torch.fx"),
    ("torch.overrides.TorchFunctionMode", "torch.overrides"),
    ("torch.ops.load_library('x.so')", "load_library"),
    ("torch._C._autograd", "torch._C"),
    ("torch.nn.functional.torch.hub", "torch"),
    ("nn.modules.module.register_module_forward_hook(f)", "register_module_forward_hook"),
    ("torch.__dict__['relu'] = f", "torch.__dict__"),
    ("torch.Tensor.__subclasses__()", "__subclasses__"),
    ("torch.Tensor.mro()", "mro"),
    ("().__class__.__base__.__subclasses__()", "__base__"),
    ("f.__globals__['x']", "__globals__"),
    ("(lambda: 0).__code__", "__code__"),
    ("print.__self__", "__self__"),
    ("f.__wrapped__", "__wrapped__"),
    ("import copy\nx.__reduce_ex__(2)", "__reduce_ex__"),
    ("class A:\n    def __reduce__(self): return f, ()", "__reduce__"),
    ("class A(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, *a): pass", "__torch_function__"),
    ("try: 1 / 0\nexcept Exception as e: e.__traceback__", "__traceback__"),
    ("class A:\n    def __exit__(self, a, b, tb): tb.tb_frame.f_back", "tb_frame"),
    ("(i for i in ()).gi_frame", "gi_frame"),
    ("async def f(): pass\nf().cr_frame", "cr_frame"),
    ("getattr(torch, 'h' + 'ub')", "computed"),
    ("getattr(torch, ''.join(['s', 'ys']))", "computed"),
    ("getattr(*(torch, 'sys'))", "getattr"),
    ("getattr(torch, 'sys')", "sys"),
    ("getattr(random, '_os')", "_os"),
    ("g = getattr", "getattr"),
    ("import functools\nfunctools.partial(getattr, torch)", "getattr"),
    ("setattr(torch, 'relu', f)", "torch.relu"),
    ("delattr(torch.Tensor, 'relu')", "torch.Tensor.relu"),
    ("import operator\noperator.attrgetter('sys.modules')(torch)", "sys.modules"),
    ("from operator import attrgetter as a", "attrgetter"),
    ("import operator\noperator.attrgetter('a' + 'b')", "computed"),
    ("import operator\noperator.methodcaller('__subclasses__')(object)", "__subclasses__"),
    ("import functools\nfunctools.update_wrapper(torch.relu, f)", "update_wrapper"),
    ("from functools import wraps\nwraps(f, ('__code__',))(F.relu)", "wraps"),
    ("from functools import wraps\nwraps(f, assigned=('__code__',))(F.relu)", "wraps"),
    ("from dataclasses import dataclass\ndataclass(nn.Module)", "dataclass"),
    ("torch.relu = f", "torch.relu"),
    ("torch.Tensor.backward = f", "torch.Tensor.backward"),
    ("F.relu = f", "F.relu"),
    ("import torch as T\nT.nn.functional.relu += f", "T.nn.functional.relu"),
    ("t = torch\nt.relu = f", "t.relu"),
    ("for m in (torch,): m.relu = f", "torch"),
    ("for c in (torch.Tensor, nn.Module): c.relu = f", "c.relu"),
    ("for torch.relu in [f]: pass", "torch.relu"),
    ("with f() as torch.relu: pass", "torch.relu"),
    ("[0 for torch.relu in [f]]", "torch.relu"),
    ("a, (torch.relu, *b) = 1, (f, 2)", "torch.relu"),
    ("a, *torch.Tensor.x = [f]", "torch.Tensor.x"),
    ("del torch.Tensor.backward", "torch.Tensor.backward"),
    ("def p(m):\n    m.relu = f\np(torch.Tensor)", "m.relu"),
    ("def p(m=torch.Tensor): m.relu = f", "m.relu"),
    ("p = lambda m=torch.Tensor: setattr(m, 'relu', f)", "m.relu"),
    ("def p(): return torch.Tensor\np().relu = f", "relu"),
    ("def p(m): return m\np(torch.Tensor).relu = f", "relu"),
    ("(lambda m: m)(torch.Tensor).relu = f", "relu"),
    ("next(iter([torch.Tensor])).relu = f", "relu"),
    ("[torch.Tensor][0].relu = f", "relu"),
    ("{'a': torch.Tensor}['a'].relu = f", "relu"),
    ("class A:\n    c = torch.Tensor\nA.c.relu = f", "A.c.relu"),
    ("class A: pass\nA.c = torch.Tensor\nA.c.relu = f", "A.c.relu"),
    ("(c := torch.Tensor).relu = f", "relu"),
    ("match torch.Tensor:\n    case c: c.relu = f", "c.relu"),
    ("match [torch.Tensor]:\n    case [c]: c.relu = f", "c.relu"),
    ("match x:\n    case object(sys=s): pass", "sys"),
    ("type(x).relu = f", "relu"),
    ("T = type(x)\nT.relu = f", "T.relu"),
    ("x.__class__.relu = f", "relu"),
    ("x.__class__ = A", "__class__"),
    ("class A(metaclass=torch.sys): pass", "torch.sys"),
    ("class A(x=eval): pass", "eval"),
    ("def f(x=eval): pass", "eval"),
    ("f = lambda x=open: x", "open"),
    ("@eval\ndef f(): pass", "eval"),
    ("[x for eval in [1]]; eval", "eval"),
    ("def f(x: '__import__(\"os\")'): pass", "__import__"),
    ("def f() -> 'torch.sys': pass", "torch.sys"),
    ("from dataclasses import dataclass\n@dataclass\nclass A:\n    x: 'eval(\"1\")' = 1", "eval"),
    ("from typing import get_type_hints", "get_type_hints"),
    ("from typing import ForwardRef", "ForwardRef"),
    ("'{0.__class__.__mro__}'.format(x)", "format"),
    ("t = '{0.' + '__globals__}'\nt.format(f)", "format"),
    ("''.join(['{0.', '__globals__}']).format(f)", "format"),
    ("str.format('{0.__globals__}', f)", "format"),
    ("f'{torch.sys}'", "torch.sys"),
    ("check = lambda *a: print('done')", "check"),
    ("def check(*a): pass", "check"),
    ("class torch: relu = 1", "torch"),
    ("import numpy as torch", "numpy as torch"),
    ("from math import sqrt as check", "check"),
    ("def f():\n    global check\n    check = 1", "check"),
    ("for hint in [1]: pass", "hint"),
    ("try: 1 / 0\nexcept Exception as check: pass", "check"),
    ("[check := 1 for _ in 'a']", "check"),
    ("def f(x=(torch := 1)): pass", "torch"),
    ("check.x = 1", "check.x"),
    ("from handgrad import check as c\nc.x = 1", "c.x"),
    ("stranger.relu = f", "stranger"),
    ("import sys as s, math", "sys"),
    ("import operator\na = operator.attrgetter", "attrgetter"),
    ("f(torch.nn)", "torch.nn"),
    ("torch.Tensor.x[0] = f", "torch.Tensor.x"),
    ("def g(): pass\ng.__init__ = f", "g.__init__"),
    ("def g(): pass\nsetattr(g, '__init__', f)", "__init__"),
    ("getattr(torch, 'Tensor').relu = f", "relu"),
    ("t: type = torch.Tensor\nt.relu = f", "t.relu"),
    ("(t := torch.Tensor)\nt.relu = f", "t.relu"),
    ("def p(m):\n    m.relu = f\np(m=torch.Tensor)", "m.relu"),
    ("def p(*, m=torch.Tensor): m.relu = f", "m.relu"),
    ("for a, b in [(torch.Tensor, 1)]: a.relu = f", "a.relu"),
    ("a, *b = 1, torch.Tensor\nb[0].relu = f", "relu"),
    ("d = {}\nd[0] = torch.Tensor\nd[0].relu = f", "relu"),
    ("exit._ip.user_ns", "_ip"),
    ("e = exit", "exit"),
    ("get_ipython().user_ns", "get_ipython"),
    ("ip = get_ipython\nip()", "get_ipython"),
    ("get_ipython().run_line_magic('load_ext', 'x')", "load_ext"),
    ("!pip install torch", "pip install torch"),
    ("a = !ls", "ls"),
    ("%%bash\nls", "%%bash"),
    ("%run x.py", "%run"),
    ("%cd /", "%cd"),
    ("%load_ext autoreload", "%load_ext"),
    ("%config InlineBackend.figure_format = 'svg'", "%config"),
    ("%%writefile x.py\n1", "%%writefile"),
    ("%matplotlib {open('x')}", "%matplotlib"),
    ("%time open('x')", "open"),
    ("%timeit -n 3 import sys", "sys"),
    ("%time --no-raise-error open('x')", "open"),
    ("%%time\nx = 1\n!ls", "ls"),
    ("%%timeit import os\npass", "os"),
    ("x = %timeit -o t.relu\nt = torch\n%time t.relu = f", "t.relu"),
    ("%time sx ls", "sx"),
    ("/open 'x'", "open"),
]


@pytest.mark.parametrize(("source", "named"), ATTACKS, ids=[source for source, _ in ATTACKS])
def test_attacks_have_a_problem_that_names_them(source, named):
    found = problems(f"{source}\nf = 1\n")
    assert found
    assert any(named in problem.text for problem in found), found
    assert all(problem.text.startswith(f"line {problem.line} ") and "no need" in problem.text for problem in found)


@pytest.mark.parametrize("source", ["sx ls", "ls", "cd /tmp", "time open('x')", "run(1)", "\n\n%time sx ls\n"])
def test_one_line_that_ipython_takes_for_a_command(source):
    assert "IPython's command" in problems(source)[0].text


def test_a_cell_may_be_timed():
    assert problems("%%time\n# exercise: my_relu\nfor _ in range(3):\n    y = 2 * x\n") == []
    assert problems("%%timeit -n 3 -r 2 y = 1\nx = 2 * y") == []
    assert problems("%timeit x") == []


def test_no_module_leads_by_its_attributes_to_one_that_may_not_be_imported():
    packages = ("torch.utils.data", "torch.utils.checkpoint", "torch.nn.functional", "matplotlib.pyplot", "collections.abc")
    waiting = [(importlib.import_module(name), name) for name in (*MODULES, *packages)]
    seen, foreign = set(), []
    while waiting:
        module, path = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        for name, value in list(vars(module).items()):
            if isinstance(value, ModuleType) and may_be_used(f"{path}.{name}"):
                waiting.append((value, f"{path}.{name}"))
                if value.__name__.split(".")[0] not in MODULES:
                    foreign.append(f"{path}.{name} is {value.__name__}")
    assert len(seen) > 100
    assert foreign == []


def test_lines_are_counted_as_the_learner_sees_them():
    assert problems("\n\nx = 1\n%time y = 2\n\nimport os") == [Problem(6, "line 6 imports os; answers have no need of it")]
    assert [problem.line for problem in problems("\n%%time\nx = 1\nimport os")] == [4]
    assert [problem.line for problem in problems("x = '''\n\n'''\n%timeit eval('1')\n\neval")] == [4, 6]


@pytest.mark.parametrize(
    "source", ["", "#", "def f(:", "x = 'a", "return = 1", "\0", "\ud800", "# exercise: a\nfor x in\n", "x = (", "%time"]
)
def test_what_is_not_python_is_for_the_shell_to_show(source):
    assert problems(source) == []


@pytest.mark.parametrize(
    "source",
    [
        "x = 1\n" * (MOST_BYTES // 5),
        "-" * 50_000 + "1",
        "x" + ".a" * 45_000,
        "1" + "+1" * 45_000,
        "x" + "[0]" * 30_000,
        "%time 1\n" * 5_000,
    ],
    ids=["long", "signs", "attributes", "sums", "items", "magics"],
)
def test_too_much_is_a_problem_and_no_error(source):
    start = time.monotonic()
    assert problems(source)
    assert time.monotonic() - start < 10


def test_a_long_honest_answer_is_read_in_no_time():
    source = "\n".join(
        textwrap.dedent(text) for name, text in HONEST.items() if not set("%?") & set(text) and "__future__" not in text
    )
    ast.parse(source)
    start = time.monotonic()
    assert len(source) > 7_000
    problems(source)
    assert time.monotonic() - start < 2
