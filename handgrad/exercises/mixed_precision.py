"""The exercise `mixed_precision` of chapter 11: a Function that computes in float32 where autocast is on."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.amp import autocast, custom_bwd, custom_fwd

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

Function = type[torch.autograd.Function]
NAMES = ("x", "y")
SINGLE, HALF = torch.float32, torch.bfloat16


def squared_distance(x: Tensor, y: Tensor) -> Tensor:
    """In plain torch: the squared distance of each row of x to each row of y."""
    return (x * x).sum(1, keepdim=True) + (y * y).sum(1) - 2 * x @ y.t()


class _SquaredDistance(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cpu", cast_inputs=SINGLE)
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return squared_distance(x, y)

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        grad_x = 2 * (grad_output.sum(1, keepdim=True) * x - grad_output @ y)
        grad_y = 2 * (grad_output.sum(0).unsqueeze(1) * y - grad_output.t() @ x)
        return grad_x, grad_y


def _args(draw: Draw, n: int, m: int, d: int, dtype: torch.dtype = torch.float64) -> Args:
    return draw.normal(n, d, dtype=dtype).requires_grad_(), draw.normal(m, d, dtype=dtype).requires_grad_()


def _shapes(draw: Draw) -> list[tuple[str, Args]]:
    turned = [t.detach().t().contiguous().t().requires_grad_() for t in _args(draw, 3, 4, 2)]
    return [
        ("one row and two", _args(draw, 1, 2, 3)),
        ("one coordinate", _args(draw, 3, 2, 1)),
        ("no rows", (tensor([]).reshape(0, 2).requires_grad_(), draw.normal(3, 2).requires_grad_())),
        ("three of each", _args(draw, 3, 3, 3)),
        ("transposed", tuple(turned)),
        ("float32", _args(draw, 4, 3, 2, SINGLE)),
    ]


SUBJECT = Subject(
    names=NAMES,
    samples=lambda draw: [
        _args(draw, 3, 2, 4),
        tuple(tensor([[1.0, 2.0], [-3.0, 0.5]]).requires_grad_() for _ in range(2)),  # distances of 0
        (draw.normal(3, 2), draw.normal(4, 2).requires_grad_()),
        (draw.normal(3, 2).requires_grad_(), draw.normal(4, 2)),
        _args(draw, 2, 4, 3),
    ],
    shapes=_shapes,
)


def _on_cpu(draw: Draw, kinds: tuple[torch.dtype, torch.dtype], centre: float = 0.0) -> list[Tensor]:
    """Two leaves, as far from 0 as `centre` says, the same numbers whatever dtype they have."""
    rows = [(draw.normal(n, 3) + centre).cpu().to(HALF) for n in (3, 2)]
    return [t.to(kind).requires_grad_() for t, kind in zip(rows, kinds, strict=True)]


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _dtypes(answer: Function, draw: Draw) -> Iterator[Case]:
    """Under autocast y is float32, whatever comes in but float64; each gradient has the dtype of its argument."""
    double = torch.float64
    for kinds in ((SINGLE, SINGLE), (HALF, SINGLE), (SINGLE, HALF), (HALF, HALF), (double, double)):
        leaves = _on_cpu(draw, kinds)
        with autocast("cpu", dtype=HALF):
            distance = answer.apply(*leaves)
        distance.sum().backward()
        seen = {"dtype of the distance": _name(distance.dtype)} | {
            f"dtype of {name}'s gradient": _name(leaf.grad.dtype) for name, leaf in zip(NAMES, leaves, strict=True)
        }
        yield {"given": f"under autocast to bfloat16 on the CPU, x in {_name(kinds[0])}, y in {_name(kinds[1])}", "seen": seen}


def _setting(answer: Function, draw: Draw) -> Iterator[Case]:
    """What the caller has switched on stays on, after forward and after backward."""
    with autocast("cpu", dtype=HALF):
        distance = answer.apply(*_on_cpu(draw, (SINGLE, SINGLE)))
        seen = {"autocast is on when forward is over": torch.is_autocast_enabled("cpu")}
        distance.sum().backward()
        seen["autocast is on when backward is over"] = torch.is_autocast_enabled("cpu")
    yield {"given": "forward and backward under autocast", "seen": seen}


def _without(answer: Function, draw: Draw) -> Iterator[Case]:
    """Where autocast is off, nothing is cast."""
    for kind in (HALF, SINGLE):
        for how in ("no autocast", "autocast(enabled=False) within autocast"):
            leaves = _on_cpu(draw, (kind, kind))
            with autocast("cpu", dtype=HALF, enabled=how != "no autocast"), autocast("cpu", enabled=False):
                distance = answer.apply(*leaves)
            distance.sum().backward()
            seen = {"dtype of the distance": _name(distance.dtype), "dtype of x's gradient": _name(leaves[0].grad.dtype)}
            yield {"given": f"{how}, x and y in {_name(kind)}", "seen": seen}


def _digits(answer: Function, draw: Draw, inside: bool = False) -> Iterator[Case]:
    """Far from 0 the three terms are large and nearly cancel: a product in bfloat16 leaves nothing of the distance."""
    for centre, kinds in ((30.0, (SINGLE, SINGLE)), (-20.0, (HALF, SINGLE)), (20.0, (HALF, HALF))):
        leaves = _on_cpu(draw, kinds, centre)
        g = draw.normal(3, 2, dtype=SINGLE).cpu()
        with autocast("cpu", dtype=HALF):
            distance = answer.apply(*leaves)
            if inside:
                distance.backward(g.to(distance.dtype))
        if not inside:
            distance.backward(g.to(distance.dtype))
        where = "backward under autocast too" if inside else "backward outside it"
        dtypes = f"{_name(kinds[0])} and {_name(kinds[1])}"
        seen = {} if inside else {"distance": plain(distance)}
        # two more digits than bfloat16 has; of a bfloat16 gradient that is rounded the other way, one step
        close = [1e-2, 0.01] if HALF in kinds else [1e-4, 2e-3]
        seen |= {f"gradient of {name}": plain(leaf.grad) for name, leaf in zip(NAMES, leaves, strict=True)}
        yield {"given": f"under autocast, rows close to {centre:g}, {dtypes}, {where}", "seen": seen, "tolerance": close}


def _digits_inside(answer: Function, draw: Draw) -> Iterator[Case]:
    """backward under autocast as well: what forward ran in, backward runs in, wherever it is called."""
    yield from _digits(answer, draw, inside=True)


def _backward(gx: Callable, gy: Callable) -> type[torch.autograd.Function]:
    return oracle(squared_distance, lambda g, x, y: (gx(g, x, y), gy(g, x, y)))


def _right_x(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return 2 * (g.sum(1, keepdim=True) * x - g @ y)


def _right_y(g: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return 2 * (g.sum(0).unsqueeze(1) * y - g.t() @ x)


_FORWARD = (
    "Under autocast a matrix product runs in bfloat16, and no cast in backward brings its digits back. Let forward have float32: "
    '@custom_fwd(device_type="cpu", cast_inputs=torch.float32).'
)

MIXED_PRECISION = Exercise(
    name="mixed_precision",
    chapter="11_compile",
    probes=(
        *function_probes(
            SUBJECT, "forward", "returned", "returned shape", "upstream", "gradcheck", "second order", "upstream untouched",
            "stale", "saved", "shapes", "linear", "calls apart", "device",
            advice=("saved",),
        ),
        Probe("dtypes", _dtypes, _FORWARD),
        Probe("digits", _digits, _FORWARD),
        Probe(
            "backward under autocast", _digits_inside,
            'backward runs in whatever is on where it is called: @custom_bwd(device_type="cpu") gives it the setting of forward.',
        ),
        Probe(
            "setting", _setting,
            'The setting of autocast belongs to the caller: `with torch.autocast("cpu", enabled=False):` gives it back.',
        ),
        Probe(
            "without autocast", _without,
            "Where autocast is off, nothing is cast: leave that to custom_fwd, and cast nothing by hand.",
        ),
    ),
    reference=_SquaredDistance,
    slips=(
        *function_slips(squared_distance),
        Slip(
            oracle(lambda x, y: (x * x).sum(1, keepdim=True) + (y * y).sum(1) - x @ y.t()),
            "The product counts twice: |x - y|² = |x|² + |y|² - 2 x·y.",
        ),
        Slip(oracle(lambda x, y: squared_distance(x, y).abs().sqrt()), "That is the distance; its square is asked for."),
        Slip(
            _backward(lambda g, x, y: _right_x(g, x, y) / 2, lambda g, x, y: _right_y(g, x, y) / 2),
            "Right but for a factor 2: each distance is a square.",
        ),
        Slip(
            _backward(lambda g, x, y: -2 * g @ y, lambda g, x, y: -2 * g.t() @ x),
            "x is in |x|² too: its gradient has two parts, 2 (Σ_j g_ij) x_i and -2 Σ_j g_ij y_j.",
        ),
        Slip(
            _backward(lambda g, x, y: -_right_x(g, x, y), lambda g, x, y: -_right_y(g, x, y)),
            "The sign is wrong: the distance grows as x moves away from y, along x - y.",
        ),
        Slip(
            _backward(
                lambda g, x, y: _right_x(torch.ones_like(g), x, y), lambda g, x, y: _right_y(torch.ones_like(g), x, y)
            ),
            "backward ignores grad_output.",
        ),
        Slip(
            _backward(lambda g, x, y: 2 * (x - g @ y), lambda g, x, y: 2 * (y - g.t() @ x)),
            "The part of |x|² wants its upstream gradients too: x_i times the sum of row i of grad_output.",
        ),
    ),
    errors=(
        (
            r"not implemented for 'BFloat16'",
            "torch has no bfloat16 of this operation, and where autocast is off bfloat16 must come through: take others.",
        ),
        (
            r"_fwd_used_autocast",
            'custom_bwd asks what forward ran in, and only custom_fwd writes that down: @custom_fwd(device_type="cpu", …).',
        ),
        (
            r"same dtype, but got: (c10::BFloat16|float) != ",
            "backward meets two dtypes: forward was handed them as they came. Let it have float32: "
            '@custom_fwd(device_type="cpu", cast_inputs=torch.float32).',
        ),
    ),
    rules=(not_instantiated("SquaredDistance"), forward_not_called("SquaredDistance")),
    hints=(
        "Which of the three terms does autocast compute in bfloat16? What is left of a difference whose parts have three digits?",
        "grad_x = 2 (Σ_j g_ij · x_i - g · y), and for y the same with gᵀ. forward wants float32 under autocast, and backward "
        "whatever forward had.",
        'Below @staticmethod: `@custom_fwd(device_type="cpu", cast_inputs=torch.float32)` on forward, '
        '`@custom_bwd(device_type="cpu")` on backward.',
    ),
)  # fmt: skip

EXERCISES = (MIXED_PRECISION,)
