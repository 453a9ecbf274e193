"""The exercise `jvp` of chapter 10: the forward derivative of a Function of two arguments."""

from collections.abc import Callable, Iterator

import torch
from torch.autograd import forward_ad
from torch.autograd.gradcheck import GradcheckError
from torch.func import grad, jacfwd, vjp

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.probes import needs_values
from handgrad.audit.record import Case, plain, raised
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject, leaves, numbers, words
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
NAMES = ("input", "scale")


def _args(input: torch.Tensor, scale: torch.Tensor) -> Args:
    return input.requires_grad_(), scale.requires_grad_()


SCALED_TANH = Subject(
    names=NAMES,
    samples=lambda draw: [
        _args(draw.normal(3), draw.normal()),
        _args(draw.normal(2, 3), draw.normal()),
        _args(draw.normal(), draw.normal()),
        _args(draw.normal(2), tensor(0.0)),
    ],
    shapes=lambda draw: [
        ("no elements", _args(draw.normal(0), draw.normal())),
        ("transposed", _args(draw.normal(3, 2).t(), draw.normal())),
        ("float32", _args(draw.normal(4, dtype=torch.float32), draw.normal(dtype=torch.float32))),
    ],
)


class _ScaledTanh(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input, scale):
        return scale * input.tanh()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        input, scale = ctx.saved_tensors
        tanh = input.tanh()
        return grad_output * scale * (1 - tanh**2), (grad_output * tanh).sum()

    @staticmethod
    def jvp(ctx, input_tangent, scale_tangent):
        input, scale = ctx.saved_tensors
        tanh = input.tanh()
        return input_tangent * scale * (1 - tanh**2) + scale_tangent * tanh


def _with_jvp(rule: Callable) -> Function:
    """The Function with a jvp `(tangent of input, tangent of scale, tanh(input), scale) -> tangent`."""

    class WithJvp(_ScaledTanh):
        @staticmethod
        def jvp(ctx, input_tangent, scale_tangent):
            input, scale = ctx.saved_tensors
            return rule(input_tangent, scale_tangent, input.tanh(), scale)

    return WithJvp


def _forward(answer: Function, draw: Draw, inputs: list[Args] | None = None, digits: float = 1e-12) -> Iterator[Case]:
    """The tangent of the output, along each argument alone and along both."""
    for args in inputs or [*SCALED_TANH.samples(draw), _args(tensor([-8.0, 7.0]), draw.normal())]:
        for moves in ((True, False), (False, True), (True, True)):
            far = 20.0 if all(moves) else 1.0  # a tangent is no small step
            tangents = tuple(draw.normal(*a.shape, dtype=a.dtype, scale=far) for a in args)
            tangents = tuple(t if moving else torch.zeros_like(t) for t, moving in zip(tangents, moves, strict=True))
            output, tangent = torch.func.jvp(answer.apply, tuple(a.detach() for a in args), tangents)
            given = f"{words(NAMES, args)}, tangents {numbers(tangents[0])} and {numbers(tangents[1])}"
            yield {"given": given, "seen": {"output": plain(output), "tangent": plain(tangent)}, "tolerance": [digits, digits]}


def _single(answer: Function, draw: Draw) -> Iterator[Case]:
    """In float32 the tangent is float32 too; and a tensor that is transposed, or empty, is one like others."""
    return _forward(answer, draw, [args for _, args in SCALED_TANH.shapes(draw)], 1e-5)


def _untouched(answer: Function, draw: Draw) -> Iterator[Case]:
    """What jvp is handed belongs to others: torch.func refuses a write, forward_ad does not. Nothing is left on the class."""
    args = SCALED_TANH.samples(draw)[0]
    values = [a.detach() for a in args]
    tangents = [draw.normal(*a.shape) for a in args]
    before = [numbers(t) for t in tangents]
    attributes = dict(vars(answer))
    with forward_ad.dual_level():
        output = answer.apply(*(forward_ad.make_dual(a, t) for a, t in zip(values, tangents, strict=True)))
        tangent = forward_ad.unpack_dual(output).tangent
    seen = {"tangent": plain(tangent)}
    seen |= {f"{name} afterwards": plain(a) for name, a in zip(NAMES, values, strict=True)}
    seen |= {f"tangent of {name} afterwards": plain(t) for name, t in zip(NAMES, tangents, strict=True)}
    left = sorted(name for name, value in vars(answer).items() if attributes.get(name) is not value)
    seen["attributes that a call leaves on the class"] = left
    yield {"given": f"with forward_ad: {words(NAMES, args)}, tangents {before[0]} and {before[1]}", "seen": seen}


def _adjoint(answer: Function, draw: Draw) -> Iterator[Case]:
    """u · (J v) = (u J) · v: the answer's jvp against its own backward, without any reference."""
    for args in SCALED_TANH.samples(draw)[:2]:
        values = tuple(a.detach() for a in args)
        tangents, u = tuple(draw.normal(*a.shape) for a in args), draw.normal(*args[0].shape)
        pushed = torch.func.jvp(answer.apply, values, tangents)[1]
        pulled = vjp(answer.apply, *values)[1](u)
        apart = (u * pushed).sum() - sum((p * t).sum() for p, t in zip(pulled, tangents, strict=True))
        yield {"given": f"{words(NAMES, args)}, u = {numbers(u)}", "seen": {"u · (J v) - (u J) · v": plain(apart)}}


def _check_forward_ad(answer: Function, draw: Draw) -> Iterator[Case]:
    """`gradcheck` with `check_forward_ad=True`, which compares jvp with finite differences."""
    for args in SCALED_TANH.samples(draw)[:2]:
        try:
            seen = torch.autograd.gradcheck(answer.apply, leaves(args), atol=1e-6, rtol=1e-6, check_forward_ad=True)
        except GradcheckError as error:
            seen = str(error).strip().splitlines()[0]
        yield {"given": words(NAMES, args), "seen": {"gradcheck(…, check_forward_ad=True)": seen}}


def _jacfwd(answer: Function, draw: Draw) -> Iterator[Case]:
    """The Jacobians of both arguments, column by column: jvp on a batch of tangents."""
    for args in SCALED_TANH.samples(draw)[:2]:
        columns = jacfwd(answer.apply, argnums=(0, 1))(*(a.detach() for a in args))
        seen = {f"Jacobian of {name}": plain(jacobian) for name, jacobian in zip(NAMES, columns, strict=True)}
        yield {"given": f"jacfwd(f, argnums=(0, 1))({', '.join(NAMES)}), {words(NAMES, args)}", "seen": seen}


def _second(answer: Function, draw: Draw) -> Iterator[Case]:
    """Second derivatives in the two mixed orders, by torch.func, and by backward() of a tangent, the one that sees .data."""
    args = SCALED_TANH.samples(draw)[0]
    values = tuple(a.detach() for a in args)
    tangents, u = tuple(draw.normal(*a.shape) for a in args), draw.normal(*args[0].shape)
    gradient = grad(lambda input, scale: (u * answer.apply(input, scale)).sum(), argnums=(0, 1))
    over_reverse = torch.func.jvp(gradient, values, tangents)[1]
    over_forward = grad(lambda *at: (u * torch.func.jvp(answer.apply, at, tangents)[1]).sum(), argnums=(0, 1))(*values)
    fresh = leaves(args)
    with forward_ad.dual_level():
        output = answer.apply(*(forward_ad.make_dual(a, t) for a, t in zip(fresh, tangents, strict=True)))
        plainly = torch.autograd.grad(forward_ad.unpack_dual(output).tangent, fresh, u, materialize_grads=True)
    by = {"jvp of grad": over_reverse, "grad of jvp": over_forward, "backward() of the tangent by forward_ad": plainly}
    for how, found in by.items():
        seen = {f"second derivative along the tangents, {name}": plain(part) for name, part in zip(NAMES, found, strict=True)}
        yield {"given": f"{how}, {words(NAMES, args)}", "seen": seen}


def _device(answer: Function, draw: Draw) -> Iterator[Case]:
    """No tensor is made on another device than the tangents'."""
    args = tuple(a.detach().to("meta") for a in SCALED_TANH.samples(draw)[0])
    given = "input, scale and their tangents on the meta device"
    try:
        with forward_ad.dual_level():
            output = answer.apply(*(forward_ad.make_dual(a, torch.ones_like(a)) for a in args))
            seen = {"tangent": forward_ad.unpack_dual(output).tangent.device.type}
    except Exception as error:
        if needs_values(error):
            yield {"given": given, "skip": "it reads values, and meta tensors have none"}
            return
        seen = {"raised": raised(error)}
    yield {"given": given, "seen": seen, "may skip": True}


_ERRORS = (
    (
        r"cannot unpack|not enough values to unpack|too many values|index out of range",
        "In jvp, ctx.saved_tensors is what save_for_forward saved; save_for_backward is for backward alone. Call both.",
    ),
    (r"does not have vmap support", "jvp is run on a batch of tangents: leave `generate_vmap_rule = True` in the class."),
    (r"must implement the jvp", "torch looks for a static method of exactly that name: jvp."),
    (r"jvp\(\) (takes|missing|got)", "jvp gets ctx, and one tangent for each argument of forward: input_tangent, scale_tangent."),
    (r"invalid number of forward gradients", "jvp returns one tangent for each output, and there is one: add the two shares."),
    (r"expected Variable or None", "jvp returns something that is no tensor: return the tangent itself, in no list."),
    (r"does not require grad", "jvp itself cannot be differentiated: no .detach(), .item(), .data, no_grad in it."),
    (r"different size than", "The tangent of the output has the output's shape: nothing is summed on the way forward."),
    (r"INTERNAL ASSERT|forward grad to be floating", "jvp returns something that is no tensor: is a return missing?"),
    (
        r"calling \.item\(\)|data-dependent control flow|data pointer of Tensor",
        "A batch of tangents has no one number and no one yes or no: no .item(), and no Python if on a tensor.",
    ),
    (r"Nested forward mode", "jvp runs inside forward mode, where torch.func.jvp cannot be called again: write the formula."),
    (r"would mutate a captured Tensor|inplace", "jvp writes into what it was handed: compute new tensors."),
)


# (tangent of input, tangent of scale, tanh(input), scale) -> tangent, as people get it wrong
_SLIPS: tuple[tuple[Callable, str], ...] = (
    (lambda dx, ds, t, s: dx * s * (1 - t**2), "The share of scale is missing: its tangent times tanh(input)."),
    (lambda dx, ds, t, s: ds * t + dx * 0, "The share of input is missing: its tangent times scale (1 - tanh²)."),
    (
        lambda dx, ds, t, s: ds * dx.tanh(),
        "You put the tangents through the function itself. A tangent is a direction: it is multiplied by the derivative.",
    ),
    (lambda dx, ds, t, s: dx * s * (1 - t) + ds * t, "The derivative of tanh is 1 - tanh², and a square is missing."),
    (
        lambda dx, ds, t, s: dx * (1 - t**2) + ds * t,
        "The output is scale times tanh, so the share of input is multiplied by scale too.",
    ),
    (
        lambda dx, ds, t, s: dx * s * t + ds * t,
        "The share of input is multiplied by the value of tanh; it is its derivative that is asked for.",
    ),
    (lambda dx, ds, t, s: dx * s * (1 + t**2) + ds * t, "A sign is wrong: the derivative of tanh is 1 minus tanh²."),
    (
        lambda dx, ds, t, s: dx * s * (1 - t**2) + (ds * t).sum(),
        "The share of scale is summed. backward sums, as one number has moved all outputs; forward, that number's tangent "
        "spreads to all of them.",
    ),
    (
        lambda dx, ds, t, s: s * (1 - t**2) + t + 0 * dx,
        "jvp ignores the tangents: it returns the derivatives themselves.",
    ),
    (
        lambda dx, ds, t, s: dx * s * (1 - t**2) * ds * t,
        "The two shares are multiplied. Derivatives along several arguments are added.",
    ),
    (lambda dx, ds, t, s: dx * s * (1 - t**2) - ds * t, "A sign is wrong: the two shares are added."),
    (lambda dx, ds, t, s: dx.abs() * s * (1 - t**2) + ds * t, "The sign of a tangent is lost: a direction may be negative."),
)


def _probe(name: str, observe: Callable, slip: str) -> Probe:
    return Probe(name, observe, slip, errors=_ERRORS)


JVP = Exercise(
    name="jvp",
    chapter="10_transforms",
    probes=(
        *function_probes(
            SCALED_TANH, "forward", "returned", "upstream", "gradcheck", "stale", "shapes", "saved", advice=("saved",)
        ),
        _probe("jvp", _forward, "The tangent is not each argument's derivative times its tangent, added up."),
        _probe("shapes and float32", _single, "jvp holds for one dtype or shape only: make constants with the input's dtype."),
        _probe(
            "nothing else touched", _untouched,
            "jvp wrote into a tangent or an argument, which belong to others, or onto the class. Compute new tensors.",
        ),
        _probe("adjoint", _adjoint, "jvp and backward disagree: u · (J v) is not (u J) · v, so one of them is wrong."),
        _probe("check_forward_ad", _check_forward_ad, "The tangent is not what finite differences of forward say."),
        _probe("jacfwd", _jacfwd, "jvp must be right for a whole batch of tangents too: keep to operations that vmap knows."),
        _probe("second derivatives", _second, "jvp itself cannot be differentiated: no .detach(), .item(), .data in it."),
        _probe("device of the tangent", _device, "A tensor is made on the default device: use zeros_like or ones_like."),
    ),
    reference=_ScaledTanh,
    slips=tuple(Slip(_with_jvp(rule), text) for rule, text in _SLIPS),
    errors=(
        (
            r"cannot unpack|not enough values to unpack",
            "backward's ctx.saved_tensors is what save_for_backward saved: save input and scale there too.",
        ),
    ),
    rules=(not_instantiated("ScaledTanh"), forward_not_called("ScaledTanh")),
    given=("forward", "returned", "upstream", "gradcheck", "stale", "shapes"),
    hints=(
        "If input moves a little and scale stands still, how far does the output move? And the other way round?",
        "The output's tangent is scale · (1 - tanh²) times the tangent of input, plus tanh times the tangent of scale.",
        "`ctx.save_for_forward(*inputs)`; `return input_tangent * scale * (1 - tanh**2) + scale_tangent * tanh`.",
    ),
)  # fmt: skip

EXERCISES = (JVP,)
