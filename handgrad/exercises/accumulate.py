"""The exercise `accumulate` of chapter 02: the walk back, which adds where ways meet and from call to call."""

from collections import Counter
from collections.abc import Callable, Iterator

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.engine import Function, Tensor, receivers, topological_order
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.topological_order import no_deeper_recursion, usual_recursion_limit

MOST_RUNS = 500
RUNGS = 25  # a walk along every path would take 2 ** 25 steps

Backward = Callable[[Tensor, Tensor], None]


class AccumulateGrad:
    """The node of a leaf. Unlike the engine's it does no work, since that is the learner's."""

    next_functions = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"


class _Rung(Function):
    """a + b, which notices how often its backward runs."""

    @staticmethod
    def forward(ctx, a, b, runs, name):
        ctx.runs, ctx.label = runs, name
        return Tensor(a.data + b.data)

    @staticmethod
    def backward(ctx, grad_output):
        ctx.runs[ctx.label] += 1
        if ctx.runs[ctx.label] > MOST_RUNS:
            raise RuntimeError(f"one node has run {MOST_RUNS} times")
        return grad_output, grad_output, None, None


class _Switch(Function):
    """a, where b only decides that it goes through: backward has no gradient for b."""

    @staticmethod
    def forward(ctx, b, a):
        return Tensor(a.data)

    @staticmethod
    def backward(ctx, grad_output):
        return None, grad_output


def _number(draw: Draw) -> float:
    return float(draw.integer(2, 9) * draw.choice([-1, 1]))


def _leaf(data: object) -> Tensor:
    leaf = Tensor(data, requires_grad=True)
    leaf.accumulate_grad = AccumulateGrad(leaf)
    return leaf


# how it is written, and what it computes from x, w and a constant c: all tensors by name, the last is y
Program = tuple[str, Callable[[Tensor, Tensor, Tensor], dict[str, Tensor]]]


def _diamond(x: Tensor, w: Tensor, c: Tensor) -> dict[str, Tensor]:
    a = x * w
    b = a + x
    return {"a": a, "b": b, "y": a * b}


def _mirrored(x: Tensor, w: Tensor, c: Tensor) -> dict[str, Tensor]:
    a = x * w
    b = x + a
    return {"a": a, "b": b, "y": b * a}


def _shortcuts(x: Tensor, w: Tensor, c: Tensor) -> dict[str, Tensor]:
    a = x * x
    b = a * w
    d = b + a
    return {"a": a, "b": b, "d": d, "y": x * (d * (w + d))}


CHAIN: Program = "a = x * w, y = a * c", lambda x, w, c: {"a": x * w, "y": (x * w) * c}
TWICE: Program = "y = x * x", lambda x, w, c: {"y": x * x}
DOUBLE: Program = "a = x + x, y = a + a", lambda x, w, c: {"y": (x + x) + (x + x)}
DIAMOND: Program = "a = x * w, b = a + x, y = a * b", _diamond
MIRRORED: Program = "a = x * w, b = x + a, y = b * a", _mirrored
SHORTCUTS: Program = "a = x * x, b = a * w, d = b + a, y = x * (d * (w + d))", _shortcuts
CONSTANT: Program = "y = c * x + w * c, where c is a constant", lambda x, w, c: {"y": c * x + w * c}
SUM: Program = "y = x + w", lambda x, w, c: {"y": x + w}
MIDDLE: Program = "a = x + w, y = a + x", lambda x, w, c: {"a": x + w, "y": (x + w) + x}


def _run(program: Program, draw: Draw, data: Callable[[Draw], object] = _number) -> tuple[str, dict[str, Tensor]]:
    """A program on drawn leaves: its words, and its tensors by name, with an upstream gradient."""
    words, compute = program
    x, w = _leaf(data(draw)), _leaf(data(draw))
    c, upstream = Tensor(data(draw)), Tensor(data(draw))
    tensors = {"x": x, "w": w, "c": c, **compute(x, w, c), "upstream": upstream}
    used = [name for name in ("x", "w", "c") if name in words]
    numbers = ", ".join(f"{name} = {tensors[name].data}" for name in (*used, "upstream"))
    return f"{words}; {numbers}", tensors


def _grads(tensors: dict[str, Tensor]) -> dict:
    return {f"{name}.grad": _plain(tensors[name].grad) for name in ("x", "w")}


def _plain(grad: object) -> object:
    return plain(grad.data) if isinstance(grad, Tensor) else described(grad)


def _matrix(draw: Draw) -> list:
    return [[_number(draw) for _ in range(3)] for _ in range(2)]


def _form(answer: Backward, draw: Draw) -> Iterator[Case]:
    given, tensors = _run(CHAIN, draw)
    answer(tensors["y"], tensors["upstream"])
    grad = tensors["x"].grad
    seen = "a Tensor" if isinstance(grad, Tensor) else described(grad)
    yield {"given": given, "seen": {"x.grad after backward": seen}, "accept": {"x.grad after backward": ["a Tensor"]}}


def _values(*programs: Program, data: Callable[[Draw], object] = _number) -> Callable[[Backward, Draw], Iterator[Case]]:
    def observe(answer: Backward, draw: Draw) -> Iterator[Case]:
        for program in programs:
            given, tensors = _run(program, draw, data)
            answer(tensors["y"], tensors["upstream"])
            yield {"given": given, "seen": _grads(tensors)}

    return observe


def _drawn(answer: Backward, draw: Draw) -> Iterator[Case]:
    """Six operations, each on the tensor before and on one that is there already."""
    for _ in range(5):
        tensors = {"x": _leaf(_number(draw)), "w": _leaf(_number(draw))}
        lines = [f"{name} = {leaf.data}" for name, leaf in tensors.items()]
        for name in "abdefy":
            left, right = draw.shuffled([list(tensors)[-1], draw.choice(list(tensors))])
            sign = draw.choice(["+", "*"])
            first, second = tensors[left], tensors[right]
            tensors[name] = first + second if sign == "+" else first * second
            lines.append(f"{name} = {left} {sign} {right}")
        upstream = Tensor(_number(draw))
        answer(tensors["y"], upstream)
        yield {"given": f"{', '.join(lines)}; upstream = {upstream.data}", "seen": _grads(tensors), "tolerance": [1e-9, 0.0]}


def _nothing(answer: Backward, draw: Draw) -> Iterator[Case]:
    """A backward may return None: then nothing arrives behind that edge, and what came on another way stays."""
    for start in ("", "s + "):
        x, w, upstream = _leaf(_number(draw)), _leaf(_number(draw)), Tensor(_number(draw))
        square = w * w
        y = _Switch.apply(square, x)
        answer(square + y if start else y, upstream)
        given = f"y = {start}Switch.apply(s, x), where s = w * w and Switch's backward returns (None, grad_output)"
        yield {"given": f"{given}; upstream = {upstream.data}", "seen": _grads({"x": x, "w": w})}


def _two_calls(answer: Backward, draw: Draw) -> Iterator[Case]:
    """A leaf keeps its sum from call to call; a node keeps nothing."""
    given, tensors = _run(DIAMOND, draw)
    answer(tensors["y"], tensors["upstream"])
    answer(tensors["y"], tensors["upstream"])
    yield {"given": f"{given}; backward(y, upstream) twice", "seen": _grads(tensors)}
    x, upstream = tensors["x"], Tensor(_number(draw))
    answer(x * x, upstream)
    yield {"given": f"then backward(x * x, {upstream.data})", "seen": _grads(tensors)}
    x.grad = Tensor(0.0)
    answer(x * x, upstream)
    yield {"given": f"then x.grad set to zero, and backward(x * x, {upstream.data})", "seen": _grads(tensors)}


def _left_alone(answer: Backward, draw: Draw) -> Iterator[Case]:
    """Gradients of leaves alone are kept, and no Tensor that others hold is changed: a sum hands the same one to both."""
    for program in (SUM, MIDDLE, DIAMOND):
        given, tensors = _run(program, draw)
        nodes = topological_order(tensors["y"].grad_fn)
        before = [set(vars(node)) for node in nodes]
        upstream, kept = tensors["upstream"], tensors["upstream"].data
        answer(tensors["y"], upstream)
        first = tensors["w"].grad
        first_data = _plain(first)
        answer(tensors["y"], upstream)
        new = {name for node, names in zip(nodes, before, strict=True) for name in set(vars(node)) - names}
        middle = [name for name in ("a", "b", "y") if name in tensors and tensors[name].grad is not None]
        yield {
            "given": f"{given}; backward(y, upstream) twice",
            "seen": {
                "tensors in the middle that have a grad": middle,
                "attributes left on nodes": sorted(new),
                "upstream changed": upstream.data != kept,
                "the first call's w.grad, kept by somebody, changed": _plain(first) != first_data,
                **_grads(tensors),
            },
            # torch changes it in place as well
            "accept": {"the first call's w.grad, kept by somebody, changed": [False, True]},
        }


def _kept(answer: Backward, draw: Draw) -> Iterator[Case]:
    """A leaf that nothing arrives at keeps the grad that it has."""
    x, w, upstream = _leaf(_number(draw)), _leaf(_number(draw)), Tensor(_number(draw))
    w.grad = Tensor(_number(draw))
    given = f"w.grad = {w.grad.data}, y = Switch.apply(w, x), whose backward returns (None, grad_output)"
    answer(_Switch.apply(w, x), upstream)
    yield {"given": f"{given}; upstream = {upstream.data}", "seen": _grads({"x": x, "w": w})}


def _once(answer: Backward, draw: Draw) -> Iterator[Case]:
    x, upstream, runs = _leaf(_number(draw)), Tensor(_number(draw)), Counter()
    y = x
    for rung in range(RUNGS):
        y = _Rung.apply(y, y, runs, rung)
    answer(y, upstream)
    given = f"{RUNGS} times y = y + y, beginning with x; upstream = {upstream.data}"
    yield {"given": given, "seen": {"runs of each node": sorted(set(runs.values())), "x.grad": _plain(x.grad)}}


def _deep(answer: Backward, draw: Draw) -> Iterator[Case]:
    x, upstream = _leaf(_number(draw)), Tensor(_number(draw))
    y = x
    for _ in range(5000):
        y = y + x
    with usual_recursion_limit():
        answer(y, upstream)
    yield {"given": f"5000 times y = y + x, beginning with x; upstream = {upstream.data}", "seen": {"x.grad": _plain(x.grad)}}


def backward(
    join: Callable = lambda old, new: old + new,
    keep: Callable = lambda old, new: old + new,
    order: Callable = topological_order,
    ones: bool = False,
    dropped: bool = False,
    on_nodes: bool = False,
) -> Backward:
    """The walk; with other arguments than the defaults one that is wrong in a known way."""

    def walk(y: Tensor, upstream: Tensor) -> None:
        arrived = {y.grad_fn: Tensor(1.0) if ones else upstream}
        for node in order(y.grad_fn):
            if node not in arrived:
                continue
            gradient = arrived.pop(node)
            if on_nodes:
                gradient = node.total = node.total + gradient if hasattr(node, "total") else gradient
            leaf = getattr(node, "variable", None)
            if leaf is not None:
                leaf.grad = gradient if leaf.grad is None else keep(leaf.grad, gradient)
                continue
            following = receivers(node) if dropped else [following for following, _ in node.next_functions]
            for receiver, part in zip(following, node(gradient), strict=False):
                if receiver is not None and part is not None:
                    arrived[receiver] = join(arrived[receiver], part) if receiver in arrived else part

    return walk


def _first_met(root: object, last: int = 0) -> list:
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop(last)
        if node not in found:
            found.append(node)
            waiting += receivers(node)
    return found


def _early(gradient: str) -> str:
    return f"{gradient} a node runs before all its gradients are there. Go through topological_order(y.grad_fn)."


_OVERWRITTEN = "Where two ways meet, one gradient replaces the other: add what arrives to what is there."
_NOTHING = "A backward may return None: nothing arrives there, and that node does not run."
_ALONG_EACH_PATH = (
    "A node runs again for each path that leads to it. "
    "Go through topological_order(y.grad_fn), sum up what arrives for each node, and run it once."
)

ACCUMULATE = Exercise(
    name="accumulate",
    chapter="02_engine",
    probes=(
        Probe("form", _form, "At an AccumulateGrad, add the Tensor that has arrived to node.variable.grad.", gate=True),
        Probe("chain", _values(CHAIN), "y's node gets the upstream gradient, and each node what the one before sent."),
        Probe(
            "branches", _values(TWICE, DOUBLE, DIAMOND, MIRRORED, SHORTCUTS), "What arrives at a node on several ways is added."
        ),
        Probe(
            "constants",
            _values(CONSTANT),
            "Each gradient goes along the edge at its place, and along (None, 0) none.",
        ),
        Probe("drawn", _drawn, "What arrives at a node on several ways is added, and the node runs when all is there."),
        Probe(
            "no gradient",
            _nothing,
            _NOTHING,
            errors=((r"NoneType", _NOTHING),),
        ),
        Probe("two calls", _two_calls, "backward adds to the .grad that is there; only leaves remember something."),
        Probe("left alone", _left_alone, "Others hold the same Tensors: make a new one, and keep gradients on leaves alone."),
        Probe("kept", _kept, "Where nothing arrives, the leaf keeps what it has.", errors=((r"NoneType", _NOTHING),)),
        Probe("once", _once, _ALONG_EACH_PATH, errors=((r"has run", _ALONG_EACH_PATH),)),
        Probe("deep", _deep, "5000 operations are one loop of 5000 steps, without recursion."),
        Probe("lists", _values(DIAMOND, data=_matrix), "Add Tensors with +, and their data may be numbers or lists."),
    ),
    reference=backward(),
    slips=(
        Slip(backward(ones=True), "The walk begins with 1, whatever `upstream` says: y's node gets upstream."),
        Slip(backward(join=lambda old, new: new), _OVERWRITTEN),
        Slip(backward(join=lambda old, new: old), _OVERWRITTEN),
        Slip(
            backward(join=lambda old, new: new, keep=lambda old, new: new),
            _OVERWRITTEN,
        ),
        Slip(
            backward(keep=lambda old, new: new),
            "The second call replaces what the first has left: a leaf's .grad is a sum over calls, until somebody clears it.",
        ),
        Slip(backward(order=_first_met), _early("Nodes run in the order in which a walk meets them, so")),
        Slip(backward(order=lambda root: _first_met(root, -1)), _early("Nodes run in the order in which a walk meets them, so")),
        Slip(
            backward(dropped=True),
            "An entry (None, 0) is dropped and its gradient is not, so each goes to a neighbour. Skip it inside the loop.",
        ),
        Slip(
            backward(on_nodes=True),
            "A node still has the gradient of the call before, and sends it again: only a leaf adds from call to call.",
        ),
    ),
    errors=(
        (
            r"'AccumulateGrad' object is not callable",
            "A leaf's node does no work here: add what has arrived to node.variable.grad yourself.",
        ),
        (r"RecursionError", "5000 operations are too deep for calls in one another: loop over topological_order(y.grad_fn)."),
        (
            r"'NoneType' and 'Tensor'|'Tensor' and 'NoneType'",
            "The first gradient finds None: there is nothing to add to yet.",
        ),
        (r"'NoneType' object has no attribute", "An edge may lead to None, and a gradient may be None: pass both over."),
        (r"KeyError", "Nothing has arrived for this node: a backward before it returned None, or it runs too early."),
        (r"for \+=?: '(int|float)' and 'Tensor'", "Begin with the first Tensor that arrives: 0 + Tensor is no sum here."),
    ),
    rules=(no_deeper_recursion,),
    hints=(
        "Which two places add: where does a gradient meet another of the same walk, and where one of an earlier walk?",
        "arrived = {y.grad_fn: upstream}; for each node in topological order: take its gradient out; at a leaf's node add it to "
        ".grad, else run the node and add each part to what has arrived for the node of that edge.",
        "`for (following, _), part in zip(node.next_functions, node(gradient)):` … "
        "`arrived[following] = arrived[following] + part if following in arrived else part`.",
    ),
)

EXERCISES = (ACCUMULATE,)
