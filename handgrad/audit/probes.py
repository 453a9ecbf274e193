"""The probes of an autograd Function. Each calls it in one way and writes down what came out.

A probe takes the Function, its subject and a source of inputs, and yields cases (see `record`). Whatever it yields for
the oracle is what is expected. Each docstring says what the probe catches that the others let through.
"""

from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from torch.autograd.gradcheck import GradcheckError

from handgrad.audit.calls import Trace, holds_tensor
from handgrad.audit.draw import Draw
from handgrad.audit.kept import Kept
from handgrad.audit.record import Case, described, plain, raised
from handgrad.audit.subject import Args, Subject, differentiable, leaves, numbers, words

Function = type[torch.autograd.Function]


def form(fn: object, subject: Subject, draw: Draw) -> Iterator[Case]:
    """The answer is a class that subclasses `torch.autograd.Function`: everything else goes through `.apply`."""
    is_function = isinstance(fn, type) and issubclass(fn, torch.autograd.Function)
    kind = "a subclass of torch.autograd.Function"
    seen = kind if is_function else (f"the class {fn.__name__}" if isinstance(fn, type) else described(fn))
    yield {"given": "the answer itself", "seen": {"what it is": seen}}


def forward(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """Values equal the reference; the output is a new tensor and the input is left as it was.

    Only this probe sees a forward that works in place, or returns its input (torch makes that a view, on which a later
    in-place operation raises).
    """
    for args in (*subject.samples(draw), *subject.extremes(draw)):
        fresh = leaves(args)
        output = fn.apply(*fresh)
        seen = {"output": plain(output)}
        if isinstance(output, torch.Tensor):
            seen["output requires grad"] = output.requires_grad
            memory = {a.untyped_storage().data_ptr() for a in fresh if isinstance(a, torch.Tensor) and a.numel()}
            seen["output has memory of its own"] = output.untyped_storage().data_ptr() not in memory
        for i, name in enumerate(subject.names[: len(args)]):
            if isinstance(args[i], torch.Tensor):
                seen[f"{name} after forward"] = plain(fresh[i])
        yield {"given": words(subject.names, args), "seen": seen}


def returned(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """How many gradients backward returns, for which arguments, of which type.

    The engine hides these faults: it drops what nobody asked for and casts a wrong dtype. So the node is called by
    itself: `y.grad_fn.apply(g)` neither checks nor casts. In float32 too, or a gradient that is always float64 would pass.
    """
    single = [args for label, args in subject.shapes(draw) if label == "float32"]
    for given, names, needed, grads in _raw_gradients(fn, [*subject.samples(draw), *single], subject, draw):
        count = len(grads)
        while count and grads[count - 1] is None:
            count -= 1
        fits = max(needed, default=-1) < count <= len(names) or len(grads) == len(names)
        seen: dict = {"number of gradients": len(names) if fits else len(grads)}
        for i, name in enumerate(names):
            grad = grads[i] if i < len(grads) else None
            if i in needed:
                is_tensor = isinstance(grad, torch.Tensor)
                seen[f"gradient of {name}"] = f"a tensor, {_dtype(grad)}" if is_tensor else described(grad)
            elif names[name] is None:
                seen[f"gradient of {name}"] = described(grad) if grad is not None else "None"
        yield {"given": given, "seen": seen}


def returned_shape(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """Each gradient has its argument's shape. The engine hides it where it can: it sums a larger gradient down."""
    for given, names, needed, grads in _raw_gradients(fn, subject.samples(draw), subject, draw):
        seen = {}
        for i, name in enumerate(names):
            if i in needed:
                grad = grads[i] if i < len(grads) else None
                shape = f"shape {tuple(grad.shape)}" if isinstance(grad, torch.Tensor) else described(grad)
                seen[f"gradient of {name}"] = shape
        yield {"given": given, "seen": seen}


def _raw_gradients(fn: Function, samples: list[Args], subject: Subject, draw: Draw) -> Iterator[tuple]:
    for args in samples:
        fresh = leaves(args)
        output = fn.apply(*fresh)
        upstream = draw.normal(*output.shape, dtype=output.dtype)
        with torch.no_grad():
            grads = output.grad_fn.apply(upstream)
        grads = grads if isinstance(grads, tuple) else (grads,)
        # an argument that was left out is like one that is None: there is no gradient for it
        names = dict.fromkeys(subject.names) | dict(zip(subject.names, args, strict=False))
        names = {name: value if isinstance(value, torch.Tensor) else None for name, value in names.items()}
        yield f"y.grad_fn.apply(upstream) for {words(subject.names, args)}", names, differentiable(args), grads


def upstream(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """The vector-Jacobian product under random signed upstream gradients, float64.

    Catches what `y.sum().backward()` cannot, since its upstream is all ones: a forgotten `grad_output`, its absolute
    value, a threshold that is off by a little. Many digits find a gradient that is rounded, large numbers one that is clipped.
    """
    first, *others = subject.samples(draw)
    scaled = [(first, 3.0), *((args, 20 / 7) for args in others), *((args, 1e5) for args in subject.extremes(draw))]
    for args, scale in scaled:
        g = scale * _upstream_for(fn, args, draw)
        given = f"{words(subject.names, args)}, upstream {numbers(g)}"
        yield {"given": given, "seen": _gradients(fn, subject, args, g)}


def gradcheck(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """`torch.autograd.gradcheck` in float64 at rtol = atol = 1e-6, on both sides of each kink and close to it."""
    for args in subject.samples(draw):
        seen = _in_words(torch.autograd.gradcheck, fn.apply, leaves(args))
        yield {"given": words(subject.names, args), "seen": {"gradcheck": seen}}


def _in_words(check: Callable, *inputs: object) -> bool | str:
    """Whether a check of torch's passes at 1e-6, else why. Along random directions first, which is many times faster."""
    options = {"eps": 1e-6, "atol": 1e-6, "rtol": 1e-6}
    try:
        return check(*inputs, **options, fast_mode=True)
    except GradcheckError:
        pass
    try:
        return check(*inputs, **options)
    except GradcheckError as error:
        return (str(error).strip().splitlines() or ["False"])[0]


def second_order(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """`gradgradcheck` passes, or a second derivative raises, as `once_differentiable` declares it.

    Only this probe sees a detached upstream gradient or a cast to float32 and back: silently wrong second derivatives.
    """
    for args in subject.samples(draw):
        g = _upstream_for(fn, args, draw).requires_grad_()
        if _second_derivative_raises(fn, args, g):
            seen: bool | str = "an error: no second derivative"
        else:
            seen = _in_words(torch.autograd.gradgradcheck, fn.apply, leaves(args), g)
        accept = {"gradgradcheck": [True, "an error: no second derivative"]}
        yield {"given": words(subject.names, args), "seen": {"gradgradcheck": seen}, "accept": accept}


def _second_derivative_raises(fn: Function, args: Args, g: torch.Tensor) -> bool:
    fresh = leaves(args)
    grads = torch.autograd.grad(fn.apply(*fresh), [fresh[i] for i in differentiable(args)], g, create_graph=True)
    if not all(grad.requires_grad for grad in grads):
        return False  # silently cut off: gradgradcheck says what is missing
    try:
        sum(grad.sum() for grad in grads).backward()
    except RuntimeError:
        return True
    return False


def kink(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """The slope where the derivative jumps: an agreed value, or any slope between the two sides. Never NaN."""
    for args in subject.kinks(draw):
        label = f"gradient of {subject.names[0]}"
        slope = _gradients(fn, subject, args, torch.ones_like(args[0]))[label]
        one = isinstance(slope, dict) and len(slope.get("tensor", [])) == 1
        yield {
            "given": words(subject.names, args),
            "seen": {label: slope["tensor"][0] if one else slope},
            "accept": {label: [{"between": list(subject.at_kink)}]},
        }


def upstream_untouched(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """backward leaves the upstream gradient as it was: other branches of the graph read the same tensor.

    Three settings, since each hides the fault from the others: the caller's own tensor, a residual connection, and the
    expanded gradient (stride 0) that `sum()` sends. gradcheck sees none of them (pytorch issue 81417).
    """
    for args in subject.samples(draw)[:2]:
        yield from _untouched(fn, subject, args, draw)


def _untouched(fn: Function, subject: Subject, args: Args, draw: Draw) -> Iterator[Case]:
    inputs = words(subject.names, args)
    g = _upstream_for(fn, args, draw)
    kept = g.clone()
    fresh = leaves(args)
    fn.apply(*fresh).backward(g)
    given = f"y.backward(g) for {inputs}, g = {numbers(kept)}"
    left = {f"{subject.names[i]} as backward left it": plain(fresh[i]) for i in differentiable(args)}
    yield {"given": given, "seen": {"g after backward": plain(g), **left}}

    other = torch.ones_like(g, requires_grad=True)
    before = other * 1.0  # older than y's node, so the engine reaches it later
    (fn.apply(*leaves(args)) + before).backward(kept.clone())
    given = f"f({', '.join(subject.names[: len(args)])}) + e for {inputs}, upstream {numbers(kept)}"
    yield {"given": given, "seen": {"gradient of e": plain(other.grad)}}

    fresh = leaves(args)
    fn.apply(*fresh).sum().backward()
    seen = {f"gradient of {subject.names[i]}": plain(fresh[i].grad) for i in differentiable(args)}
    yield {"given": f"y.sum().backward() for {inputs}", "seen": seen}


def stale(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """An input changed in place after forward: backward raises, as `save_for_backward` promises, or is still right.

    A tensor kept as an attribute of ctx has no version check: the gradient is silently that of the changed value.
    """
    args = subject.samples(draw)[0]
    for i in differentiable(args):
        fresh = leaves(args)
        inner = [a * 1.0 if j == i else a for j, a in enumerate(fresh)]
        output = fn.apply(*inner)
        g = draw.normal(*output.shape)
        with torch.no_grad():
            inner[i].mul_(-2.0)
        try:
            grads = torch.autograd.grad(output, [fresh[j] for j in differentiable(args)], g)
            seen = [plain(grad) for grad in grads]
        except RuntimeError as error:
            seen = {"raised": "RuntimeError", "text": str(error)[:200]}
        honest = torch.autograd.grad(fn.apply(*fresh), [fresh[j] for j in differentiable(args)], g)
        accept = [{"raised": "RuntimeError"}, [plain(grad) for grad in honest]]
        name = subject.names[i]
        yield {
            "given": f"{words(subject.names, args)}; {name}.mul_(-2) between forward and backward",
            "seen": {"gradients": seen},
            "accept": {"gradients": accept},
        }


def saved(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """What backward needs went through `save_for_backward`; no tensor sits on ctx.

    A tensor on ctx is invisible to saved-tensor hooks and checkpointing, is not freed after backward, and an output kept
    there makes a reference cycle (pytorch issue 25340).
    """
    args = subject.samples(draw)[0]
    output = fn.apply(*leaves(args))
    names = [name for name, value in vars(output.grad_fn).items() if holds_tensor(value)]
    yield {"given": words(subject.names, args), "seen": {"attributes of ctx that hold tensors": sorted(names)}}


def saved_bytes(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """How much a call keeps for backward, in bytes for each byte of float32 input, counted by saved-tensor hooks."""
    (args,) = [args for label, args in subject.shapes(draw) if label == "float32"]
    with Kept() as kept:
        fn.apply(*leaves(args))
    ratio = kept.peak / args[0].untyped_storage().nbytes()
    yield {
        "given": words(subject.names, args),
        "seen": {"bytes saved for each byte of input": ratio},
        "accept": {"bytes saved for each byte of input": [{"between": [1 / 32, 0.25]}]},  # a bit of each float32 at least
    }


def work(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """No gradient is computed that nobody needs: each gradient more that is asked for costs operations more."""
    args = subject.samples(draw)[0]
    positions = differentiable(args)

    def count(asked: tuple[int, ...]) -> int:
        fresh = tuple(a.requires_grad_(i in asked) if i in positions else a for i, a in enumerate(leaves(args)))
        output = fn.apply(*fresh)
        g = draw.normal(*output.shape)
        with Trace() as counted:
            torch.autograd.grad(output, [fresh[i] for i in asked], g)
        return counted.operations.total()

    counts = {asked: count(asked) for n in range(1, len(positions) + 1) for asked in combinations(positions, n)}
    for asked, cost in counts.items():
        for more in positions:
            larger = tuple(sorted({*asked, more}))
            if more not in asked:
                wanted = " and ".join(subject.names[i] for i in asked)
                label = f"asking for the gradient of {subject.names[more]} too costs operations more"
                yield {"given": f"only {wanted} needs a gradient", "seen": {label: counts[larger] > cost}}


def shapes(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """Values and gradients for unusual shapes and layouts: empty, one element, one row, transposed, float32."""
    for label, args in subject.shapes(draw):
        output = fn.apply(*leaves(args))
        dtype = output.dtype if isinstance(output, torch.Tensor) else torch.float64
        g = draw.normal(*output.shape, dtype=dtype)
        seen = {"output": plain(output), **_gradients(fn, subject, args, g)}
        if g.dim() > 1:
            columns = g.transpose(0, -1).contiguous().transpose(0, -1)
            seen |= {f"{name}, transposed upstream": grad for name, grad in _gradients(fn, subject, args, columns).items()}
        tolerance = [1e-5, 1e-5] if dtype == torch.float32 else [1e-10, 1e-10]
        yield {"given": f"{label}: {words(subject.names, args)}", "seen": seen, "tolerance": tolerance}


def linear(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """backward is linear in the upstream gradient: `backward(-g) = -backward(g)`, `backward(a + b)` is the sum.

    Needs no reference, and finds `abs(g)`, which gradcheck accepts.
    """
    args = subject.samples(draw)[0]
    a, b = _upstream_for(fn, args, draw), _upstream_for(fn, args, draw)

    def vjp(g: torch.Tensor) -> list[torch.Tensor]:
        fresh = leaves(args)
        return torch.autograd.grad(fn.apply(*fresh), [fresh[i] for i in differentiable(args)], g)

    for i, plus, minus in zip(differentiable(args), vjp(a), vjp(-a), strict=True):
        label = f"backward(-g) + backward(g) for {subject.names[i]}"
        yield {"given": words(subject.names, args), "seen": {label: plain(plus + minus)}}
    for i, both, one, other in zip(differentiable(args), vjp(a + b), vjp(a), vjp(b), strict=True):
        label = f"backward(a + b) - backward(a) - backward(b) for {subject.names[i]}"
        yield {"given": words(subject.names, args), "seen": {label: plain(both - one - other)}}


def calls_apart(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """Two calls do not mix, in one graph or each with its own: what a call keeps belongs on ctx, not on the class.

    Only a backward of the first call by itself sees a stack on the class, which one graph takes from in the right order.
    """
    samples = subject.samples(draw)
    first, last = samples[0], samples[-1]
    second = tuple(
        (a.detach() * -1.5).requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else other
        for a, other in zip(first, last, strict=True)
    )
    for together in (True, False):
        one, two = leaves(first), leaves(second)
        outputs = fn.apply(*one), fn.apply(*two)
        g = draw.normal(*outputs[0].shape)
        torch.autograd.backward([outputs[0] + outputs[1]] if together else outputs[:1], [g])
        if not together:
            outputs[1].backward(g)
        how = "f(…) + f(…)" if together else "f(…).backward(g) when f was called twice"
        for name, args, fresh in (("first", first, one), ("second", second, two)):
            seen = {f"gradient of {subject.names[i]}": plain(fresh[i].grad) for i in differentiable(args)}
            yield {"given": f"{how}, the {name} call: {words(subject.names, args)}", "seen": seen}


def device(fn: Function, subject: Subject, draw: Draw) -> Iterator[Case]:
    """No tensor is made on another device than the input's. The meta device shows it on a machine without a GPU."""
    args = subject.samples(draw)[0]
    fresh = tuple(a.detach().to("meta").requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in args)
    given = f"{words(subject.names, fresh)} on the meta device"
    try:
        output = fn.apply(*fresh)
        grads = torch.autograd.grad(output, [fresh[i] for i in differentiable(args)], torch.empty_like(output), allow_unused=True)
    except Exception as error:
        if needs_values(error):
            yield {"given": given, "skip": "it reads values, and meta tensors have none"}
            return
        yield {"given": given, "seen": {"raised": raised(error)}, "may skip": True}
        return
    seen = {"output": output.device.type}
    for i, grad in zip(differentiable(args), grads, strict=True):
        seen[f"gradient of {subject.names[i]}"] = grad.device.type if isinstance(grad, torch.Tensor) else "None"
    yield {"given": given, "seen": seen, "may skip": True}


def needs_values(error: Exception) -> bool:
    """Whether code failed on meta tensors only because these have no values: that says nothing about devices."""
    text = str(error)
    if "out of meta tensor" in text:
        return False
    return isinstance(error, NotImplementedError) or "cannot be called on meta" in text or "data-dependent" in text


def _upstream_for(fn: Function, args: Args, draw: Draw) -> torch.Tensor:
    output = fn.apply(*leaves(args))
    return draw.normal(*output.shape, dtype=output.dtype)


def _gradients(fn: Function, subject: Subject, args: Args, g: torch.Tensor) -> dict:
    fresh = leaves(args)
    fn.apply(*fresh).backward(g.clone())
    return {f"gradient of {subject.names[i]}": plain(fresh[i].grad) for i in differentiable(args)}


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
