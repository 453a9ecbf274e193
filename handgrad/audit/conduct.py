"""The probes that ask how a Function behaves towards the engine and its caller.

Each takes a `Call` and yields cases (see `case`), or raises `NotApplicable`. Its docstring says what it catches that the others
let through, and where the fact comes from.
"""

import contextlib
import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import torch

from handgrad.audit.calls import (
    Args,
    Call,
    Run,
    Tensors,
    Trace,
    as_tuple,
    holds_tensor,
    leaves,
    real,
    written_by_hand,
)
from handgrad.audit.case import NotApplicable, case, kind_of
from handgrad.audit.derivative import largest_of, slope, tolerance, within
from handgrad.audit.other_arguments import asking_for, other_values, random, without
from handgrad.audit.probes import needs_values
from handgrad.audit.record import Case


def forward(call: Call) -> Iterator[Case]:
    """forward leaves its inputs and torch's settings alone; its output either always or never shares memory with an input.

    Only this probe sees an input changed without `mark_dirty`, and an input handed back as a shortcut for some values: torch
    makes that a view, on which a later in-place operation raises (pytorch issue 73604).
    """
    states = []
    for seed, dtype in ((1, torch.float32), (2, torch.float32), (2, torch.float64)):
        torch.manual_seed(seed)
        torch.set_default_dtype(dtype)
        run = call.run()
        run.pull([g.clone() for g in call.upstream])
        states.append(torch.get_rng_state())
        left = {
            "grad mode after the call": (torch.is_grad_enabled(), True),
            "default dtype after the call": (str(torch.get_default_dtype()), str(dtype)),
        }
        torch.set_grad_enabled(True)
        yield case(call.text, left)
    torch.set_default_dtype(torch.float32)
    outputs = torch.cat([real(output) for output in call.base.outputs])
    yield case(
        call.text,
        {
            "it sets the random seed of its caller": (torch.equal(*states[:2]), False),
            "outputs without a graph": (call.values(), outputs),
        },
        within(call.base.outputs[0]),
    )
    for i, a in enumerate(call.args):
        if isinstance(a, torch.Tensor):
            yield case(call.text, {f"{call.names[i]} after forward": (run.args[i], a)})
            yield case(call.text, {f"times {call.names[i]} was written into": (run.args[i]._version, 0)})
    shared = _shares(run)
    for k, output in enumerate(run.outputs):
        for i in call.wanted:
            a = run.args[i]
            if (
                output.numel()
                and output.untyped_storage().data_ptr() == a.untyped_storage().data_ptr()
                and output.is_floating_point()
            ):
                version = a._version
                with contextlib.suppress(RuntimeError), torch.no_grad():
                    output.mul_(1.0)
                    known = a._version > version
                    yield case(call.text, {f"torch knows that output {k} shares memory with {call.names[i]}": (known, True)})
    for label, moved in (("positive", torch.abs), ("negative", lambda a: -a.abs()), ("whole", torch.round)):
        args = tuple(
            moved(a.detach()).requires_grad_() if i in call.wanted and not a.is_complex() else a for i, a in enumerate(call.args)
        )
        try:
            other = _shares(call.run(args))
        except Exception:
            continue
        if other and not shared:
            yield case(f"{label} inputs: {call.text}", {"the output shares memory with an input": (True, False)})


def _shares(run: Run) -> bool:
    memory = {a.untyped_storage().data_ptr() for a in run.args if isinstance(a, torch.Tensor) and a.numel()}
    return any(isinstance(o, torch.Tensor) and o.numel() and o.untyped_storage().data_ptr() in memory for o in run.all)


def in_place(call: Call) -> Iterator[Case]:
    """A Function that works in place returns the very object that it changed, its history replaced (`mark_dirty`)."""
    if not call.in_place:
        raise NotApplicable("it does not work in place")
    raw = call.raw
    inner_args = tuple(
        a.clone() if isinstance(a, torch.Tensor) and i in call.in_place else a for i, a in enumerate(leaves(call.args))
    )
    before = [inner_args[i]._version for i in call.in_place]
    outputs = as_tuple(raw(*inner_args))
    for i, version in zip(call.in_place, before, strict=True):
        name = call.names[i]
        yield case(
            call.text,
            {
                f"{name} is among the outputs": (any(output is inner_args[i] for output in outputs), True),
                f"the version of {name} was counted up": (inner_args[i]._version > version, True),
            },
        )


def returned(call: Call) -> Iterator[Case]:
    """Shape and dtype of what each backward written by hand returns, wherever it stands in the graph.

    The engine hides both faults: it sums a gradient that is too large down to its argument's shape, and casts a wrong dtype
    (`validate_outputs` in torch/csrc/autograd/engine.cpp). So each node is called by itself, with what it got in a real backward.
    """
    yield from _returned(call, call.args, call.upstream, call.text)


def _returned(call: Call, args: Args, upstream: Tensors, given: str) -> Iterator[Case]:
    run = call.run(args)
    nodes = list(written_by_hand(run.outputs))
    if not nodes:
        raise NotApplicable("no Function written in Python stands in the graph")
    reached: dict[int, tuple] = {}
    hooks = [node.register_prehook(lambda grads, i=i: reached.__setitem__(i, grads)) for i, node in enumerate(nodes)]
    run.pull([g.clone() for g in upstream], retain_graph=True)
    for hook in hooks:
        hook.remove()
    for i, grads in reached.items():
        node = nodes[i]
        with torch.no_grad():
            given_up = zip(grads, node._input_metadata, strict=True)
            results = node.apply(*(_zeros(meta, run) if g is None else g.clone() for g, meta in given_up))
        results = results if isinstance(results, tuple) else (results,)
        pairs = {}
        # next_functions leaves out what is no tensor, needs_input_grad does not
        asked = [place for place, needed in enumerate(node.needs_input_grad) if needed]
        edges = [edge for edge in node.next_functions if edge[0] is not None]
        for place, (following, number) in zip(asked, edges, strict=False):
            result = results[place] if place < len(results) else None
            if not isinstance(result, torch.Tensor):
                continue
            owner = getattr(following, "variable", None)
            target = owner if owner is not None else following._input_metadata[number]
            name = next((call.names[j] for j in call.wanted if owner is run.args[j]), f"argument {place}")
            where = "" if call.function else f", {node.name()}"
            dtype = str(target.dtype).removeprefix("torch.")
            pairs[f"gradient of {name} as backward returns it{where}"] = kind_of(result), f"shape {tuple(target.shape)}, {dtype}"
        yield case(given, pairs)


def _zeros(meta: object, run: Run) -> torch.Tensor:
    return torch.zeros(tuple(meta.shape), dtype=meta.dtype, device=run.leaves[0].device)


def other_dtype(call: Call) -> Iterator[Case]:
    """In float32, and in the inputs' own dtype, the same gradients come back, to that dtype's digits, and in that dtype.

    Only this probe sees zeros of a fixed dtype, and what works in one dtype alone.
    """
    if call.args[call.wanted[0]].dtype not in (torch.float64, torch.complex128):
        raise NotApplicable("the inputs are judged in their own dtype already")
    if any(tensor.is_floating_point() for tensor in call.captured):
        raise NotApplicable("a tensor from outside its arguments has a dtype of its own: hand it over as one")
    tried = 0
    single, half = ((dtype,) * len(call.args) for dtype in (torch.float32, torch.bfloat16))
    for dtypes in dict.fromkeys((single, call.own_dtypes or single, half)):
        asked_for = dtypes is not half
        args = tuple(_with_digits(a, dtype) for a, dtype in zip(call.args, dtypes, strict=True))
        try:
            run = call.run(args)
            fine = len(run.outputs) == len(call.base.outputs) and all(output.isfinite().all() for output in run.outputs)
            upstream = [g.to(output.dtype) for g, output in zip(call.upstream, run.outputs, strict=True)] if fine else []
            if not asked_for:
                run.pull([g.clone() for g in upstream], retain_graph=True)  # an error is no fault
            else:
                near = call.at(tuple(_double(a) for a in args))
                near.base  # noqa: B018 - forward may refuse inputs beside those it was given
        except Exception:
            continue
        if not fine:
            continue
        tried += 1
        given = f"in {_kinds(args)}: {call.text}"
        with contextlib.suppress(NotApplicable):
            yield from _returned(call, args, upstream, given)
        if call.reference is not None:
            with contextlib.suppress(RuntimeError, TypeError, ValueError):
                kinds = [str(output.dtype) for output in call.at(args).at_reference().base.outputs]
                yield case(given, {"dtypes of the outputs": ([str(output.dtype) for output in run.outputs], kinds)})
        if asked_for:  # of the digits of another nobody said that they are enough
            yield from _same_digits(call, near, args, run, upstream, given)
    if not tried:
        raise NotApplicable("forward takes no float32")


def _same_digits(call: Call, near: Call, args: Args, run: Run, upstream: Tensors, given: str) -> Iterator[Case]:
    """Values and gradients are those of float64, but for what rounding does to them, seen by moving the inputs a little."""
    wants = [
        *(o.detach() for o in near.base.outputs),
        *near.vjp([g.to(like.dtype) for g, like in zip(upstream, call.upstream, strict=True)]),
    ]
    labels = [*(f"output {k}" for k in range(len(upstream))), *(f"gradient of {call.names[i]}" for i in call.wanted)]
    found = [got.detach().to(want.dtype) for got, want in zip((*run.outputs, *run.pull(upstream)), wants, strict=True)]
    eps = max(torch.finfo(a.dtype).eps for a in args if isinstance(a, torch.Tensor) and (a.is_floating_point() or a.is_complex()))
    allowed = [10 * eps**0.6 * max(largest_of([want]), call.scale) for want in wants]
    if any(float((got - want).abs().max()) > most for got, want, most in zip(found, wants, allowed, strict=True) if got.numel()):
        with contextlib.suppress(Exception):
            beside = call.run(tuple(_shaken(a, eps) for a in args))
            others = (*beside.outputs, *beside.pull([g.clone() for g in upstream]))
            moved = [float((got - other.detach()).abs().max()) for got, other in zip(found, others, strict=True)]
            allowed = [most + 10 * by for most, by in zip(allowed, moved, strict=True)]
    for label, got, want, most in zip(labels, found, wants, allowed, strict=True):
        yield case(given, {label: (got, want)}, most)


def _shaken(a: object, eps: float) -> object:
    """A tensor moved by its last digit, forth and back in turn."""
    if not isinstance(a, torch.Tensor) or not (a.is_floating_point() or a.is_complex()):
        return a
    turns = 1 - 2 * (torch.arange(a.numel(), device=a.device) % 2).reshape(a.shape)
    return (a.detach() * (1 + 2 * eps * turns).to(a.dtype)).requires_grad_(a.requires_grad)


def _kinds(args: Args) -> str:
    kinds = (str(a.dtype).removeprefix("torch.") for a in args if isinstance(a, torch.Tensor) and a.is_floating_point())
    return " and ".join(dict.fromkeys(kinds)) or "complex64"


def _with_digits(a: object, dtype: torch.dtype) -> object:
    if not isinstance(a, torch.Tensor) or a.dtype not in (torch.float64, torch.complex128):
        return a
    kind = (dtype if dtype == torch.float64 else torch.complex64) if a.is_complex() else dtype
    return a.detach().to(kind).requires_grad_(a.requires_grad)


def _double(a: object) -> object:
    if not isinstance(a, torch.Tensor) or not (a.is_floating_point() or a.is_complex()):
        return a
    return a.detach().to(torch.complex128 if a.is_complex() else torch.float64).requires_grad_(a.requires_grad)


def upstream_untouched(call: Call) -> Iterator[Case]:
    """backward leaves the upstream gradient, the inputs and the outputs as they were: other branches read the same tensors.

    Three settings, since each hides the fault from the others: the caller's own tensor, a residual connection, and the expanded
    gradient (stride 0) that `sum()` sends. gradcheck sees none of them (pytorch issue 81417).
    """
    for near in without(call):
        yield from upstream_untouched(near)
    run = call.run()
    before = [output.detach().clone() for output in run.outputs]
    upstream = [g.clone() for g in call.upstream]
    run.pull(upstream)
    count = len(before)
    yield case(call.text, {"leaves whose .grad backward wrote itself": (sum(leaf.grad is not None for leaf in run.leaves), 0)})
    for k, (g, want) in enumerate(zip(upstream, call.upstream, strict=True)):
        yield case(call.text, {"g after backward" if count == 1 else f"g of output {k} after backward": (g, want)})
    for i, a in enumerate(call.args):
        if isinstance(a, torch.Tensor):
            yield case(call.text, {f"{call.names[i]} as backward left it": (run.args[i], call.left[i])})
    for k, (output, want) in enumerate(zip(run.outputs, before, strict=True)):
        yield case(call.text, {f"output {k} as backward left it": (output, want)})

    # one branch is older than the Function's node and one is younger, and the engine visits the younger node first
    e, l = ([torch.ones_like(g, requires_grad=True) for g in call.upstream] for _ in range(2))
    early = [tensor * 1.0 for tensor in e]
    run = call.run()
    late = [tensor * 1.0 for tensor in l]
    sums = [output + before + after for output, before, after in zip(run.outputs, early, late, strict=True)]
    grads = torch.autograd.grad(sums, [*e, *l, *run.leaves], [g.clone() for g in call.upstream], allow_unused=True)
    for k, (grad, want) in enumerate(zip(grads, (*call.upstream, *call.upstream), strict=False)):
        yield case(f"f(…) + e + l, {call.text}", {f"gradient of {'e' if k < count else 'l'}": (grad, want)})

    dense = [torch.ones_like(g) for g in call.upstream]
    wide = [torch.ones((), dtype=g.dtype, device=g.device).expand(g.shape) for g in call.upstream]
    for i, got, want in zip(call.wanted, call.run().pull(wide), call.vjp(dense), strict=True):
        yield case(f"y.sum().backward(), {call.text}", {f"gradient of {call.names[i]}": (got, want)}, within(want, call.scale))


def linear(call: Call) -> Iterator[Case]:
    """backward is linear in the upstream gradient: -g and a thousand million times it, a sum, a thousand-millionth, none, NaN.

    Needs no reference, and finds `abs(g)`, which gradcheck accepts, a gradient that is clipped, rounded, cast or cleaned of NaN,
    and a short cut for an upstream of ones or with a single 1.
    """
    run = call.run()
    bends = _bends(call, run, call.gradients)
    theirs = {}
    if call.reference is not None:
        other = call.at_reference()
        theirs = _bends(call, other.run(), other.vjp(call.upstream))
    for label, (rows, exact) in bends.items():
        wants = theirs[label][0] if theirs else [torch.zeros_like(row) for row in rows]
        pairs = {f"{label}, for {call.names[i]}": pair for i, *pair in zip(call.wanted, rows, wants, strict=True)}
        yield case(call.text, pairs, max(_rounding(call.gradients[0]), exact))
    try:
        lost = [run.pull([torch.full_like(g, odd) for g in call.upstream], retain_graph=True) for odd in (torch.nan, torch.inf)]
    except Exception:
        return
    for i, *grads, want in zip(call.wanted, *lost, call.gradients, strict=True):
        # a gate may keep one of them out, and torch's own logcumsumexp asks whether g > 0
        hidden = bool((want != 0).any()) and all(bool(grad.isfinite().all()) for grad in grads)
        yield case("g = NaN, g = infinity", {f"both are hidden from the gradient of {call.names[i]}": (hidden, False)})


def _bends(call: Call, run: Run, first: Tensors) -> dict[str, tuple[Tensors, float]]:
    """How far backward is from linear, for each way of asking: zeros where it is. And what rounding may leave of it."""
    big, huge = (1e9, 1e13) if all(torch.finfo(g.dtype).max > 1e20 for g in call.upstream) else (100.0, 100.0)
    a, nothing = call.upstream, [torch.zeros_like(g) for g in call.upstream]
    rest, single = [1 - g for g in a], [_one_hot(g) for g in a]
    upstreams = {
        f"backward(-{big:g} g) / {big:g} + backward(g)": ([-big * g for g in a], -big, nothing),
        f"backward(g / {big:g}) * {big:g} - backward(g)": ([g / big for g in a], 1 / big, nothing),
        f"backward({huge:g} g) / {huge:g} - backward(g)": ([huge * g for g in a], huge, nothing),
        "backward(0)": (nothing, 0.0, nothing),
        "backward(1) - backward(a) - backward(1 - a)": ([torch.ones_like(g) for g in a], 1.0, rest),
        "backward(a + e) - backward(a) - backward(e), e has one 1": (
            [one + two for one, two in zip(a, single, strict=True)],
            1.0,
            single,
        ),
    }
    rows = {}
    for label, (upstream, factor, added) in upstreams.items():
        grads = run.pull([g.clone() for g in upstream], retain_graph=True)
        second = run.pull([g.clone() for g in added], retain_graph=True) if added is not nothing else [0.0 * one for one in first]
        apart = [
            (grad / (factor or 1.0) - (one + two if factor else 0)) / (max(largest_of([one, two]), call.scale) or 1.0)
            for grad, one, two in zip(grads, first, second, strict=True)
        ]
        # matrix_exp, for one, computes by how large g is; the huge one is there for a bound
        rows[label] = apart, 0.0 if factor in (0.0, 1.0) else (0.1 if factor == huge else 1e-6)
    return rows


def _one_hot(g: torch.Tensor) -> torch.Tensor:
    """1 at the last place, as a row of a Jacobian asks for it."""
    single = torch.zeros_like(g)
    single.reshape(-1)[-1:] = 1
    return single


def _rounding(like: torch.Tensor) -> float:
    return tolerance(like) if like.dtype not in (torch.float64, torch.complex128) else 1e-11


def stale(call: Call) -> Iterator[Case]:
    """An input or an output changed in place after forward: backward raises, as `save_for_backward` promises, or is still right.

    A tensor kept as an attribute of ctx has no version check: the gradient is silently that of the changed value.
    """
    inputs = [i for i, a in enumerate(call.args) if isinstance(a, torch.Tensor) and i not in call.in_place]
    results = [k for k, output in enumerate(call.base.all) if isinstance(output, torch.Tensor)]
    for position, number in [*((i, None) for i in inputs), *((None, k) for k in results)]:
        args = list(leaves(call.args))
        fresh = [args[i] for i in call.wanted]
        if position in call.wanted:
            args[position] = args[position] * 1.0
        everything = as_tuple(call.fn(*args))
        outputs = [o for o in everything if isinstance(o, torch.Tensor) and o.requires_grad]
        target = everything[number] if position is None else args[position]
        name = f"output {number}" if position is None else call.names[position]
        try:
            with torch.no_grad():
                how = _overwrite(target)
        except RuntimeError:
            continue  # an expanded output, or one that shares memory, refuses by itself
        upstream = [g.clone() for g in call.upstream]
        try:
            found = torch.autograd.grad(outputs, fresh, upstream, allow_unused=True)
        except RuntimeError:
            continue
        for i, got, want in zip(call.wanted, found, call.gradients, strict=True):
            got = torch.zeros_like(want) if got is None else got
            given = f"{call.text}; {name}.{how} between forward and backward"
            yield case(given, {f"gradient of {call.names[i]} (or an error)": (got, want)}, within(want, call.scale))


def _overwrite(tensor: torch.Tensor) -> str:
    if tensor.dtype == torch.bool:
        tensor.logical_not_()
        return "logical_not_()"
    if tensor.is_floating_point() or tensor.is_complex():
        turns = torch.arange(tensor.numel(), device=tensor.device) % 2 == 0  # a gate that is even, or has a window, moves too
        tensor.mul_(torch.where(turns, -2.0, 0.3).reshape(tensor.shape).to(tensor.dtype))
        return "mul_(-2 and 0.3 in turn)"
    tensor.zero_()
    return "zero_()"


def saved(call: Call) -> Iterator[Case]:
    """What backward needs went through `save_for_backward`; no tensor sits on ctx, and nothing is kept alive.

    A tensor on ctx is invisible to saved-tensor hooks and checkpointing, is not freed after backward, and an output kept there
    makes a reference cycle (pytorch issue 25340). Not wrong by itself: `stale` refuses where it makes a gradient wrong.
    """
    run = call.run()
    nodes = list(written_by_hand(run.outputs))
    if not nodes:
        raise NotApplicable("no Function written in Python stands in the graph")
    names = sorted({name for node in nodes for name, value in vars(node).items() if holds_tensor(value)})
    yield case(call.text, {"attributes of ctx that hold tensors": (names, [])})
    del nodes
    enabled = gc.isenabled()
    gc.disable()
    alive = [weakref.ref(output) for output in run.outputs]
    del run
    left = sum(ref() is not None for ref in alive)
    if enabled:
        gc.enable()
    yield case(call.text, {"outputs that live on after their last user": (left, 0)})


def work(call: Call) -> Iterator[Case]:
    """No gradient is computed that nobody needs (`ctx.needs_input_grad`): asking for one alone costs less than for all."""
    if len(call.wanted) < 2:
        raise NotApplicable("there is one input that gradients are asked for")
    everything = _cost(call, call.wanted)
    for i in call.wanted:
        label = f"operations for the gradient of {call.names[i]} alone are fewer than for all"
        yield case(call.text, {label: (_cost(call, [i]) < everything, True)})


def _cost(call: Call, asked: list[int]) -> int:
    args = asking_for(call, asked)
    run = call.run(args)
    with Trace() as trace:
        run.pull(call.upstream)
    return trace.operations.total()


def frozen(call: Call) -> Iterator[Case]:
    """Each gradient is the same, whichever others are asked for.

    It sees `needs_input_grad` off by one, and a variable that is bound under one condition and used under another.
    `second_order` sees them too, but only where backward can be differentiated.
    """
    if len(call.wanted) < 2:
        raise NotApplicable("there is one input that gradients are asked for")
    singles = [[i] for i in call.wanted]
    others = [[j for j in call.wanted if j != i] for i in call.wanted] if len(call.wanted) > 2 else []
    pairs = map(list, combinations(call.wanted, 2)) if len(call.wanted) == 4 else []
    for asked in (*singles[:6], *others[:6], *pairs):
        args = asking_for(call, asked)
        run = call.run(args)
        given = f"only {' and '.join(call.names[i] for i in asked)} needs a gradient: {call.text}"
        kept = [k for k, place in enumerate(call.tracked) if place < len(run.all) and run.all[place].requires_grad]
        if len(run.outputs) != len(kept):
            continue
        if len(kept) < len(call.upstream):  # an output that follows none of those asked for
            continue
        upstream = [g.clone() for g in call.upstream]
        found = run.pull(upstream)
        yield case(given, {"arguments or g that backward changed": (_changed(call, run, upstream), [])})
        for i, got in zip(asked, found, strict=True):
            want = call.gradients[call.wanted.index(i)]
            yield case(given, {f"gradient of {call.names[i]}": (got, want)}, within(want, call.scale))


def _changed(call: Call, run: Run, upstream: Tensors) -> list[str]:
    """The names of what is no longer as it was."""
    pairs = [(name, a, b) for name, a, b in zip(call.names, run.args, call.left, strict=True) if isinstance(a, torch.Tensor)]
    pairs += [("g", g, want) for g, want in zip(upstream, call.upstream, strict=True)]
    return [name for name, now, before in pairs if not torch.equal(now, before)]


def unused_output(call: Call) -> Iterator[Case]:
    """With one output used and the others not, the gradient is that of zeros for the others.

    It sees `None * 2` under `set_materialize_grads(False)`, and an output whose gradient is dropped.
    `second_order` sees them too, but only where backward can be differentiated.
    """
    count = len(call.base.outputs)
    if count < 2:
        raise NotApplicable("there is one output that gradients come back to")
    for k in range(count):
        run, g = call.run(), call.upstream[k].clone()
        alone = run.pull([g], of=[k])
        changed = _changed(call, run, [g if j == k else other for j, other in enumerate(call.upstream)])
        yield case(f"only output {k} is used: {call.text}", {"arguments or g that backward changed": (changed, [])})
        zeros = call.vjp([g if j == k else torch.zeros_like(g) for j, g in enumerate(call.upstream)])
        for i, got, want in zip(call.wanted, alone, zeros, strict=True):
            yield case(
                f"only output {k} is used: {call.text}", {f"gradient of {call.names[i]}": (got, want)}, within(want, call.scale)
            )


def calls_apart(call: Call) -> Iterator[Case]:
    """Two calls do not mix, in whatever order their backwards come, and a second backward finds what the first one found.

    What a call keeps belongs on ctx, not on the class. Only a backward of the first call by itself sees a stack on the class.
    """
    others = list(_second_calls(call))
    if not others:
        raise NotApplicable("forward takes no other values than these")
    for other in others:
        yield from _interleaved(call, other)
    yield from _same_twice(call)
    run = call.run()
    for again in ("", ", a second time"):
        found = run.pull([g.clone() for g in call.upstream], retain_graph=True)
        for i, got, want in zip(call.wanted, found, call.gradients, strict=True):
            yield case(
                f"backward with retain_graph{again}: {call.text}",
                {f"gradient of {call.names[i]}": (got, want)},
                within(want, call.scale),
            )


def _same_twice(call: Call) -> Iterator[Case]:
    """One tensor in two places gets the sum of what two equal ones would get."""
    pairs = [(i, j) for i in call.wanted for j in call.wanted if i < j and call.args[i].shape == call.args[j].shape]
    for i, j in pairs[:1]:
        args = tuple(call.args[i] if k == j else a for k, a in enumerate(call.args))
        near = call.at(args, f"{call.names[j]} = {call.names[i]}: ")
        try:
            apart = near.base.outputs
            fine = len(apart) == len(call.upstream) and all(output.isfinite().all() for output in apart)
        except Exception:
            continue
        if not fine or call.in_place:
            continue
        fresh = list(leaves(args))
        fresh[j] = fresh[i]
        outputs = [o for o in as_tuple(call.fn(*fresh)) if isinstance(o, torch.Tensor) and o.requires_grad]
        (both,) = torch.autograd.grad(outputs, [fresh[i]], [g.clone() for g in near.upstream])
        want = near.gradients[call.wanted.index(i)] + near.gradients[call.wanted.index(j)]
        lost = int(want.isnan().sum())  # a distance of 0, perhaps
        yield case(near.told, {"elements of the gradient that are NaN": (lost, 0)})
        yield case(f"one tensor as {call.names[i]} and {call.names[j]}", {"its gradient": (both, want)}, within(want, near.scale))
        if call.reference is None:
            yield from _slope_of_one(near, i, j)


def _slope_of_one(near: Call, i: int, j: int) -> Iterator[Case]:
    """Where both are one tensor what they get sums to the slope: of two that are equal, not each may get everything."""

    def twice(*args: object) -> object:
        return near.fn(*(*args[:j], args[i], *args[j:]))

    one = replace(
        near,
        fn=twice,
        args=(*near.args[:j], *near.args[j + 1 :]),
        names=(*near.names[:j], *near.names[j + 1 :]),
        label=f"one tensor as {near.names[i]} and {near.names[j]}: ",
    )
    if one.base.outputs:
        outcome = slope(one, None)
        yield from outcome[1] if outcome else ()


def _interleaved(call: Call, other: Call) -> Iterator[Case]:
    one, two = call.run(), other.run()
    grads = [*one.pull([t.clone() for t in call.upstream]), *two.pull([t.clone() for t in other.upstream])]
    pairs = {}
    for k, (got, want) in enumerate(zip(grads, (*call.gradients, *other.gradients), strict=True)):
        which = "first" if k < len(call.wanted) else "second"
        pairs[f"gradient of {call.names[call.wanted[k % len(call.wanted)]]} in the {which} call"] = got, want
    yield case(f"two calls, then both backwards: {call.text}", pairs, within(call.gradients[0], max(call.scale, other.scale)))


def _second_calls(call: Call) -> Iterator[Call]:
    """One other call with other tensors, and one with another number, where forward takes it."""
    moved = (
        tuple((a.detach() * factor + offset).requires_grad_() if i in call.wanted else a for i, a in enumerate(call.args))
        for factor, offset in ((-1.5, 0.25), (1.01, 0.0))
    )
    for candidates in (moved, (args for _, args in other_values(call))):
        for args in candidates:
            other = call.at(args)
            try:
                outputs = other.base.outputs
                fine = len(outputs) == len(call.base.outputs) and all(output.isfinite().all() for output in outputs)
            except Exception:
                continue
            filled = any(a is None and b is not None for a, b in zip(call.args, args, strict=True))
            if fine and not filled and not random(other) and not _declines(other):
                yield other
                break


def _declines(call: Call) -> bool:
    """Whether backward says that it takes no such values."""
    try:
        call.gradients  # noqa: B018
    except (NotImplementedError, ValueError, TypeError, AssertionError):
        return True
    return False


def device(call: Call) -> Iterator[Case]:
    """No tensor is made on another device than the inputs'. The meta device shows it on a machine without a GPU."""
    args = tuple(a.detach().to("meta").requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in call.args)
    try:
        run = call.run(args)
        if len(run.outputs) != len(call.upstream):
            raise NotApplicable("it gives other outputs on meta tensors, which have no values")
        grads = run.pull([g.to("meta") for g in call.upstream])
    except Exception as error:
        if isinstance(error, NotApplicable) or needs_values(error) or not _of_devices(error):
            raise NotApplicable("it reads values, and meta tensors have none") from None
        if call.captured:
            raise NotApplicable("a tensor comes from outside its arguments: hand it over as one") from None
        yield case(f"{call.text}, on the meta device", {"tensors on another device": (str(error).splitlines()[0][:200], "none")})
        return
    pairs = {f"device of output {k}": (output.device.type, "meta") for k, output in enumerate(run.outputs)}
    pairs |= {
        f"device of the gradient of {call.names[i]}": (g.device.type, "meta") for i, g in zip(call.wanted, grads, strict=True)
    }
    yield case(f"{call.text}, on the meta device", pairs)


def _of_devices(error: Exception) -> bool:
    text = str(error)
    leaves_torch = "out of meta tensor" in text or "to numpy" in text
    return "device" in text and not leaves_torch
