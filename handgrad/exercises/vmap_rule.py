"""The exercise `vmap_rule` of chapter 10: a rule by which vmap runs a Function whose inside torch cannot see."""

from collections.abc import Callable, Iterator

import torch
from torch.func import grad, jacrev, vmap

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import not_instantiated
from handgrad.audit.subject import Subject
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
NAMES = ("matrix", "vector")

MATVEC = Subject(
    names=NAMES,
    samples=lambda draw: [
        (draw.normal(*lead, m, n).requires_grad_(), draw.normal(*lead, n).requires_grad_())
        for lead, m, n in (((), 2, 3), ((2,), 3, 2), ((2, 2), 1, 3))
    ],
)


class _MatVec(torch.autograd.Function):
    @staticmethod
    def forward(matrix, vector):
        if matrix.shape[:-2] != vector.shape[:-1]:
            raise ValueError(f"leading dimensions {tuple(matrix.shape[:-2])} and {tuple(vector.shape[:-1])} differ")
        return (matrix @ vector.unsqueeze(-1)).squeeze(-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        matrix, vector = ctx.saved_tensors
        grad_vector = (matrix.mT @ grad_output.unsqueeze(-1)).squeeze(-1)
        return grad_output.unsqueeze(-1) * vector.unsqueeze(-2), grad_vector

    @staticmethod
    def vmap(info, in_dims, matrix, vector):
        return _MatVec.apply(*_moved(torch.movedim, info, in_dims, matrix, vector)), 0


def _moved(move: Callable, info: object, in_dims: tuple, *tensors: torch.Tensor) -> list[torch.Tensor]:
    """The arguments with their batches in front, where `move(tensor, dim, 0)` brings them; what has none is repeated."""
    pairs = zip(tensors, in_dims, strict=True)
    return [t.expand(info.batch_size, *t.shape) if dim is None else move(t, dim, 0) for t, dim in pairs]


def _ruled(rule: Callable) -> Function:
    """The Function with the vmap rule `(its apply, info, in_dims, matrix, vector)`."""

    class Ruled(_MatVec):
        @staticmethod
        def vmap(info, in_dims, *tensors):
            return rule(Ruled.apply, info, in_dims, *tensors)

    return Ruled


def _batched(draw: Draw, batch: int, in_dims: tuple, m: int, n: int, **options: torch.dtype) -> list[torch.Tensor]:
    """A matrix and a vector with a batch at the places that `in_dims` says."""
    drawn = []
    for shape, dim in zip(((m, n), (n,)), in_dims, strict=True):
        one = dim is None
        drawn.append(draw.normal(*shape, **options) if one else draw.normal(batch, *shape, **options).movedim(0, dim))
    return drawn


def _cases(answer: Function, draw: Draw, places: list[tuple], batch: int, m: int, n: int) -> Iterator[Case]:
    for in_dims in places:
        matrix, vector = _batched(draw, batch, in_dims, m, n)
        given = f"vmap(f, in_dims={in_dims}), matrix of shape {tuple(matrix.shape)}, vector of shape {tuple(vector.shape)}"
        yield {"given": given, "seen": {"output": plain(vmap(answer.apply, in_dims)(matrix, vector))}}


BOTH = [(0, 0), (1, 0), (0, 1), (2, 1), (2, 0), (-1, -1)]
ONE = [(0, None), (None, 0), (1, None), (None, 1), (2, None), (-1, None)]


NESTED = [  # in_dims of the inner and of the outer vmap
    ((0, 0), (0, 0)),
    ((0, 1), (1, None)),
    ((None, 0), (0, None)),
    ((2, None), (None, 1)),
    ((0, 0), (2, 1)),
    ((1, None), (3, 0)),
]


def _equal(answer: Function, draw: Draw) -> Iterator[Case]:
    """As many examples as rows and columns: a batch that is looked for at the wrong place is no error but silently wrong."""
    yield from _cases(answer, draw, BOTH, 3, 3, 3)


def _both(answer: Function, draw: Draw) -> Iterator[Case]:
    """A batch of matrices and one of vectors, wherever the batch is."""
    yield from _cases(answer, draw, BOTH, 4, 2, 3)
    yield from _cases(answer, draw, BOTH[1:3], 1, 2, 3)
    matrix, vector = _batched(draw, 4, (2, 1), 2, 3, dtype=torch.float32)
    seen = {"output": plain(vmap(answer.apply, (2, 1))(matrix, vector))}
    given = "vmap(f, in_dims=(2, 1)) in float32, matrix of shape (2, 3, 4), vector of shape (3, 4)"
    yield {"given": given, "seen": seen, "tolerance": [1e-5, 1e-5]}


def _one(answer: Function, draw: Draw) -> Iterator[Case]:
    """One of the two has no batch: its place in in_dims is None."""
    yield from _cases(answer, draw, ONE, 4, 2, 3)
    yield from _cases(answer, draw, ONE, 3, 3, 3)


def _nested(answer: Function, draw: Draw) -> Iterator[Case]:
    """vmap of vmap: each level calls the rule once, and what one level moved the other must find."""
    for batch in ((2, 4), (2, 2)):
        for inner, outer in NESTED:
            matrix, vector = draw.normal(3, 2), draw.normal(2)
            for size, dims in ((batch[1], inner), (batch[0], outer)):
                matrix, vector = (
                    t if dim is None else (torch.stack([t + k for k in range(size)], dim))
                    for t, dim in zip((matrix, vector), dims, strict=True)
                )
            given = f"vmap(vmap(f, in_dims={inner}), in_dims={outer}), shapes {tuple(matrix.shape)} and {tuple(vector.shape)}"
            yield {"given": given, "seen": {"output": plain(vmap(vmap(answer.apply, inner), outer)(matrix, vector))}}


def _gradients(answer: Function, draw: Draw) -> Iterator[Case]:
    """Gradients inside vmap and through it, by torch.func and by backward()."""
    for in_dims in ((0, 0), (2, None), (None, 1)):
        matrix, vector = _batched(draw, 4, in_dims, 2, 3)
        w, many = draw.normal(2), draw.normal(4, 2)
        where = f"in_dims={in_dims}, matrix of shape {tuple(matrix.shape)}, vector of shape {tuple(vector.shape)}"

        def loss(matrix: torch.Tensor, vector: torch.Tensor, w: torch.Tensor = w) -> torch.Tensor:
            return (w * answer.apply(matrix, vector)).sum()

        def total(*args: torch.Tensor, in_dims: tuple = in_dims, w: torch.Tensor = many) -> torch.Tensor:
            return (w * vmap(answer.apply, in_dims)(*args)).sum()

        leaves = [t.clone().requires_grad_() for t in (matrix, vector)]
        found = {
            "vmap(grad(loss))": vmap(grad(loss, argnums=(0, 1)), in_dims)(matrix, vector),
            "grad of a sum over vmap(f)": grad(total, argnums=(0, 1))(matrix, vector),
            "backward() through vmap(f)": torch.autograd.grad(total(*leaves), leaves),
        }
        for how, pair in found.items():
            seen = {f"gradient of {name}": plain(g) for name, g in zip(NAMES, pair, strict=True)}
            yield {"given": f"{how}, {where}", "seen": seen}
    matrix, vector = _batched(draw, 3, (1, None), 2, 3)
    seen = {"Jacobian of vector": plain(vmap(jacrev(answer.apply, argnums=1), (1, None))(matrix, vector))}
    yield {
        "given": "vmap(jacrev(f, argnums=1), in_dims=(1, None)), matrix of shape (2, 3, 3), vector of shape (3,)",
        "seen": seen,
    }


def _through_forward(answer: Function, draw: Draw) -> Iterator[Case]:
    """The rule leads back to the Function's own forward, which meets tensors that numpy can read: no kernel is written anew."""
    matrix, vector = _batched(draw, 4, (1, None), 2, 3)
    own, written, readable = answer.forward, vars(answer).get("forward"), []

    def watched(*args: torch.Tensor) -> torch.Tensor:
        try:
            readable.append(args[0].detach().cpu().numpy() is not None)
        except RuntimeError:
            readable.append(False)
        return own(*args)

    answer.forward = staticmethod(watched)
    try:
        vmap(answer.apply, (1, None))(matrix, vector)
    finally:
        if written is None:
            del answer.forward
        else:
            answer.forward = written
    seen = {"the rule calls f's own forward": bool(readable), "forward is handed tensors that numpy can read": all(readable)}
    yield {"given": "vmap(f, in_dims=(1, None)), matrix of shape (2, 4, 3), vector of shape (3,)", "seen": seen}


_SLIPS: tuple[tuple[Callable, str], ...] = (
    (
        lambda f, info, dims, m, v: (f(m, v), 0),
        "in_dims is ignored: it says where the batch of each argument is, which need not be in front.",
    ),
    (
        lambda f, info, dims, m, v: (f(*_moved(torch.movedim, info, dims, m, v)), 1),
        "out_dims is wrong: the batch of your output is at 0.",
    ),
    (
        lambda f, info, dims, m, v: (f(*_moved(torch.movedim, info, dims, m, v)), None),
        "out_dims is None, which says that all examples have one and the same output.",
    ),
    (
        lambda f, info, dims, m, v: (f(*_moved(torch.transpose, info, dims, m, v)), 0),
        "transpose(dim, 0) swaps two dimensions: movedim(dim, 0) brings one to the front and leaves the others in order.",
    ),
    (
        lambda f, info, dims, m, v: (f(*_moved(lambda t, dim, _: t.movedim(0, dim), info, dims, m, v)), 0),
        "movedim(0, dim) moves the first dimension away: the batch comes from dim to 0, movedim(dim, 0).",
    ),
)

_GRAPH = "The graph is lost in the rule: call apply in it, which records, and detach nothing."
_BATCH = "What has no batch, None in in_dims, is repeated: t.expand(info.batch_size, *t.shape)."

VMAP_RULE = Exercise(
    name="vmap_rule",
    chapter="10_transforms",
    probes=(
        *function_probes(MATVEC, "forward", "upstream"),
        Probe(
            "equal sizes", _equal,
            "vmap must be the same as a loop over the examples: bring both batches to the front, and let out_dims say where "
            "that of the output is.",
        ),
        Probe("both batched", _both, "vmap must be the same as a loop over the examples: bring both batches to the front."),
        Probe("one batched", _one, "vmap must be the same as a loop over the examples. " + _BATCH),
        Probe("vmap of vmap", _nested, "The rule is called once for each vmap, and adds a leading dimension to both each time."),
        Probe("gradients", _gradients, _GRAPH, errors=((r"does not require grad", _GRAPH),)),
        Probe(
            "through forward", _through_forward,
            "The product is computed around forward, or forward is no numpy any more: leave it as it is, and call apply.",
        ),
    ),
    reference=_MatVec,
    slips=tuple(Slip(_ruled(rule), text) for rule, text in _SLIPS),
    errors=(
        (r"does not have vmap support", "torch looks for a static method of exactly that name: vmap."),
        (r"both generate_vmap_rule=True and an overridden", "One rule is enough: drop generate_vmap_rule, as forward is numpy."),
        (
            r"data pointer of Tensor|Can't call numpy",
            "forward meets a tensor that numpy cannot read. Write a rule in which apply is called, neither forward by hand nor "
            "generate_vmap_rule.",
        ),
        (r"leading dimensions .* differ", _BATCH),
        (
            r"number of sizes provided|repeat dims|permute",
            "Under a second vmap the rule is handed a dimension more: `*t.shape` and movedim fit every number of them.",
        ),
        (r"NoneType|movedim\(\)|must be tuple of ints", "in_dims holds None for an argument without a batch: ask first."),
        (
            r"to have two returns|Got \d+ returns|incompatible \(output, out_dims\)",
            "A rule returns two things: the output, and out_dims, one number for the one output.",
        ),
        (r"vmap\(\) (takes|missing|got)", "The rule gets info, in_dims, and all arguments of forward: matrix, vector."),
        (r"'VmapInfo'|'tuple' object", "info.batch_size is a number, and in_dims a tuple with one entry for each argument."),
    ),
    rules=(not_instantiated("NumpyMatVec"),),
    given=("forward", "upstream"),
    hints=(
        "Two batches may lie at two places, and one may be missing. What must both look like before one call of apply does all?",
        "Bring each batch to the front, repeat what has none info.batch_size times, call apply; the batch of the output is at 0.",
        "`matrix = matrix.expand(info.batch_size, *matrix.shape) if in_dims[0] is None else matrix.movedim(in_dims[0], 0)`, the "
        "same for vector; `return NumpyMatVec.apply(matrix, vector), 0`.",
    ),
)  # fmt: skip

EXERCISES = (VMAP_RULE,)
