"""The exercise `fixed_point` of chapter 12: z = tanh(z Wᵀ + x) by repetition, its gradient by one linear equation."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from handgrad.audit.calls import Strangers
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.kept import Kept
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, differentiable, leaves, numbers, words
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

NAMES = ("input", "weight")
MOST = 40  # times the bytes of z: itself, slope, weight, some matrices for each example; a loop of 100 steps keeps 200 and more
STEPS = 160  # of the unrolled loop: the slowest sample shrinks by 0.8 a step, and 0.8^160 is 3e-16


def _args(
    draw: Draw, batch: int, size: int, norm: float, asked: tuple = (True, True), dtype: torch.dtype = torch.float64
) -> Args:
    """input and weight; each step shrinks a distance by `norm` at least."""
    weight = draw.normal(size, size)
    weight = (weight * (norm / weight.norm()) * 1000).round() / 1000
    x = draw.normal(batch, size)
    return tuple(a.to(dtype).requires_grad_(asks) for a, asks in zip((x, weight), asked, strict=True))


def _slow(draw: Draw) -> Args:
    """A rotation that shrinks by little, and an input that keeps tanh steep: forty steps for four digits."""
    angle = tensor(draw.integer(2, 12) / 10)
    turn = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()]).reshape(2, 2)
    return (0.1 * draw.normal(3, 2)).requires_grad_(), ((800 * turn).trunc() / 1000).requires_grad_()


def _samples(draw: Draw) -> list[Args]:
    return [
        _args(draw, 2, 3, 0.5),
        _slow(draw),
        _args(draw, 1, 4, 0.8),
        _args(draw, 3, 2, 0.7, (True, False)),
        _args(draw, 3, 2, 0.7, (False, True)),
        _args(draw, 3, 2, 0.6),
    ]


def _shapes(draw: Draw) -> list[tuple[str, Args]]:
    x, weight = _args(draw, 4, 3, 0.6)
    return [
        ("one unit", _args(draw, 3, 1, 0.8)),
        ("as many examples as units", _args(draw, 3, 3, 0.7)),
        ("transposed", (draw.normal(3, 4).t().requires_grad_(), weight.detach().t().requires_grad_())),
        ("a weight of zeros", (x, torch.zeros_like(weight).requires_grad_())),
        ("float32", _args(draw, 4, 3, 0.6, dtype=torch.float32)),
    ]


FIXED = Subject(names=NAMES, samples=_samples, shapes=_shapes)
FEW = replace(FIXED, samples=lambda draw: [_args(draw, 2, 3, 0.5), _slow(draw)])


def unrolled(x: Tensor, weight: Tensor, steps: int = STEPS) -> Tensor:
    """The loop itself, for autograd to go back through."""
    z = torch.zeros_like(x)
    for _ in range(steps):
        z = torch.tanh(z @ weight.t() + x)
    return z


def _solved(x: Tensor, weight: Tensor) -> Tensor:
    """z by a few steps, and then Newton's, which double the digits each."""
    z = unrolled(x, weight, 15)
    identity = torch.eye(len(weight), dtype=z.dtype, device=z.device)
    for _ in range(6):
        value = torch.tanh(z @ weight.t() + x)
        z = z - torch.linalg.solve(identity - (1 - value * value)[:, :, None] * weight, z - value)
    return z


def fixed_point_with(
    adjoint: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None,
    gradients: Callable[[Tensor, Tensor, Tensor], tuple] = lambda v, z, x: (v, v.t() @ z),
    steps: int | None = None,
) -> type[torch.autograd.Function]:
    """FixedPoint, right unless it solves another equation, makes other gradients of the solution, or stops early.

    Args:
        adjoint: `(upstream, weight, z) -> v`; where it is missing the equation is solved directly.
    """

    class Implicit(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            z = _solved(x, weight) if steps is None else unrolled(x, weight, steps)
            ctx.save_for_backward(x, weight, z)
            return z

        @staticmethod
        def backward(ctx, g):
            x, weight, z = ctx.saved_tensors
            if adjoint is not None:
                return gradients(adjoint(g, weight, z), z, x)
            slope = 1 - z * z
            whole = torch.eye(len(weight), dtype=z.dtype, device=z.device) - weight.t() * slope[:, None, :]
            return gradients(slope * torch.linalg.solve(whole, g), z, x)

    return Implicit


def _repeated(step: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor], steps: int = STEPS) -> Callable:
    """The adjoint that repeats `(v, upstream, weight, slope) -> v`."""

    def adjoint(g: Tensor, weight: Tensor, z: Tensor) -> Tensor:
        v = torch.zeros_like(g)
        for _ in range(steps):
            v = step(v, g, weight, 1 - z * z)
        return v

    return adjoint


def _against_the_loop(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """The gradients are those that autograd finds by going back through 160 steps, under a signed upstream gradient."""
    for args in _samples(draw)[:2]:
        g = 20 / 7 * draw.normal(*args[0].shape)
        fresh, again = leaves(args), leaves(args)
        answer.apply(*fresh).backward(g.clone())
        unrolled(*again).backward(g)
        labels = {f"gradient of {NAMES[i]}": i for i in differentiable(args)}
        yield {
            "given": f"{words(NAMES, args)}, upstream {numbers(g)}",
            "seen": {label: plain(fresh[i].grad) for label, i in labels.items()},
            "accept": {label: [plain(again[i].grad)] for label, i in labels.items()},
        }


class _Alive(TorchDispatchMode):
    """Counts the bytes of all results of operations that live at one time, whoever holds them.

    It sees what hooks cannot: torch.func refuses to work under them.
    """

    EVERY = 16  # operations

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self._operations = 0
        self._results: dict[StorageWeakRef, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(part, torch.Tensor):
                self._results[StorageWeakRef(part.untyped_storage())] = part.untyped_storage().nbytes()
        self._operations += 1
        if self._operations % self.EVERY == 0:
            self._results = {ref: size for ref, size in self._results.items() if not ref.expired()}
            self.peak = max(self.peak, sum(self._results.values()))
        return result


def _saved_bytes(answer: type[torch.autograd.Function], draw: Draw) -> Iterator[Case]:
    """What is kept at most, from forward to the end of backward, and whether all that backward reads was saved."""
    label = f"at most {MOST} times the bytes of z are kept"
    for given, shrinks in (("few steps", 0.05), ("many steps", 0.9)):
        x = (0.02 * draw.normal(4, 4)).requires_grad_()
        weight = torch.diag(tensor([shrinks] * 4)).requires_grad_()
        with Kept() as kept:
            output = answer.apply(x, weight)
        g = draw.normal(4, 4)
        with torch.no_grad(), _Alive() as alive, Strangers([*output.grad_fn.saved_tensors, g]) as strangers:
            output.grad_fn.apply(g)
        most = (kept.peak + alive.peak) / (x.numel() * x.element_size())
        yield {
            "given": f"input of shape (4, 4), weight = {shrinks} times the identity: {given}",
            "seen": {label: most <= MOST, "tensors that backward reads and nobody saved": len(strangers.found)},
        }


def _slip(text: str, *args: object, **others: object) -> Slip:
    return Slip(fixed_point_with(*args, **others), text)


_EQUATION = (
    "The gradient of the input solves v = slope * (grad_output + v @ weight), with slope = 1 - z * z, to the last digit; weight "
    "gets v.t() @ z."
)
_ENOUGH = "That many steps are not enough: repeat until nothing changes. Where a step shrinks by 0.8, 10 digits take 100."

FIXED_POINT = Exercise(
    name="fixed_point",
    chapter="12_when",
    probes=(
        *function_probes(FIXED, "forward", "returned", "returned shape"),
        replace(*function_probes(FIXED, "upstream")[1:], slip=_EQUATION),
        Probe("unrolled loop", _against_the_loop, _EQUATION),
        *function_probes(FEW, "gradcheck", "upstream untouched")[1:],
        Probe(
            "saved bytes",
            _saved_bytes,
            "What is kept grows with the steps: a loop under enable_grad, in forward or in backward, keeps each of them. "
            "Save z and weight, and solve the equation for v. What backward reads goes through ctx.save_for_backward.",
        ),
        *function_probes(
            FEW, "stale", "saved", "shapes", "linear", "calls apart", "second order", advice=("second order",)
        )[1:],
    ),
    reference=fixed_point_with(),
    slips=(
        *(_slip(_ENOUGH, steps=steps) for steps in (10, 20, 50, 100)),
        *(_slip(_ENOUGH, _repeated(lambda v, g, w, s: s * (g + v @ w), steps)) for steps in (10, 20, 50, 100)),
        _slip(
            "That is the gradient of the last step alone, as if the z before it were a constant: solve the equation for v.",
            _repeated(lambda v, g, w, s: s * g, 1),
        ),
        _slip(
            "The slope is missing in the equation: v = slope * (grad_output + v @ weight).",
            _repeated(lambda v, g, w, s: g + v @ w),
        ),
        _slip(
            "The slope multiplies both terms: v = slope * (grad_output + v @ weight).",
            _repeated(lambda v, g, w, s: s * g + v @ w),
        ),
        _slip(
            "The slope multiplies both terms: v = slope * (grad_output + v @ weight).",
            _repeated(lambda v, g, w, s: g + s * (v @ w)),
        ),
        _slip(
            "You return the solution without its slope: v = slope * (grad_output + v @ weight) has it in front of both terms.",
            gradients=lambda v, z, x: (v / (1 - z * z), (v / (1 - z * z)).t() @ z),
        ),
        _slip(
            "The weight stands the wrong way round: forward has z @ weight.t(), so backward has v @ weight.",
            _repeated(lambda v, g, w, s: s * (g + v @ w.t())),
        ),
        _slip(
            "The slope of tanh is 1 - tanh(a)², and z is tanh(a) already: 1 - z * z.",
            lambda g, w, z: _repeated(lambda v, g, w, s: (1 - z.tanh() ** 2) * (g + v @ w))(g, w, z),
        ),
        _slip(
            "backward ignores grad_output and puts ones in its place.",
            _repeated(lambda v, g, w, s: s * (1 + v @ w)),
        ),
        _slip("The weight gradient is transposed: v.t() @ z.", gradients=lambda v, z, x: (v, z.t() @ v)),
        _slip("The weight multiplies z, not input: its gradient is v.t() @ z.", gradients=lambda v, z, x: (v, v.t() @ x)),
        _slip(
            "The weight gradient is divided by the number of examples. A mean, if there is one, is already in grad_output.",
            gradients=lambda v, z, x: (v, v.t() @ z / len(z)),
        ),
        _slip("The weight gets no gradient: it is v.t() @ z.", gradients=lambda v, z, x: (v, None)),
        _slip("The sign of the gradients is turned.", gradients=lambda v, z, x: (-v, -v.t() @ z)),
    ),
    errors=(
        (
            r"invalid gradient at index 1|shapes cannot be multiplied|must match the size",
            "v and z are (N, d), the weight is (d, d), and so is its gradient, v.t() @ z, summed over the examples.",
        ),
        (
            r"incorrect number of gradients",
            "backward returns two gradients: of input and of weight.",
        ),
    ),
    rules=(not_instantiated("FixedPoint"), forward_not_called("FixedPoint")),
    hints=(
        "At the fixed point z = tanh(z Wᵀ + x) holds. If x moves by dx, which equation holds for dz?",
        "dz = s ⊙ (dz Wᵀ + dx) with s = 1 - z². Turned round, for the upstream gradient g: v = s ⊙ (g + v W). "
        "x gets v, the weight gets vᵀ z.",
        "`v = iterate(lambda v: slope * (grad_output + v @ weight), torch.zeros_like(grad_output))`; "
        "`return v, v.t() @ z`.",
    ),
)  # fmt: skip

EXERCISES = (FIXED_POINT,)
