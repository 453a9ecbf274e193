"""The exercise `compilable_linear` of chapter 11: a Function that torch.compile reads as one graph."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, leaves, oracle
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.compiled import in_one_graph, told
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

Function = type[torch.autograd.Function]
NAMES = ("input", "weight", "bias", "real")


def padded(input: Tensor, weight: Tensor, bias: Tensor, real: Tensor) -> Tensor:
    """In plain torch: the rows that are real, each divided by their number; zeros elsewhere."""
    share = real.to(input.dtype) / real.sum().clamp(min=1)
    return share.unsqueeze(1) * (input @ weight.t() + bias)


class _PaddedLinear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias, real):
        share = real.to(input.dtype) / real.sum().clamp(min=1)
        ctx.save_for_backward(input, weight, share)
        return share.unsqueeze(1) * (input @ weight.t() + bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, share = ctx.saved_tensors
        gated = share.unsqueeze(1) * grad_output
        return gated @ weight, gated.t() @ input, gated.sum(0), None


def _args(draw: Draw, real: list[bool], n_in: int, n_out: int, asked: tuple = (True, True, True), **options: torch.dtype) -> Args:
    shapes = ((len(real), n_in), (n_out, n_in), (n_out,))
    drawn = [draw.normal(*shape, **options).requires_grad_(needs) for shape, needs in zip(shapes, asked, strict=True)]
    return (*drawn, tensor(real, torch.bool))


def _mask(draw: Draw, rows: int) -> list[bool]:
    """Real rows and others, in an order that is drawn."""
    count = draw.integer(1, rows - 1)
    return draw.shuffled([i < count for i in range(rows)])


SUBJECT = Subject(
    names=NAMES,
    samples=lambda draw: [
        _args(draw, [True, False, True, True], 3, 2),
        _args(draw, [False, False, False], 2, 4),
        _args(draw, _mask(draw, 5), 2, 3),
        _args(draw, [True], 3, 2),
    ],
    shapes=lambda draw: [
        ("all rows real", _args(draw, [True] * 3, 4, 2)),
        ("no rows", _args(draw, [], 4, 2)),
        ("one output", _args(draw, _mask(draw, 4), 3, 1)),
        ("three of each", _args(draw, [True, False, True], 3, 3)),
        ("float32", _args(draw, _mask(draw, 4), 5, 3, dtype=torch.float32)),
    ],
)


def _found(call: Callable, args: Args, g: Tensor) -> dict:
    """What a call gives, forward and backward."""
    fresh = leaves(args)
    output = call(*fresh)
    output.backward(g)
    return {"output": plain(output)} | {f"gradient of {name}": plain(a.grad) for name, a in zip(NAMES, fresh[:3], strict=False)}


def _one_graph(answer: Function, draw: Draw) -> Iterator[Case]:
    """It compiles as a whole; values and gradients are those of eager mode."""
    first, other = _args(draw, [True, False, True, True], 3, 2), _args(draw, _mask(draw, 5), 4, 1, (False, True, True))
    yield from _calls(answer, draw, [("", first), ("called again, ", other)], 2)


def _other_data(answer: Function, draw: Draw) -> Iterator[Case]:
    """The same graph, other numbers: what was true of the first call must not be built into it."""
    masks = [True, False, True, True], [False, False, True, False], [False] * 4, [True] * 4
    yield from _calls(answer, draw, [(f"real = {real}, ", _args(draw, real, 3, 2)) for real in masks], 1)


def _calls(answer: Function, draw: Draw, calls: list[tuple[str, Args]], shapes: int) -> Iterator[Case]:
    """One compiled function, called several times, with so many different shapes: there is one graph for each."""
    with in_one_graph(answer.apply, getattr(answer.forward, "__globals__", None)) as (call, graphs):
        for given, args in calls:
            sizes = ", ".join(f"{name} {tuple(a.shape)}" for name, a in zip(NAMES, args, strict=True))
            given = f"torch.compile(f, fullgraph=True, backend='aot_eager'), {given}{sizes}"
            try:
                seen = _found(call, args, draw.normal(len(args[0]), len(args[1])))
            except Exception as error:
                yield {"given": given, "seen": {"raised": told(error)}, "accept": {"raised": []}}  # of the reference neither
                return
            yield {"given": given, "seen": seen}
    yield {"given": f"{len(calls)} calls, shapes: {shapes}", "seen": {"graphs": len(graphs)}}


def _slip(text: str, forward: Callable = padded, backward: Callable | None = None) -> Slip:
    return Slip(oracle(forward, backward), text)


def _gated(g: Tensor, real: Tensor) -> Tensor:
    return g * (real.to(g.dtype) / real.sum().clamp(min=1)).unsqueeze(1)


def _backward(gate: Callable, mean: bool = False) -> Callable:
    """The formulas of a linear layer, after `gate(upstream, real)`."""

    def backward(g: Tensor, input: Tensor, weight: Tensor, bias: Tensor, real: Tensor) -> tuple:
        gated = gate(g, real)
        return gated @ weight, gated.t() @ input, gated.mean(0) if mean else gated.sum(0), None

    return backward


_NUMBER = (
    "It asks for a Python number (.item(), float, int, bool), which does not exist while torch compiles: keep the tensor, and "
    "compute with that."
)
_BREAK = "What is left out of the graph breaks it, and the check asks for one graph: let everything in it be torch operations."

COMPILE_ERRORS = (
    (
        r"builtin operator `print`|builtin print|logging\.Logger|reorderable_logging",
        "A print has no place in a graph, in backward neither: take it out, or ask `if not torch.compiler.is_compiling()` first.",
    ),
    (
        r"Data-dependent branching|Data-dependent assertion|dynamic control flow",
        "An if asks for the value of a tensor, which does not exist while torch compiles: clamp or torch.where take both sides.",
    ),
    (r"unbacked symbol|data-dependent expression|\.item\(\)|tolist\(\)|aten\._local_scalar_dense", _NUMBER),
    (r"graph_break|torch\.compiler\.disable|disallow_in_graph|[Ss]kip (calling|inlining)|marked as skipped", _BREAK),
    (
        r"hasattr call|python_type\(\)|Side effect|side effect|setattr|UserDefinedClassVariable",
        "Something outside the call is changed, on the class perhaps: what backward needs goes through ctx.",
    ),
)  # fmt: skip

COMPILABLE_LINEAR = Exercise(
    name="compilable_linear",
    chapter="11_compile",
    probes=(
        *function_probes(
            SUBJECT, "forward", "returned", "returned shape", "upstream", "gradcheck", "second order", "upstream untouched",
            "stale", "saved", "shapes", "linear", "device",
            advice=("saved",),
        ),
        *audit_probes(
            lambda draw: _args(draw, [True, False, True], 3, 2), NAMES, "calls apart", reference=padded,
        ),
        Probe("one graph", _one_graph, "Compiled, it must give what it gives without a compiler."),
        Probe(
            "other data", _other_data,
            "What is true of the first call alone is built into the graph: the mask and its count must stay tensors.",
        ),
    ),
    reference=_PaddedLinear,
    slips=(
        *function_slips(padded),
        _slip("Every row is divided by the number of all rows: count the real ones.",
              lambda x, w, b, r: r.to(x.dtype).unsqueeze(1) * (x @ w.t() + b) / max(1, len(r))),
        _slip("The rows are not divided by the number of real ones.",
              lambda x, w, b, r: r.to(x.dtype).unsqueeze(1) * (x @ w.t() + b)),
        _slip("Without a real row it divides by 0: the count is at least 1, clamp(min=1).",
              lambda x, w, b, r: (r.to(x.dtype) / r.sum()).unsqueeze(1) * (x @ w.t() + b)),
        _slip("Padding is zero in the output, the bias included: mask the whole sum.",
              lambda x, w, b, r: (r.to(x.dtype) / r.sum().clamp(min=1)).unsqueeze(1) * (x @ w.t()) + b),
        _slip("Padding does not count in backward either: grad_output times the mask comes first.",
              backward=_backward(lambda g, r: g / r.sum().clamp(min=1))),
        _slip("forward divides by the number of real rows, and so must backward.",
              backward=_backward(lambda g, r: g * r.to(g.dtype).unsqueeze(1))),
        _slip("That is the backward of a linear layer alone: the mask and the division come before it.",
              backward=_backward(lambda g, r: g)),
        _slip("The bias collects a sum over the rows; the division is in grad_output's share already.",
              backward=_backward(_gated, mean=True)),
    ),
    errors=COMPILE_ERRORS,
    rules=(not_instantiated("PaddedLinear"), forward_not_called("PaddedLinear")),
    hints=(
        "Which lines want to know a number? Who could keep that number as a tensor, so that nobody has to know it?",
        "With s = real / max(1, count), one number for each row: output = s · (input · weightᵀ + bias), and the gradients are "
        "those of a linear layer whose upstream gradient is s · grad_output.",
        "`share = real.to(input.dtype) / real.sum().clamp(min=1)`, then `share.unsqueeze(1) * (input @ weight.t() + bias)`; save "
        "share too.",
    ),
)  # fmt: skip

EXERCISES = (COMPILABLE_LINEAR,)
