"""Exercises of chapter 01: differentiate by hand, predict leaves, walk a graph, turn its edges round."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch.autograd.graph import saved_tensors_hooks

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import differentiates_by_hand
from handgrad.audit.subject import numbers
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.graph_walks import NODES_AND_EDGES, WALK_THE_GRAPH

COLUMNS = ("is_leaf", "requires_grad", "grad_fn", "grad")
Table = dict[str, tuple]


def leaf_table() -> Table:
    """What torch says of the eight tensors of the exercise, read off in a run."""
    x = tensor(2.0).requires_grad_()
    w = tensor(1.0).requires_grad_()
    c = tensor(3.0)
    p = x * c
    d = p.detach()
    s = p + x
    s.retain_grad()
    y = s * w
    y.backward()
    with torch.no_grad():
        new = x - x.grad
        w -= w.grad
    tensors = {"x": x, "w": w, "c": c, "p": p, "d": d, "s": s, "y": y, "new": new}
    return {name: _row(t) for name, t in tensors.items()}


def _row(t: torch.Tensor) -> tuple:
    grad = t.grad if t.is_leaf or t.retains_grad else None  # torch warns where it is None for certain
    return t.is_leaf, t.requires_grad, t.grad_fn and t.grad_fn.name(), None if grad is None else grad.item()


def _table_form(answer: Callable[[], Table], draw: Draw) -> Iterator[Case]:
    table, names = answer(), tuple(leaf_table())
    given, expected = "leaf_table()", "a dict with a row for each of the eight tensors"
    seen = expected
    if not isinstance(table, dict):
        seen = described(table)
    elif missing := [name for name in names if name not in table]:
        seen = f"a dict without {', '.join(missing)}"
    yield {"given": given, "seen": {"what it returns": seen}}
    if seen != expected:
        return
    short = [name for name in names if not isinstance(table[name], (list, tuple)) or len(table[name]) != len(COLUMNS)]
    yield {"given": given, "seen": {"each row": f"not four cells for {', '.join(short)}" if short else "four cells"}}


def _table_row(name: str, answer: Callable[[], Table], draw: Draw) -> Iterator[Case]:
    seen = {column: _cell(cell) for column, cell in zip(COLUMNS, answer()[name], strict=True)}
    grad_fn = seen["grad_fn"]
    accept = {"grad_fn": [grad_fn, grad_fn.removesuffix("0")]} if isinstance(grad_fn, str) else {}
    yield {"given": WRITTEN[name], "seen": seen, "accept": accept}


def _cell(cell: object) -> object:
    if cell is ...:
        return "..."
    return plain(cell.item() if isinstance(cell, torch.Tensor) and cell.numel() == 1 else cell)


WRITTEN = {
    "x": "x = torch.tensor(2.0, requires_grad=True)",
    "w": "w = torch.tensor(1.0, requires_grad=True), later w -= w.grad under no_grad",
    "c": "c = torch.tensor(3.0)",
    "p": "p = x * c",
    "d": "d = p.detach()",
    "s": "s = p + x, then s.retain_grad()",
    "y": "y = s * w, then y.backward()",
    "new": "new = x - x.grad under no_grad",
}
_ROW_SLIPS = {
    "x": "A leaf: nothing made it. Its gradient is the sum over both ways from y: through s alone, and through p.",
    "w": "An in-place change under no_grad leaves a leaf a leaf; its grad stays what backward left there, s.",
    "c": "Made by you, so a leaf, though no gradient is wanted. A leaf need not require one.",
    "p": "Made by an operation: no leaf, so it has a grad_fn, and its gradient only passes through.",
    "d": "detach gives a tensor outside the graph, which is a leaf again and requires nothing.",
    "s": "No leaf, and yet it keeps its gradient, since retain_grad() asked for it: dy/ds = w, which was 1.",
    "y": "Made by an operation: no leaf. backward starts here and leaves nothing here.",
    "new": "Under no_grad nothing is recorded: new is a leaf that requires no gradient. x = x - x.grad would lose x's.",
}


def _with(**rows: tuple) -> Callable[[], Table]:
    return lambda: leaf_table() | rows


LEAF_TABLE = Exercise(
    name="leaf_table",
    chapter="01_graph",
    probes=(
        Probe(
            "form", _table_form, "Keep the eight names and four cells a row: is_leaf, requires_grad, grad_fn, grad.", gate=True
        ),
        *(Probe(f"row {name}", partial(_table_row, name), slip) for name, slip in _ROW_SLIPS.items()),
    ),
    reference=leaf_table,
    slips=(
        Slip(
            _with(p=(False, True, "MulBackward0", 1.0), y=(False, True, "MulBackward0", 1.0)),
            "A tensor that is no leaf does not keep its gradient, unless retain_grad() asks for it before backward.",
        ),
        Slip(
            _with(s=(False, True, "AddBackward0", None)),
            "No leaf, true, but retain_grad() asked for the gradient: dy/ds = w, which was 1.",
        ),
        Slip(
            _with(x=(True, True, None, 1.0)),
            "That is one of two ways: x goes into s directly, and through p as well. Their gradients are added.",
        ),
        Slip(
            _with(x=(True, True, None, 3.0)),
            "That is one of two ways: x goes into s through p, and directly as well. Their gradients are added.",
        ),
        Slip(
            _with(new=(False, True, "SubBackward0", None)),
            "Under no_grad the subtraction is not recorded: no grad_fn, hence a leaf, and it requires nothing.",
        ),
        Slip(
            _with(new=(True, True, None, None)),
            "A result computed under no_grad requires no gradient: this is how x = x - x.grad loses a weight.",
        ),
    ),
    hints=(
        "For each tensor: was it made by an operation that was recorded?",
        "Recorded: no leaf, requires_grad, a grad_fn. Not recorded: a leaf, no grad_fn. .grad stays on leaves that require it, "
        "and where retain_grad() was called.",
        "dy/ds = w = 1; dy/dx = 1 + c, over both ways; dy/dw = s = 8. d, c and new require nothing.",
    ),
)

Vjp = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], tuple[torch.Tensor, torch.Tensor]]


def _gradients(answer: Vjp, x: torch.Tensor, w: torch.Tensor, upstream: torch.Tensor) -> Case:
    found = answer(x, w, upstream)
    given = f"x = {numbers(x)}, w = {numbers(w)}, upstream = {numbers(upstream)}"
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        return {"given": given, "seen": {"what it returns": described(found)}}
    return {"given": given, "seen": {"grad_x": plain(found[0]), "grad_w": plain(found[1])}}


def _vjp_form(answer: Vjp, draw: Draw) -> Iterator[Case]:
    x, w, upstream = (draw.normal(3) for _ in range(3))
    found = answer(x, w, upstream)
    two = isinstance(found, (tuple, list)) and len(found) == 2
    seen = [described(part) for part in found] if two else described(found)
    yield {"given": "x, w and upstream of shape (3,), float64", "seen": {"what it returns": seen}}


def _vjp_upstream(answer: Vjp, draw: Draw) -> Iterator[Case]:
    yield _gradients(answer, tensor([1.0, 2.0, -1.0]), tensor([2.0, 1.0, 3.0]), tensor([1.0, 10.0, -100.0]))
    for _ in range(3):
        yield _gradients(answer, draw.normal(3), draw.normal(3), draw.normal(3, scale=10.0))


def _vjp_shapes(answer: Vjp, draw: Draw) -> Iterator[Case]:
    for shape in ((), (2, 3), (0,)):
        yield _gradients(answer, *(draw.normal(*shape) for _ in range(3)))


def _vjp_left_alone(answer: Vjp, draw: Draw) -> Iterator[Case]:
    names = ("x", "w", "upstream")
    before = {name: draw.normal(3) for name in names}
    after = {name: value.clone() for name, value in before.items()}
    answer(*after.values())
    given = ", ".join(f"{name} = {numbers(value)}" for name, value in before.items())
    yield {"given": given, "seen": {f"{name} after the call": plain(value) for name, value in after.items()}}


def _vjp_by_hand(answer: Vjp, draw: Draw) -> Iterator[Case]:
    """Autograd, however it is called, keeps tensors for its backward; code by hand keeps none."""
    kept = []

    def pack(saved: torch.Tensor) -> torch.Tensor:
        kept.append(saved)
        return saved

    with saved_tensors_hooks(pack, lambda saved: saved):
        try:
            answer(*(draw.normal(3) for _ in range(3)))
        except RuntimeError as error:
            if "saved tensor hooks" not in str(error):  # so says torch.func, which is autograd too
                raise
            kept.append(error)
    yield {"given": "x, w and upstream of shape (3,)", "seen": {"autograd kept tensors for a backward": bool(kept)}}


def _by_hand(product: float = 1.0, square: float = 2.0, direct: float = 1.0) -> Vjp:
    """The gradients of y = (a² + x) a with a = x w. The factors weaken one of its ways each."""

    def vjp(x: torch.Tensor, w: torch.Tensor, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a = x * w
        grad_c = upstream * a
        grad_a = product * upstream * (a**2 + x) + square * grad_c * a
        return direct * grad_c + grad_a * w, grad_a * x

    return vjp


_RIGHT = _by_hand()
VJP_BY_HAND = Exercise(
    name="vjp_by_hand",
    chapter="01_graph",
    probes=(
        Probe(
            "form", _vjp_form, "Return (grad_x, grad_w), each of the shape and dtype of its tensor: nothing is summed.", gate=True
        ),
        Probe("upstream", _vjp_upstream, "Go back from y: each operation hands on upstream times its local derivative."),
        Probe("shapes", _vjp_shapes, "It holds for three numbers and must hold for every shape: elementwise all the way."),
        Probe("left alone", _vjp_left_alone, "The caller still needs x, w and upstream: no += or mul_ on them."),
        Probe(
            "by hand",
            _vjp_by_hand,
            "The numbers are right, and autograd found them. Your turn: write the products and sums themselves.",
        ),
    ),
    reference=_RIGHT,
    slips=(
        Slip(lambda x, w, g: _RIGHT(x, w, torch.ones_like(g)), "upstream is not used: this is right for y.sum() alone."),
        Slip(lambda x, w, g: _RIGHT(x, w, g.abs()), "The sign of upstream is lost."),
        Slip(
            _by_hand(product=0.0), "A branch is forgotten: a goes into y directly too, which adds upstream * c to its gradient."
        ),
        Slip(_by_hand(square=0.0), "A branch is forgotten: a goes into b too, which adds grad_b * 2 * a to its gradient."),
        Slip(_by_hand(direct=0.0), "A branch is forgotten: x goes into c too, which adds grad_c to its gradient."),
        Slip(_by_hand(square=1.0), "The derivative of a ** 2 is 2 * a."),
        Slip(lambda x, w, g: _RIGHT(w, x, g), "x and w have changed places, and c = b + x knows them apart."),
        Slip(lambda x, w, g: _RIGHT(x, w, g)[::-1], "The two gradients have changed places: grad_x comes first."),
    ),
    rules=(differentiates_by_hand("vjp"),),
    hints=(
        "How many arrows leave x, and how many leave a? Each brings a gradient back.",
        "grad_c = upstream · a; grad_a = upstream · c + grad_b · 2a; grad_x = grad_c + grad_a · w; grad_w = grad_a · x.",
        "`grad_a = upstream * c + upstream * a * 2 * a`, then `return upstream * a + grad_a * w, grad_a * x`.",
    ),
)

EXERCISES = (VJP_BY_HAND, LEAF_TABLE, WALK_THE_GRAPH, NODES_AND_EDGES)
