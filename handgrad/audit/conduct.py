"""The probes that ask how a Function behaves towards the engine and its caller.

Each takes a `Call` and yields cases (see `case`), or raises `NotApplicable`. Its docstring says what it catches that the others
let through, and where the fact comes from.
"""

import contextlib
import gc
import weakref
from collections.abc import Iterator
from dataclasses import replace

import torch
from torch.autograd import forward_ad

from handgrad.audit.calls import (
    Args,
    Call,
    Run,
    Tensors,
    Trace,
    as_tuple,
    inner,
    leaves,
    length,
    real,
    written_by_hand,
)
from handgrad.audit.case import NotApplicable, between, case, kind_of
from handgrad.audit.derivative import largest_of, tolerance, within
from handgrad.audit.probes import needs_values
from handgrad.audit.record import Case


def forward(call: Call) -> Iterator[Case]:
    """forward leaves its inputs and torch's settings alone; its output either always or never shares memory with an input.

    Only this probe sees an input changed without `mark_dirty`, and an input handed back as a shortcut for some values: torch
    makes that a view, on which a later in-place operation raises (pytorch issue 73604).
    """
    settings, states = (torch.is_grad_enabled(), torch.get_default_dtype()), []
    for seed in (1, 2):
        torch.manual_seed(seed)
        run = call.run()
        run.pull([g.clone() for g in call.upstream])
        states.append(torch.get_rng_state())
    left = torch.is_grad_enabled(), torch.get_default_dtype()
    torch.set_grad_enabled(settings[0])
    torch.set_default_dtype(settings[1])
    yield case(
        call.text,
        {
            "grad mode and default dtype after the call": ([left[0], str(left[1])], [settings[0], str(settings[1])]),
            "it sets the random seed of its caller": (torch.equal(*states), False),
            "outputs without a graph": (call.values(), torch.cat([real(output) for output in call.base.outputs])),
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
    tried = 0
    for dtype in dict.fromkeys((torch.float32, call.own_dtype or torch.float32, torch.bfloat16)):
        args = tuple(_with_digits(a, dtype) for a in call.args)
        try:
            run = call.run(args)
            fine = len(run.outputs) == len(call.base.outputs) and all(output.isfinite().all() for output in run.outputs)
            upstream = [g.to(output.dtype) for g, output in zip(call.upstream, run.outputs, strict=True)] if fine else []
            if dtype not in (torch.float32, call.own_dtype):
                run.pull([g.clone() for g in upstream], retain_graph=True)  # nobody asked for it: an error is no fault
        except Exception:
            continue
        if not fine:
            continue
        tried += 1
        given = f"in {str(dtype).removeprefix('torch.')}: {call.text}"
        with contextlib.suppress(NotApplicable):
            yield from _returned(call, args, upstream, given)
        if call.reference is not None:
            with contextlib.suppress(RuntimeError, TypeError, ValueError):
                kinds = [str(output.dtype) for output in Call(call.reference, args, call.names).base.outputs]
                yield case(given, {"dtypes of the outputs": ([str(output.dtype) for output in run.outputs], kinds)})
        near = call.at(tuple(_double(a) for a in args))
        near_enough = 10 * torch.finfo(dtype).eps ** 0.6
        for k, (got, want) in enumerate(zip(run.outputs, near.base.outputs, strict=True)):
            yield case(given, {f"output {k}": (got.to(want.dtype), want)}, near_enough * max(largest_of([want]), call.scale))
        wants = near.vjp([g.to(want.dtype) for g, want in zip(upstream, call.upstream, strict=True)])
        for i, got, want in zip(call.wanted, run.pull(upstream), wants, strict=True):
            size = max(largest_of([want]), call.scale)
            yield case(given, {f"gradient of {call.names[i]}": (got.to(want.dtype), want)}, near_enough * size)
    if not tried:
        raise NotApplicable("forward takes no float32")


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
    for i in call.optional:
        yield from upstream_untouched(_without(call, i))
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
            yield case(call.text, {f"{call.names[i]} as backward left it": (run.args[i], a)})
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


def _without(call: Call, i: int) -> Call:
    """The call with an optional tensor left out."""
    args = tuple(None if k == i else a for k, a in enumerate(call.args))
    return replace(call.at(args, f"{call.names[i]} = None: "), optional=())


def linear(call: Call) -> Iterator[Case]:
    """backward is linear in the upstream gradient: -g and a thousand million times it, a + b, a thousand-millionth of g, none.

    Needs no reference, and finds `abs(g)`, which gradcheck accepts, a gradient that is clipped, rounded or cast on its way.
    """
    run = call.run()
    other = call.draw(1)
    upstreams = {
        "backward(-1e9 g) / 1e9 + backward(g)": ([-1e9 * g for g in call.upstream], -1e9, 0.0),
        "backward(a + b) - backward(a) - backward(b)": ([a + b for a, b in zip(call.upstream, other, strict=True)], 1.0, 1.0),
        "backward(1e-9 g) * 1e9 - backward(g)": ([1e-9 * g for g in call.upstream], 1e-9, 0.0),
        "backward(0)": ([0 * g for g in call.upstream], 0.0, 0.0),
    }
    second = run.pull([g.clone() for g in other], retain_graph=True)
    for label, (upstream, factor, of_other) in upstreams.items():
        grads = run.pull(upstream, retain_graph=True)
        pairs = {}
        for i, grad, one, two in zip(call.wanted, grads, call.gradients, second, strict=True):
            size = max(largest_of([one, two]), call.scale) or 1.0
            apart = (grad / (factor or 1.0) - (one + of_other * two if factor else 0)) / size
            pairs[f"{label}, for {call.names[i]}"] = apart, torch.zeros_like(apart)
        yield case(call.text, pairs, _rounding(call.gradients[0]))


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
        try:
            found = torch.autograd.grad(outputs, fresh, [g.clone() for g in call.upstream], allow_unused=True)
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
        tensor.mul_(-2.0)
        return "mul_(-2)"
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
    names = sorted({name for node in nodes for name, value in vars(node).items() if _holds_tensor(value)})
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


def _holds_tensor(value: object) -> bool:
    if isinstance(value, torch.Tensor):
        return True
    if isinstance(value, dict):
        return any(map(_holds_tensor, value.values()))
    return isinstance(value, (list, tuple, set)) and any(map(_holds_tensor, value))


def work(call: Call) -> Iterator[Case]:
    """No gradient is computed that nobody needs (`ctx.needs_input_grad`): asking for one alone costs less than for all."""
    if len(call.wanted) < 2:
        raise NotApplicable("there is one input that gradients are asked for")
    everything = _cost(call, call.wanted)
    for i in call.wanted:
        label = f"operations for the gradient of {call.names[i]} alone are fewer than for all"
        yield case(call.text, {label: (_cost(call, [i]) < everything, True)})


def _cost(call: Call, asked: list[int]) -> int:
    args = tuple(a.detach().requires_grad_(i in asked) if i in call.wanted else a for i, a in enumerate(call.args))
    run = call.run(args)
    with Trace() as trace:
        run.pull(call.upstream)
    return trace.operations


def frozen(call: Call) -> Iterator[Case]:
    """Each gradient is the same, whichever others are asked for.

    Only this probe sees `needs_input_grad` off by one, and a variable that is bound under one condition and used under another.
    """
    if len(call.wanted) < 2:
        raise NotApplicable("there is one input that gradients are asked for")
    singles = [[i] for i in call.wanted]
    others = [[j for j in call.wanted if j != i] for i in call.wanted] if len(call.wanted) > 2 else []
    for asked in (*singles[:6], *others[:6]):
        args = tuple(a.detach().requires_grad_(i in asked) if i in call.wanted else a for i, a in enumerate(call.args))
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
    pairs = [(name, a, b) for name, a, b in zip(call.names, run.args, call.args, strict=True) if isinstance(a, torch.Tensor)]
    pairs += [("g", g, want) for g, want in zip(upstream, call.upstream, strict=True)]
    return [name for name, now, before in pairs if not torch.equal(now, before)]


def unused_output(call: Call) -> Iterator[Case]:
    """With one output used and the others not, the gradient is that of zeros for the others.

    Only this probe sees `None * 2` under `set_materialize_grads(False)`, and an output whose gradient is dropped.
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
        yield case(f"one tensor as {call.names[i]} and {call.names[j]}", {"its gradient": (both, want)}, within(want, near.scale))


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
    for candidates in (moved, (args for _, args in call.other_values())):
        for args in candidates:
            other = call.at(args)
            try:
                outputs = other.base.outputs
                fine = len(outputs) == len(call.base.outputs) and all(output.isfinite().all() for output in outputs)
            except Exception:
                continue
            if fine:
                yield other
                break


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


def transforms(call: Call) -> Iterator[Case]:
    """What the Function declares beyond backward holds: its `jvp` is the adjoint of its backward, its vmap is a loop.

    A wrong jvp passes gradcheck, which looks at it only under `check_forward_ad`.
    """
    base = torch.autograd.Function
    functions = {type(node)._forward_cls for node in written_by_hand(call.base.outputs)}
    declares_jvp = bool(functions) and all(function.jvp is not base.jvp for function in functions)
    declares_vmap = bool(functions) and all(f.generate_vmap_rule or f.vmap is not base.vmap for f in functions)
    if not declares_jvp and not declares_vmap:
        raise NotApplicable("it declares neither a jvp nor a vmap rule")
    if declares_jvp:
        yield from _forward_mode(call)
    if declares_vmap:
        yield from _batched(call)


def _forward_mode(call: Call) -> Iterator[Case]:
    for k, i in enumerate([None, *call.wanted] if len(call.wanted) > 1 else [None]):
        along = [d if i in (None, j) else torch.zeros_like(d) for j, d in zip(call.wanted, call.directions, strict=True)]
        with forward_ad.dual_level():
            args = list(leaves(call.args))
            for j, d in zip(call.wanted, along, strict=True):
                if i in (None, j):
                    args[j] = forward_ad.make_dual(args[j].detach(), d)
                else:
                    args[j] = args[j].detach()
            outputs = as_tuple(call.fn(*args))
            tangents = [forward_ad.unpack_dual(outputs[k]).tangent for k in call.tracked]
        tangents = [torch.zeros_like(g) if t is None else t for t, g in zip(tangents, call.upstream, strict=True)]
        size = length(tangents, call.upstream) + length(call.gradients, along)
        yield case(
            call.text,
            {
                "upstream · (J v) - (upstream · J) v, by jvp and by backward": (
                    (inner(call.upstream, tangents) - inner(call.gradients, along)) / (size or 1.0),
                    between(-1e-8, 1e-8),
                )
            },
        )
        del k


def _batched(call: Call) -> Iterator[Case]:
    copies = [call.args, *(_scaled(call, factor) for factor in (1.07, 0.94))]
    singles = [call.at(args) for args in copies]
    tensors = [i for i, a in enumerate(call.args) if i in call.wanted]

    def function(*moving: torch.Tensor) -> tuple:
        args = list(call.args)
        for i, tensor in zip(tensors, moving, strict=True):
            args[i] = tensor
        outputs = as_tuple(
            call.fn(*(a.detach() if isinstance(a, torch.Tensor) and i not in tensors else a for i, a in enumerate(args)))
        )
        return tuple(outputs[k] for k in call.tracked)

    def pulled(upstream: tuple, *moving: torch.Tensor) -> tuple:
        return torch.func.vjp(function, *moving)[1](upstream)

    stacked = [torch.stack([args[i].detach() for args in copies]) for i in tensors]
    values = torch.func.vmap(function)(*stacked)
    for k, got in enumerate(values):
        want = torch.stack([single.base.outputs[k].detach() for single in singles])
        yield case(f"vmap over three copies: {call.text}", {f"output {k}": (got, want)}, within(want, call.scale))
    upstream = tuple(torch.stack([g, -g, 0.5 * g]) for g in call.upstream)
    grads = torch.func.vmap(pulled)(upstream, *stacked)
    rows = [single.vjp([u[n] for u in upstream]) for n, single in enumerate(singles)]
    for place, i in enumerate(tensors):
        want = torch.stack([row[place] for row in rows])
        yield case(
            f"vmap of backward over three copies: {call.text}",
            {f"gradient of {call.names[i]}": (grads[place], want)},
            within(want),
        )
    for j, a in enumerate(call.args):
        if not isinstance(a, torch.Tensor):
            continue
        moving = [
            (args[j] if j in tensors else row).detach()
            for args, row in zip(copies, (a, a.flip(0) if a.dim() else a, a), strict=True)
        ]
        singles = [
            call.at(tuple(row.requires_grad_(b.requires_grad) if k == j else b for k, b in enumerate(call.args)))
            for row in moving
        ]

        def of_one(moved: torch.Tensor, j: int = j) -> tuple:
            args = [moved if k == j else (b.detach() if isinstance(b, torch.Tensor) else b) for k, b in enumerate(call.args)]
            outputs = as_tuple(call.fn(*args))
            return tuple(outputs[k] for k in call.tracked)

        values = torch.func.vmap(of_one, in_dims=-1)(torch.stack([row.detach() for row in moving], -1))
        for k, got in enumerate(values):
            want = torch.stack([single.base.outputs[k].detach() for single in singles])
            given = f"vmap over the last dimension of {call.names[j]} alone: {call.text}"
            yield case(given, {f"output {k}": (got, want)}, within(want, call.scale))


def _scaled(call: Call, factor: float) -> Args:
    return tuple((a.detach() * factor).requires_grad_() if i in call.wanted else a for i, a in enumerate(call.args))
