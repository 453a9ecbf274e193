"""The probes that ask whether backward is the derivative.

Each takes a `Call` and yields cases (see `case`), or raises `NotApplicable`. Its docstring says what it catches that the others
let through, and where the fact comes from.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from handgrad.audit.calls import Call, Run, Tensors, as_tuple, direction, drawn, inner, length, real
from handgrad.audit.case import NotApplicable, between, case
from handgrad.audit.record import Case, raised
from handgrad.audit.slopes import largest, places_of_jumps, slopes
from handgrad.audit.subject import words

EXACT = {torch.float64: 1e-10, torch.complex128: 1e-10}  # what two ways of computing the same may differ by, of the size
SMALL = {torch.float64: 2e-7, torch.float32: 3e-2}  # what a slope measured by differences may be off by, of its size
DIGITS = 1e-9  # the same where rounding to float32 was seen on the way, which hides below SMALL
FEW, MANY = 64, 2048
LONG = 1030  # a size above that of a block or a byte
TIES, ZERO, ZEROS, FAR = "with ties: ", "one element zero: ", "all zeros: ", "a million added: "


def tolerance(tensor: torch.Tensor) -> float:
    """Relative tolerance between two ways of computing the same, by dtype."""
    return EXACT.get(tensor.dtype, 100 * torch.finfo(tensor.dtype).eps ** (0.75 if tensor.dtype.itemsize > 2 else 1.0))


def upstream(call: Call) -> Iterator[Case]:
    """Values and vector-Jacobian products equal the reference's, at the inputs and at points beside them.

    The only probe that sees a forward which computes something else, with a backward to match; and the only one for a Function
    whose gradient is no derivative, on purpose. Signed upstream gradients: under `y.sum()` a forgotten or absolute one passes.
    """
    if call.reference is None:
        raise NotApplicable("no reference was given: reference=f compares values and gradients with f's")
    for near in points(call):
        other = Call(call.reference, near.args, call.names, seed=call.seed)
        try:
            values = other.base.outputs
            ours = near.base.outputs
        except Exception:
            if near.label:
                continue
            raise
        if not all(value.isfinite().all() for value in values):
            continue
        pairs: dict = {"number of outputs that require grad": (len(ours), len(values))}
        yield case(near.told, pairs)
        if len(ours) != len(values):
            return
        for k, (one, want) in enumerate(zip(ours, values, strict=True)):
            loose = 1e5 if near.label == FAR else 1.0
            yield case(near.told, {_output(k, len(values)): (one, want)}, loose * within(want, call.scale))
        rest = [o for o in near.base.all if isinstance(o, torch.Tensor) and not o.requires_grad]
        for one, want in zip(
            rest, (o for o in other.base.all if isinstance(o, torch.Tensor) and not o.requires_grad), strict=False
        ):
            yield case(near.told, {"output that needs no grad": (one, want)}, within(want, call.scale))
        wants = other.vjp(near.upstream)
        if near.label in (ZERO, ZEROS):  # a kink for many, where a right slope need not be the reference's
            lost = [int((got.isnan() & want.isfinite()).sum()) for got, want in zip(near.gradients, wants, strict=True)]
            yield case(near.told, {"elements of the gradient that are NaN": (sum(lost), 0)})
            continue
        if near.label == TIES and not _alike(near.gradients, wants, near.scale):
            outcome = _slope(near, None)
            yield from outcome[1] if outcome else ()
            continue
        for i, got, want in zip(call.wanted, near.gradients, wants, strict=True):
            loose = 1e5 if near.label == FAR else 1.0  # where digits are lost by rounding alone
            if want.isfinite().all():
                yield case(near.told, {f"gradient of {call.names[i]}": (got, want)}, loose * within(want, call.scale))


def _alike(some: Tensors, others: Tensors, scale: float) -> bool:
    pairs = zip(some, others, strict=True)
    return all(torch.allclose(one, other, rtol=0.0, atol=within(other, scale)) for one, other in pairs)


def within(want: torch.Tensor, scale: float = 0.0) -> float:
    """What two ways of computing a tensor may differ by: relative to its largest element, or to `scale` where that is larger.

    A gradient that is zero but for rounding is as exact as the numbers that it was summed from.
    """
    if not (want.is_floating_point() or want.is_complex()):
        return 0.0
    return tolerance(want) * max(largest(want), scale, 1e-30)


def _output(k: int, count: int) -> str:
    return "output" if count == 1 else f"output {k}"


def gradcheck(call: Call) -> Iterator[Case]:
    """backward is the slope of forward: the idea of `torch.autograd.gradcheck`, at nine digits where that has three.

    Catches what needs no reference to be wrong: a factor, a sign, a mask, an axis, a term left out, at the inputs and at points
    beside them (other signs, equal elements, a zero, ten times as large, a hundredth). Where a slope jumps, anything between
    its two sides is right. Random directions move all elements at once, so a fault in one entry shows.
    """
    if call.reference is not None:
        raise NotApplicable("the reference says what the gradient is")
    size = None
    judged = 0
    for near in [call] if call.axes else points(call):  # `kink` walks along the whole axis
        if near.label.startswith("a thousand"):  # too far out for differences
            lost = sum(int(grad.isnan().sum()) for grad in near.gradients)
            yield case(near.told, {"elements of the gradient that are NaN": (lost, 0)})
            continue
        outcome = _slope(near, size)
        if outcome is None:
            continue
        judged += 1
        size = size or outcome[0]
        yield from outcome[1]
    if not judged:
        raise NotApplicable("forward is not finite around the inputs, so no slope can be measured")


def _slope(near: Call, size: float | None) -> tuple[float, list[Case]] | None:
    wanted = [near.args[i] for i in near.wanted]
    found = []
    for number in (0, 1) if not near.label else (0,):
        along = near.directions if not number else [direction(a, near.seed + 17 + i) for i, a in enumerate(wanted)]
        if near.label == TIES:  # moved together equal elements stay equal, so that the slope does not jump
            along = [torch.full_like(a, float(d.abs().max()) if d.numel() else 1.0) for a, d in zip(wanted, along, strict=True)]
        try:
            measured = slopes(near.values, wanted, along, quick=bool(near.label or number))
        except Exception:
            if near.label:
                return None
            raise
        if not measured.finite:
            return None
        g, grads = (near.draw(1), near.vjp(near.draw(1))) if number else (near.upstream, near.gradients)
        if size is not None and largest_of(grads) >= 1e4 * size and not any(grad.isnan().any() for grad in grads):
            return None  # an own point beyond the edge of where the function is meant to be used
        weights = torch.cat([real(part) for part in g])
        claimed = inner(grads, along)
        typical = max(length(grads, along), measured.size(weights))
        for rtol in (DIGITS, SMALL.get(measured.centre.dtype, SMALL[torch.float32])):
            low, high = measured.between(weights, rtol * typical, claimed)
            if low <= claimed <= high or near.rounds_to_float32:
                break
        if not low <= claimed <= high:
            found += _elements(near, g, grads, rtol)
        found.append(case(near.told, {"slope along a random direction": (claimed, between(low, high))}))
    return largest_of(near.gradients) + 1e-3, found


def _elements(near: Call, g: Tensors, grads: Tensors, rtol: float) -> list[Case]:
    """One case for the first element of each argument whose gradient is not the slope along it."""
    cases = []
    weights = torch.cat([real(part) for part in g])
    wanted = [near.args[i].detach() for i in near.wanted]
    for place, (i, tensor) in enumerate(zip(near.wanted, wanted, strict=True)):
        size = float(tensor.abs().square().mean().sqrt()) or 1.0 if tensor.numel() else 1.0
        for element in range(min(tensor.numel(), FEW)):
            along = [torch.zeros_like(other) for other in wanted]
            along[place].reshape(-1)[element] = size
            measured = slopes(near.values, wanted, along)
            claimed = inner([grads[place].reshape(-1)[element]], [torch.tensor(size, dtype=tensor.dtype, device=tensor.device)])
            low, high = measured.between(weights, rtol * size * largest(grads[place]), claimed)
            if not low <= claimed <= high:
                where = _index(element, tensor.shape)
                middle = {f"gradient of {near.names[i]}{where}": (claimed / size, between(low / size, high / size))}
                cases.append(case(f"{near.text}, upstream {words(('g',), (g[0],))}", middle))
                break
    return cases


def _index(element: int, shape: torch.Size) -> str:
    places = []
    for extent in reversed(shape):
        places.append(element % extent)
        element //= extent
    return f" at [{', '.join(map(str, reversed(places)))}]" if places else ""


def largest_of(tensors: Tensors) -> float:
    """The largest absolute value among some tensors; infinite where one is not finite."""
    sizes = [float(tensor.detach().abs().max()) for tensor in tensors if tensor.numel()]
    return max((size if size == size else math.inf for size in sizes), default=0.0)


def points(call: Call) -> Iterator[Call]:
    """The inputs, and points beside them at which a function that works must be right too."""
    yield call
    for label, moved in (
        ("with other signs: ", lambda a, i: a * drawn(a, 31 + i).real.sign().to(a.dtype)),
        (TIES, lambda a, i: _tied(a)),
        ("ten times as large: ", lambda a, i: a * 10),
        ("a hundredth as large: ", lambda a, i: a * 0.01),
        (ZERO, lambda a, i: _one_zero(a)),
        ("a thousand times as large: ", lambda a, i: a * 1000),
        *([(FAR, lambda a, i: a + 1e6)] if call.reference else []),
        *([(ZEROS, lambda a, i: torch.zeros_like(a))] if call.reference else []),  # whether it counts there, a reference says
    ):
        args = tuple(moved(a.detach(), i).requires_grad_() if i in call.wanted else a for i, a in enumerate(call.args))
        near = call.at(args, label)
        try:
            run = near.base
        except Exception:
            continue
        finite = call.reference is not None or all(output.isfinite().all() for output in run.outputs)
        if finite and len(run.outputs) == len(call.base.outputs):
            yield near


def _one_zero(a: torch.Tensor) -> torch.Tensor:
    a = a.clone()
    if a.numel():
        a.reshape(-1)[-1] = 0
    return a


def _tied(a: torch.Tensor) -> torch.Tensor:
    """Away from 0 to multiples of the size, so that several elements are equal."""
    if a.is_complex() or not a.numel():
        return a
    step = float(a.square().mean().sqrt()) or 1.0
    return a.sign() * (a.abs() / step).ceil() * step


def kink(call: Call) -> Iterator[Case]:
    """Along the whole axis, close to every place where the slope jumps, and there itself. Elementwise functions only.

    The places are found by looking at forward. Thousands of points go through in one call, so this probe alone sees a threshold
    that is off by a thousandth, a wrong upper bound, NaN at the kink itself, and NaN where exp overflows.
    """
    places = call.axes
    if not places:
        raise NotApplicable("the outputs are not elementwise in an input, so there is no axis to look along")
    for i in places:
        yield from _along_axis(call, i, places)


def _along_axis(call: Call, i: int, places: list[int]) -> Iterator[Case]:
    device = call.args[i].device

    def args_at(x: torch.Tensor) -> tuple:
        args = list(call.args)
        for j in places:
            one = call.args[j].detach().flatten()
            args[j] = (x if j == i else one.repeat(len(x) // len(one) + 1)[: len(x)]).detach().clone().requires_grad_()
        return tuple(args)

    def f(x: torch.Tensor) -> torch.Tensor:
        return sum(output.detach() for output in call.run(args_at(x)).outputs)

    # where the others repeat along the axis there is no even row to look at
    jumps = places_of_jumps(f, -10.0037, 9.9971, device) if len(places) == 1 else []
    beside = torch.logspace(-9, -1, 17, dtype=torch.float64)
    powers = torch.logspace(-6, 3, 37, dtype=torch.float64)
    whole = torch.arange(-3, 3.5, 0.5, dtype=torch.float64)  # where rounding has nothing to do, or a tie
    rows = [
        torch.linspace(-10.0037, 9.9971, MANY, dtype=torch.float64),
        powers,
        -powers,
        whole,
        torch.tensor([*jumps, *([-1e10, 3e9, 1e12] if call.reference else [])], dtype=torch.float64),
    ]
    x = torch.cat([*rows, *(jump + sign * beside for jump in jumps for sign in (-1, 1))]).to(device)

    signs = torch.where(torch.arange(len(x), device=device) % 3 == 0, -0.7, 1.3).double()
    run = call.run(args_at(x))
    claimed = dict(zip(call.wanted, run.pull([signs.clone() for _ in run.outputs]), strict=True))[i] / signs
    low, high, judged = _slopes_along(f, x, [*whole.tolist(), *jumps])
    if call.reference is not None:
        other = Call(call.reference, run.args, call.names).run()
        wanted = dict(zip(call.wanted, other.pull([signs.clone() for _ in other.outputs]), strict=True))[i] / signs
        slack = 1e-8 * (wanted.abs() + 1)
        at_jump = (high - low).abs() > 1e-3 * (low.abs() + high.abs())
        right = (claimed - wanted).abs() <= slack
        fine = right | (at_jump & (low <= claimed) & (claimed <= high))
        low, high = wanted - slack, wanted + slack
        judged = wanted.isfinite()
        values, wants = (sum(o.detach() for o in one.outputs) for one in (run, other))
        worst = int(((values - wants).abs() / (wants.abs() + 1)).nan_to_num(0.0, 0.0, 0.0).argmax())
        yield case(
            f"{call.names[i]} = {float(x[worst]):.6g}", {"output": (values[worst], wants[worst])}, within(wants[worst], 1.0)
        )
    else:
        fine = (low <= claimed) & (claimed <= high)
        own = call.args[i].detach()
        inside = (x >= own.min()) & (x <= own.max())
        typical = largest(torch.where(inside & claimed.isfinite(), claimed, 0)) + 1
        # beyond the inputs a slope that explodes is the edge of where the function is meant to be used
        judged &= inside | claimed.isnan() | (claimed.abs() < 1e4 * typical)
    bad = (judged & ~fine).nonzero().flatten()
    nearest = bad[x[bad].abs().argsort()[:3]].tolist()
    shown = nearest or (judged & (x.abs() < 3)).nonzero().flatten()[:2].tolist()
    where = f"{call.names[i]} at {int(judged.sum())} places"
    given = where + (
        f", the slope jumps at {', '.join(f'{jump:g}' for jump in jumps)}" if jumps else ", no jump of the slope found"
    )
    pairs = {
        f"derivative at {call.names[i]} = {float(x[k]):.6g}": (float(claimed[k]), between(float(low[k]), float(high[k])))
        for k in shown
    }
    yield case(given, {"places where the derivative is wrong": (len(bad), 0)} if not shown else pairs)


def _slopes_along(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, places: list[float]) -> tuple:
    """The interval of each slope of an elementwise function, and where it could be measured."""
    special = torch.tensor(places, dtype=torch.float64, device=x.device)
    clear = (x.unsqueeze(1) - special).abs().min(1).values
    step = torch.where(clear > 0, torch.minimum(1e-5 * x.abs().clamp(min=1), clear / 8), 1e-6)
    centre = f(x)
    (wide, bend_wide, _, _), (narrow, bend, left, right) = (_differences(f, x, centre, step / n) for n in (1, 4))
    value = narrow + (narrow - wide) / 15
    rounding = torch.finfo(torch.float64).eps * centre.abs() / step
    slack = 1e-6 * (value.abs() + 1e-3) + 2 * (narrow - wide).abs() + 100 * rounding
    jump = (bend > 0.5 * bend_wide) & (bend > 1e-6 * value.abs().nan_to_num(0, 0, 0).median() + 400 * rounding)
    low = torch.where(jump, torch.minimum(left, right), value) - slack
    high = torch.where(jump, torch.maximum(left, right), value) + slack
    # a pole or a step is no kink: there is no slope on either side
    torn = jump & (torch.maximum(left.abs(), right.abs()) > 1e4 * (value[~jump].abs().nan_to_num(0, 0, 0).median() + 1))
    return low, high, wide.isfinite() & narrow.isfinite() & centre.isfinite() & ~torn


def _differences(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, centre: torch.Tensor, step: torch.Tensor) -> tuple:
    above, below = f(x + step), f(x - step)
    return (
        (above - below) / (2 * step),
        (above - 2 * centre + below).abs() / step,
        (centre - below) / step,
        (above - centre) / step,
    )


def second_order(call: Call) -> Iterator[Case]:
    """A second backward finds the derivative of the first, or raises, as `once_differentiable` declares.

    Only this probe sees a detached upstream gradient, an intermediate kept as a constant, a backward that leaves torch:
    second derivatives that are silently wrong (pytorch issue 58509). What `gradgradcheck` asks, along a random direction.
    """
    for i in call.optional:
        with contextlib.suppress(NotApplicable):
            yield from second_order(
                replace(
                    call.at(tuple(None if k == i else a for k, a in enumerate(call.args)), f"{call.names[i]} = None: "),
                    optional=(),
                )
            )
    run = call.run()
    upstream = [g.clone().requires_grad_() for g in call.upstream]
    try:
        grads = run.pull(upstream, create_graph=True)
    except RuntimeError as error:
        raise NotApplicable(
            f"backward raises under create_graph ({type(error).__name__}), so there is no second derivative"
        ) from None
    plainly = [
        (f"gradient of {call.names[i]} with create_graph=True", (grad, want))
        for i, grad, want in zip(call.wanted, grads, call.gradients, strict=True)
    ]
    for label, pair in plainly:
        yield case(call.text, {label: pair}, within(pair[1], call.scale))
    weights = [drawn(grad.detach(), call.seed + 211 + k) for k, grad in enumerate(grads)]
    along = [direction(t, call.seed + 307 + k) for k, t in enumerate((*run.leaves, *upstream))]
    if any("Error" in grad.grad_fn.name() for grad in grads if grad.grad_fn is not None):
        raise NotApplicable("a second derivative raises an error, as once_differentiable promises")
    tracked = [(grad, weight) for grad, weight in zip(grads, weights, strict=True) if grad.requires_grad]
    if tracked:
        total = sum((grad.conj() * weight).sum().real for grad, weight in tracked)
        try:
            found = torch.autograd.grad(total, [*run.leaves, *upstream], allow_unused=True)
        except RuntimeError:
            raise NotApplicable("a second derivative raises an error, as once_differentiable promises") from None
        found = [torch.zeros_like(d) if grad is None else grad for grad, d in zip(found, along, strict=True)]
    else:
        found = [torch.zeros_like(d) for d in along]
    count = len(run.leaves)
    point = [t.detach() for t in (*run.leaves, *upstream)]
    sizes = []
    for step in (2e-4, 5e-5) if call.upstream[0].dtype in EXACT else (2e-2, 5e-3):
        ahead, behind = (
            inner(
                weights,
                call.at(_moved(call, [p + sign * step * d for p, d in zip(point[:count], along[:count], strict=True)])).vjp(
                    [p + sign * step * d for p, d in zip(point[count:], along[count:], strict=True)]
                ),
            )
            for sign in (1, -1)
        )
        sizes.append((ahead - behind) / (2 * step))
    wide, narrow = sizes
    claimed, value = inner(found, along), narrow + (narrow - wide) / 15
    slack = 10 * abs(narrow - wide) + SMALL.get(call.upstream[0].real.dtype, 3e-2) * 5 * (abs(value) + length(found, along))
    yield case(call.text, {"slope of backward along a random direction": (claimed, between(value - slack, value + slack))})


def _moved(call: Call, tensors: Tensors) -> tuple:
    args = list(call.args)
    for i, tensor in zip(call.wanted, tensors, strict=True):
        args[i] = tensor.detach().requires_grad_()
    return tuple(args)


def shapes(call: Call) -> Iterator[Case]:
    """Wherever forward runs backward must be right: one row, one column, no row, more dimensions in front, other memory layouts.

    Only this probe sees a `squeeze()`, a fixed `sum(0)`, a `.view` of what is not contiguous.
    """
    judged = 0
    for label, args in _layouts(call):
        try:
            run = Run(args, as_tuple(call.fn(*args)))  # a copy would close the gaps
        except RuntimeError as error:
            if "contiguous" in str(error):
                continue  # it asks for contiguous tensors, and says so
            raise
        judged += 1
        grads = run.pull([_turned(g).conj().resolve_conj().conj() for g in call.upstream])
        pairs = {
            _output(k, len(run.outputs)): (one, want)
            for k, (one, want) in enumerate(zip(run.outputs, call.base.outputs, strict=True))
        }
        pairs |= {
            f"gradient of {call.names[i]}": (g, want) for i, g, want in zip(call.wanted, grads, call.gradients, strict=True)
        }
        for name, pair in pairs.items():
            yield case(f"{label}: {call.text}", {name: pair}, within(pair[1], call.scale))
    for label, args, must_run in _sizes(call):
        near = call.at(args, f"{label}: ")
        try:
            outputs = near.base.outputs
            fine = len(outputs) == len(call.base.outputs) and all(output.isfinite().all() for output in outputs)
        except Exception:
            continue
        # a dimension that does not show in the output was broadcast or summed away: nobody promised that
        hidden = "a dimension" in label and all(o.dim() == b.dim() for o, b in zip(outputs, call.base.outputs, strict=True))
        if not fine or hidden:
            continue
        try:
            cut = bool(call.axes) and "cut to" in label
            cases = list(_cut_alike(call, near, args) if cut else _at_size(near, largest_of(call.gradients) + 1e-3))
        except Exception as error:
            if not must_run:
                continue  # a loud refusal of what it was perhaps never meant for
            cases = [{"given": near.text, "seen": {"raised": raised(error)}, "expect": {}}]
        judged += 1
        yield from cases
    if not judged:
        raise NotApplicable("forward takes no other shape or layout of these inputs")


def _cut_alike(call: Call, near: Call, args: tuple) -> Iterator[Case]:
    """What goes element by element gives the same for the elements that are left."""
    index = tuple(slice(0, size) for size in args[call.axes[0]].shape)
    grads = near.run().pull([g[index].clone() for g in call.upstream])
    for i, got, want in zip(call.wanted, grads, call.gradients, strict=True):
        if i in call.axes:
            yield case(near.told, {f"gradient of {call.names[i]}": (got, want[index])}, within(want, call.scale))
        else:
            yield case(near.told, {f"shape of the gradient of {call.names[i]}": (list(got.shape), list(want.shape))})


def _at_size(near: Call, size: float) -> Iterator[Case]:
    grads = near.gradients
    for i, grad in zip(near.wanted, grads, strict=True):
        yield case(near.told, {f"shape of the gradient of {near.names[i]}": (list(grad.shape), list(near.args[i].shape))})
    if near.reference is not None:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, IndexError, TypeError):
            other = Call(near.reference, near.args, near.names, seed=near.seed)
            for k, (one, want) in enumerate(zip(near.base.outputs, other.base.outputs, strict=True)):
                if want.isfinite().all():
                    yield case(near.told, {_output(k, len(near.base.outputs)): (one, want)}, within(want, near.scale))
            wants = other.vjp(near.upstream)
            for i, got, want in zip(near.wanted, grads, wants, strict=True):
                yield case(near.told, {f"gradient of {near.names[i]}": (got, want)}, within(want, near.scale))
    elif all(output.numel() for output in near.base.outputs):
        outcome = _slope(near, size)
        yield from outcome[1] if outcome else ()


def _layouts(call: Call) -> Iterator[tuple[str, tuple]]:
    tensors = [*(call.args[i] for i in call.wanted), *call.upstream]
    if any(t.dim() > 1 or t.is_complex() for t in tensors):
        yield (
            "transposed in memory",
            tuple(_turned(a).requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in call.args),
        )
    if any(t.dim() == 1 for t in tensors):
        yield (
            "every second place in memory",
            tuple(_spread(a).requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in call.args),
        )


def _spread(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with a gap after each."""
    tensor = tensor.detach()
    return tensor.repeat_interleave(2, -1)[..., ::2] if tensor.dim() else tensor.clone()


def _turned(tensor: torch.Tensor) -> torch.Tensor:
    """The same values with the first and the last dimension exchanged in memory."""
    tensor = tensor.detach()
    return tensor.transpose(0, -1).contiguous().transpose(0, -1) if tensor.dim() > 1 else tensor.clone()


def _sizes(call: Call) -> Iterator[tuple[str, tuple, bool]]:
    """Other arguments, and whether backward must run where forward does.

    Each size of the inputs cut to one, wherever it stands; the first cut to none; a dimension more and less; an optional tensor
    left out.
    """
    free = [a for i, a in enumerate(call.args) if isinstance(a, torch.Tensor) and i not in call.parameters]
    bound = {extent for i in call.parameters for extent in call.args[i].shape}
    extents = sorted({extent for a in free for extent in a.shape if extent > 1} - bound, reverse=True)[:4]
    first = [a.shape[0] for a in free[:1] if a.dim() and a.shape[0] not in bound]
    for count, extent in [*((1, extent) for extent in extents), *((0, extent) for extent in first)]:
        args = (a if i in call.parameters else _cut(a, extent, count) for i, a in enumerate(call.args))
        yield f"size {extent} cut to {count}", tuple(args), count > 0
    last = {call.args[i].shape[-1] for i in call.wanted[:1] if call.args[i].dim()}
    for extent in last & set(extents) if not call.axes else ():
        args = [a if i in call.parameters else _repeated(a, extent) for i, a in enumerate(call.args)]
        if all(not isinstance(a, torch.Tensor) or a.numel() < 20_000 for a in args):
            yield f"size {extent} made {LONG}", tuple(args), True
    for label, args in call.other_values():
        yield label, args, False
    for i in call.wanted[1:3]:
        a = call.args[i].detach()
        yield (
            f"{call.names[i]} all zeros",
            tuple(torch.zeros_like(a).requires_grad_() if i == k else b for k, b in enumerate(call.args)),
            False,
        )
        if a.numel() > 1 and i not in call.parameters:
            one = a.flatten()[:1].reshape([1] * a.dim())
            args, whole = (tuple(t if i == k else b for k, b in enumerate(call.args)) for t in (one, one.expand_as(a)))
            if _broadcasts(call, args, whole):
                yield (
                    f"{call.names[i]} a single number",
                    tuple(one.clone().requires_grad_() if i == k else b for k, b in enumerate(args)),
                    False,
                )
    for i in call.optional:
        yield f"{call.names[i]} = None", tuple(None if i == k else a for k, a in enumerate(call.args)), True
    for i in [i for i in call.wanted if i not in call.parameters][:1]:
        a = call.args[i].detach()
        for label, other in (
            ("a dimension more", torch.stack([a, 1.3 * a])),
            ("a dimension less", a[0] if a.dim() and len(a) else a),
        ):
            args = list(call.args)
            args[i] = other.clone().requires_grad_()
            yield f"{label} in {call.names[i]}", tuple(args), False


def _broadcasts(call: Call, args: tuple, whole: tuple) -> bool:
    """Whether a single number counts as many, and no kernel reads beyond its end."""
    try:
        with torch.no_grad():
            pairs = zip(call.run(args).all, call.run(whole).all, strict=True)
            return all(torch.allclose(one, other) for one, other in pairs if isinstance(one, torch.Tensor))
    except Exception:
        return False


def _cut(a: object, extent: int, count: int) -> object:
    if not isinstance(a, torch.Tensor):
        return a
    index = tuple(slice(0, count) if size == extent else slice(None) for size in a.shape)
    return a.detach()[index].clone().requires_grad_(a.requires_grad)


def _repeated(a: object, extent: int) -> object:
    """Along each dimension of this size the tensor is continued: by itself, scaled a little each time, integers as they are."""
    if not isinstance(a, torch.Tensor) or extent not in a.shape:
        return a
    longer = a.detach()
    for dim, size in enumerate(a.shape):
        if size == extent:
            index = torch.arange(LONG, device=a.device)
            longer = longer.index_select(dim, index % extent)
            if a.is_floating_point() or a.is_complex():
                scale = (1 + 0.003 * (index // extent)).reshape([-1 if d == dim else 1 for d in range(a.dim())])
                longer = longer * scale.to(a.real.dtype)
    return longer.clone().requires_grad_(a.requires_grad)
