"""The probe of what a Function declares beyond backward: a jvp, a vmap rule."""

import contextlib
from collections.abc import Iterator

import torch
from torch.autograd import forward_ad

from handgrad.audit.calls import Args, Call, as_tuple, inner, leaves, length, written_by_hand
from handgrad.audit.case import NotApplicable, between, case
from handgrad.audit.derivative import within
from handgrad.audit.record import Case


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
        with contextlib.suppress(NotImplementedError):  # a rule may say what it leaves out
            yield from _batched(call)


def _forward_mode(call: Call) -> Iterator[Case]:
    with contextlib.suppress(RuntimeError), forward_ad.dual_level():
        single = [
            a.detach().to(torch.complex64 if a.is_complex() else torch.float32) for a in (call.args[i] for i in call.wanted)
        ]
        args = dict(zip(call.wanted, single, strict=True))
        rows = [forward_ad.make_dual(args[i], torch.ones_like(args[i])) if i in args else a for i, a in enumerate(call.still)]
        for k, output in enumerate(as_tuple(call.fn(*rows))):
            dual = forward_ad.unpack_dual(output) if isinstance(output, torch.Tensor) else None
            if dual is not None and dual.tangent is not None:
                dtypes = str(dual.tangent.dtype), str(dual.primal.dtype)
                yield case(f"in float32: {call.text}", {f"dtype of the tangent of output {k}": dtypes})
    for i in [None, *call.wanted] if len(call.wanted) > 1 else [None]:
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
    if len(tensors) > 1:  # one argument's copies in front, the next one's at the end
        for turn in (0, 1):
            dims = tuple(0 if place % 2 == turn else -1 for place in range(len(tensors)))
            mixed = [rows.movedim(0, dim) for rows, dim in zip(stacked, dims, strict=True)]
            for k, (got, want) in enumerate(zip(torch.func.vmap(function, in_dims=dims)(*mixed), values, strict=True)):
                yield case(f"vmap with in_dims={dims}: {call.text}", {f"output {k}": (got, want)}, within(want, call.scale))
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
