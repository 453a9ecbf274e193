"""What `your_operator` asks of the Function and of the Module around it; that a backward is right is left to the audit."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn
from torch.autograd import Function

from handgrad.audit import audit
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described
from handgrad.audit.report import Outcome, Report
from handgrad.audit.subject import leaves
from handgrad.exercises.latest import Latest
from handgrad.exercises.torchs_own import torchs_name
from handgrad.exercises.watched import graph_of, nodes_of, watched

SECONDS = 60
RUNS = ("form", "repeats", "runs")  # without which the audit does not begin


def form(answer: object, draw: Draw) -> Iterator[Case]:
    parts = answer if isinstance(answer, (tuple, list)) else (answer,)
    function, module, train = (*parts, None, None, None)[:3]
    is_function = isinstance(function, type) and issubclass(function, Function)
    is_module = isinstance(module, type) and issubclass(module, nn.Module)
    kinds = (
        (is_function, function, "a subclass of torch.autograd.Function"),
        (is_module or (callable(module) and not isinstance(module, (nn.Module, type))), module, "a subclass of torch.nn.Module"),
        (callable(train) and not isinstance(train, type), train, "a function"),
    )
    seen: dict = {"number of parts": len(parts)}
    for place, (fits, part, kind) in zip(("first", "second", "third"), kinds, strict=True):
        seen[f"the {place} part"] = (
            kind if fits else (f"the class {part.__name__}" if isinstance(part, type) else described(part))
        )
    if is_function:
        seen["the Function has a backward"] = function.backward is not Function.backward or function.vjp is not Function.vjp
    yield {"given": "the answer itself", "seen": seen}


def _batch(draw: Draw, rows: int, dtype: torch.dtype = torch.float64) -> Tensor:
    scales = tensor([[1.0], [4.0], [0.3], [2.0], [1.0]], dtype)  # something may happen far out only, or close to 0 only
    return draw.normal(rows, 64, dtype=dtype) * scales[:rows]


def _made(answer: tuple, draw: Draw, dtype: torch.dtype = torch.float64) -> nn.Module:
    """The learner's Module with its parameters moved off the values that they start with, at which much is special."""
    module = answer[1]()
    if not isinstance(module, nn.Module):
        return module
    module = module.to(_batch(draw, 1).device, dtype)
    with torch.no_grad():
        for parameter in module.parameters():
            u = 0.05 + draw.normal(*parameter.shape, dtype=dtype).abs().clamp(max=2) / 10
            parameter.copy_(torch.where(parameter == 0, u, parameter * (1 + u)))
    return module.eval()


def module(answer: tuple, draw: Draw) -> Iterator[Case]:
    module, x = _made(answer, draw, torch.float32), _batch(draw, 5, torch.float32)
    seen: dict = {"what YourModule() gives": "a Module" if isinstance(module, nn.Module) else described(module)}
    y = module(x.requires_grad_())
    seen["what it returns"] = "a tensor" if isinstance(y, Tensor) else described(y)
    if isinstance(y, Tensor):
        seen |= {"rows that it returns": y.shape[0] if y.dim() else 0, "all finite": bool(y.isfinite().all())}
        nodes = nodes_of(answer[0], y)
        seen["nodes of your Function in the graph, at least one"] = bool(nodes)
        ends = (getattr(below, "variable", None) for node in nodes for below in graph_of(node))
        seen["your Function is given what comes from the images"] = any(end is x for end in ends)
    yield {"given": "YourModule() called with 5 images, a float32 tensor of shape (5, 64)", "seen": seen}


def used(answer: tuple, draw: Draw) -> Iterator[Case]:
    module, x = _made(answer, draw), _batch(draw, 5)
    with torch.no_grad():
        y = module(x)
        with watched(answer[0], mixed=True):
            other = module(x)
    moved = (y - other).norm() > 0.01 * y.norm()
    given = "the same call twice; the second time the output of your Function is another"
    yield {"given": given, "seen": {"the output of the Module is another too": bool(moved)}}


def parameters(answer: tuple, draw: Draw) -> Iterator[Case]:
    module, x = _made(answer, draw), _batch(draw, 5)
    y = module(x.requires_grad_())
    known = {id(parameter) for parameter in module.parameters()} | {id(x)}
    ends = [node.variable for node in graph_of(y.grad_fn) if hasattr(node, "variable")]
    yield {
        "given": "the graph of YourModule() called with 5 images",
        "seen": {"leaves that are no parameters of the Module": sum(id(end) not in known for end in ends)},
    }
    y.backward(draw.normal(*y.shape))
    without = [name for name, p in module.named_parameters() if p.requires_grad and (p.grad is None or not p.grad.any())]
    yield {"given": "y.backward(g)", "seen": {"parameters that get no gradient": without}}


def state(answer: tuple, draw: Draw) -> Iterator[Case]:
    """What the Module knows lies in its state_dict."""
    module, x = _made(answer, draw), _batch(draw, 5)
    other = answer[1]().to(x.device, x.dtype).eval()
    other.load_state_dict(module.state_dict())
    with torch.no_grad():
        same = torch.equal(other(x), module(x))
    yield {"given": "another one with the state_dict of the first", "seen": {"it gives the same": same}}


def _call(answer: tuple, draw: Draw) -> tuple:
    """The arguments that the Module calls the Function with, for three images."""
    module, x = _made(answer, draw), _batch(draw, 3)
    with watched(answer[0]) as seen:
        module(x.requires_grad_())
    if seen.args is None:
        raise LookupError("the Module does not call the Function")
    return leaves(seen.args)


def new(answer: tuple, draw: Draw) -> Iterator[Case]:
    args = _call(answer, draw)
    with torch.no_grad():
        output = answer[0].apply(*args)
    outputs = output if isinstance(output, tuple) else (output,)
    names = [torchs_name(one, args) for one in outputs if isinstance(one, Tensor) and one.is_floating_point()]
    told = "an operation of your own" if not names or None in names else names[0]
    yield {"given": "what forward computes for three images", "seen": {"it is": told}}


def by_hand(answer: tuple, draw: Draw) -> Iterator[Case]:
    args = _call(answer, draw)
    output = answer[0].apply(*args)
    outputs = [one for one in (output if isinstance(output, tuple) else (output,)) if one.requires_grad]
    with watched(answer[0], tasks=True) as seen:
        torch.autograd.backward(outputs, [torch.ones_like(one) for one in outputs])
    yield {"given": "backward", "seen": {"it lets torch differentiate": seen.by_torch}}


def _audited(answer: tuple, draw: Draw) -> Report:
    return audit(answer[0], *_call(answer, draw), time_limit=SECONDS)


_report = Latest(_audited)


def audit_probe(name: str) -> Callable[[tuple, Draw], Iterator[Case]]:
    """What the audit's probe of this name found; `runs`, the first, begins the audit anew and has what stopped it."""

    def observe(answer: tuple, draw: Draw) -> Iterator[Case]:
        report = _report(answer, draw, anew=name == RUNS[-1])
        names = RUNS if name == RUNS[-1] else (name,)
        told = [one for one in report.outcomes if one.probe in names and one.outcome in ("failed", "advice")]
        seen = (*map(_in_one_line, told), "none")[0]
        yield {"given": "your Function, called as your Module calls it for three images", "seen": {"fault": seen}}

    return observe


def _in_one_line(outcome: Outcome) -> str:
    lines = [line for line in outcome.lines() if not line.startswith("book: ")]
    short = [line if len(line) < 200 else f"{line[:200]} …" for line in lines]
    return "; ".join(short if outcome.probe in RUNS else short[:-1])
