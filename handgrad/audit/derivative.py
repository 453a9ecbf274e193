"""The probes that ask whether backward is the derivative.

Each takes a `Call` and yields cases (see `case`), or raises `NotApplicable`. Its docstring says what it catches that the others
let through, and where the fact comes from.
"""

import math
from collections.abc import Callable, Iterator

import torch

from handgrad.audit.calls import Call, Tensors, direction, drawn, inner, length, real
from handgrad.audit.case import NotApplicable, between, case
from handgrad.audit.record import Case
from handgrad.audit.slopes import largest, places_of_jumps, slopes
from handgrad.audit.subject import numbers

EXACT = {torch.float64: 1e-10, torch.complex128: 1e-10}  # what two ways of computing the same may differ by, of the size
SMALL = {torch.float64: 2e-7, torch.float32: 3e-2}  # what a slope measured by differences may be off by, of its size
DIGITS = 1e-9  # the same where rounding to float32 was seen on the way, which hides below SMALL
FEW, MANY = 64, 2048
REFUSES = "forward refuses inputs beside yours: audit lambda a: f(project(a)), where project makes them fit"
SERIES = (("three-thousandth", 1 / 3000), ("millionth", 1e-6))  # below where a series stands for a formula
TIES, ZERO, ZEROS, FAR = "with ties: ", "some elements zero: ", "all zeros: ", "a million added: "


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
        other = near.at_reference()
        try:
            values = other.base.outputs
            ours = near.base.outputs
            if near.label in (TIES, ZERO, ZEROS):
                near.gradients  # noqa: B018 - backward may refuse, as an inverse of what is singular does
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
            yield case(near.told, {output_name(k, len(values)): (one, want)}, loose * within(want, call.scale))
        rest = [o for o in near.base.all if isinstance(o, torch.Tensor) and not o.requires_grad]
        for one, want in zip(
            rest, (o for o in other.base.all if isinstance(o, torch.Tensor) and not o.requires_grad), strict=False
        ):
            yield case(near.told, {"output that needs no grad": (one, want)}, within(want, call.scale))
        wants = other.vjp(near.upstream)
        if near.label in (ZERO, ZEROS):  # a kink for many, where a right slope need not be the reference's
            lost = [int((got.isnan() & want.isfinite()).sum()) for got, want in zip(near.gradients, wants, strict=True)]
            yield case(near.told, {"elements of the gradient that are NaN": (sum(lost), 0)})
            smooth = near.label == ZERO and all(want.isfinite().all() for want in wants)
            if smooth and not _alike(near.gradients, wants, near.scale) and _is_slope(call):
                outcome = slope(near, None)
                yield from outcome[1] if outcome else ()
            continue
        if near.label == TIES and not _alike(near.gradients, wants, near.scale):
            outcome = slope(near, None)
            yield from outcome[1] if outcome else ()
            continue
        for i, got, want in zip(call.wanted, near.gradients, wants, strict=True):
            loose = 1e5 if near.label == FAR else 1.0  # where digits are lost by rounding alone
            if want.isfinite().all():
                yield case(near.told, {f"gradient of {call.names[i]}": (got, want)}, loose * within(want, call.scale))


def _alike(some: Tensors, others: Tensors, scale: float) -> bool:
    pairs = zip(some, others, strict=True)
    return all(torch.allclose(one, other, rtol=0.0, atol=within(other, scale)) for one, other in pairs)


def _is_slope(call: Call) -> bool:
    """Whether the gradient at the inputs is the slope of forward, which that of an estimator is not."""
    _, cases = slope(call, None) or (0.0, [])
    pairs = [(one["seen"][label], *want["between"]) for one in cases for label, want in one["expect"].items()]
    return bool(pairs) and all(low <= seen <= high for seen, low, high in pairs)


def within(want: torch.Tensor, scale: float = 0.0) -> float:
    """What two ways of computing a tensor may differ by: relative to its largest element, or to `scale` where that is larger.

    A gradient that is zero but for rounding is as exact as the numbers that it was summed from.
    """
    if not (want.is_floating_point() or want.is_complex()):
        return 0.0
    return tolerance(want) * max(largest(want), scale, 1e-30)


def output_name(k: int, count: int) -> str:
    return "output" if count == 1 else f"output {k}"


def gradcheck(call: Call) -> Iterator[Case]:
    """backward is the slope of forward: the idea of `torch.autograd.gradcheck`, at nine digits where that has three.

    Catches what needs no reference to be wrong: a factor, a sign, a mask, an axis, a term left out, at the inputs and at points
    beside them (other signs, equal elements, zeros, ten times as large, a three-thousandth, a millionth).
    Where a slope jumps, anything between its two sides is right. Random directions move all elements at once, so a fault in one
    entry shows.
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
        outcome = slope(near, size)
        if outcome is None:
            continue
        judged += 1
        size = size or outcome[0]
        yield from outcome[1]
    if not judged:
        raise NotApplicable("forward is not finite around the inputs, so no slope can be measured")


def slope(near: Call, size: float | None) -> tuple[float, list[Case]] | None:
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
            raise NotApplicable(REFUSES) from None
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
        else:
            low, high = _finer(near, along, weights, rtol * typical, claimed) or (low, high)
        if not low <= claimed <= high:
            found += _elements(near, g, grads, rtol)
        found.append(case(near.told, {"slope along a random direction": (claimed, between(low, high))}))
    return largest_of(near.gradients) + 1e-3, found


def _finer(near: Call, along: Tensors, weights: torch.Tensor, slack: float, claimed: float) -> tuple[float, float] | None:
    """The interval by much smaller steps, where the claim lies in it: beside what is nearly singular others see nothing."""
    measured = slopes(near.values, [near.args[i] for i in near.wanted], along, finer=1e-2)
    low, high = measured.between(weights, slack, claimed)
    return (low, high) if measured.finite and low <= claimed <= high else None


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
                cases.append(case(f"{near.text}, upstream {numbers(g[0])}", middle))
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
    fine = call.upstream[0].dtype.itemsize > 2 and call.branches
    for label, moved in (
        ("with other signs: ", lambda a, i: _signed(a, i, call.reference is None)),
        (TIES, lambda a, i: _tied(a)),
        ("ten times as large: ", lambda a, i: a * 10),
        *([(f"a {word} as large: ", lambda a, i, by=by: a * by) for word, by in SERIES] if fine else []),
        (ZERO, lambda a, i: _some_zero(a, call.reference is None)),
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


def _signed(a: torch.Tensor, i: int, keep: bool) -> torch.Tensor:
    """With other signs; `keep` those of a radius."""
    return a if keep and _one_sign(a) else a * drawn(a, 33 + i).real.sign().to(a.dtype)


def _one_sign(a: torch.Tensor) -> bool:
    """Whether several numbers have the same sign, perhaps because they have to."""
    return a.numel() > 1 and not a.is_complex() and bool((a.sign() == a.sign().flatten()[0]).all())


def _some_zero(a: torch.Tensor, keep: bool) -> torch.Tensor:
    """The last element zero; of several long rows two in the last row, and one in the first."""
    a = a.clone()
    if a.numel() and not (keep and _one_sign(a)):
        a.reshape(-1)[[0, -2, -1] if a.dim() > 1 and a.shape[-1] > 2 and a.shape[0] > 1 else [-1]] = 0
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
    here = {"dtype": torch.float64, "device": device}
    beside = torch.logspace(-9, -1, 17, **here)
    powers = torch.logspace(-6, 3, 37, **here)
    whole = torch.arange(-3, 3.5, 0.5, **here)  # where rounding has nothing to do, or a tie
    rows = [
        torch.linspace(-10.0037, 9.9971, MANY, **here),
        powers,
        -powers,
        whole,
        torch.tensor([*jumps, *([-1e10, 3e9, 1e12] if call.reference else [])], **here),
    ]
    x = torch.cat([*rows, *(jump + sign * beside for jump in jumps for sign in (-1, 1))])

    signs = torch.where(torch.arange(len(x), device=device) % 3 == 0, -0.7, 1.3).double()
    run = call.run(args_at(x))
    claimed = dict(zip(call.wanted, run.pull([signs.clone() for _ in run.outputs]), strict=True))[i] / signs
    low, high, judged = _slopes_along(f, x, [*whole.tolist(), *jumps])
    if call.reference is not None:
        other = call.at(run.args).at_reference().run()
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
    # among jumps closer than the steps these say nothing
    apart = torch.maximum((wide - narrow).abs(), bend) > 0.01 * (left.abs() + right.abs()) + 1e-3 + 100 * rounding
    unsure = apart & (clear > 0)
    low, high = torch.where(unsure, -torch.inf, low), torch.where(unsure, torch.inf, high)
    return low, high, wide.isfinite() & narrow.isfinite() & centre.isfinite() & ~torn


def _differences(f: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, centre: torch.Tensor, step: torch.Tensor) -> tuple:
    above, below = f(x + step), f(x - step)
    return (
        (above - below) / (2 * step),
        (above - 2 * centre + below).abs() / step,
        (centre - below) / step,
        (above - centre) / step,
    )
