"""The probe that asks whether backward is right wherever forward runs: other sizes, layouts and arguments."""

import contextlib
from collections.abc import Iterator

import torch

from handgrad.audit.calls import Call, Run, as_tuple, real
from handgrad.audit.case import NotApplicable, case
from handgrad.audit.derivative import largest_of, output_name, slope, within
from handgrad.audit.other_arguments import layouts, sizes, turned
from handgrad.audit.record import Case, raised


def shapes(call: Call) -> Iterator[Case]:
    """Wherever forward runs backward must be right: one row, one column, no row, more dimensions in front, other memory layouts.

    Only this probe sees a `squeeze()`, a fixed `sum(0)`, a `.view` of what is not contiguous.
    """
    judged = 0
    for label, args in layouts(call):
        try:
            run = Run(args, as_tuple(call.fn(*args)))  # a copy would close the gaps
        except RuntimeError as error:
            if "contiguous" in str(error):
                continue  # it asks for contiguous tensors, and says so
            raise
        judged += 1
        grads = run.pull([turned(g).conj().resolve_conj().conj() for g in call.upstream])
        pairs = {
            output_name(k, len(run.outputs)): (one, want)
            for k, (one, want) in enumerate(zip(run.outputs, call.base.outputs, strict=True))
        }
        pairs |= {
            f"gradient of {call.names[i]}": (g, want) for i, g, want in zip(call.wanted, grads, call.gradients, strict=True)
        }
        for name, pair in pairs.items():
            yield case(f"{label}: {call.text}", {name: pair}, within(pair[1], call.scale))
    counts = any(isinstance(a, torch.Tensor) and _counts(a) for a in call.args)
    for label, args, must_run in sizes(call):
        near = call.at(args, f"{label}: ")
        try:
            outputs = near.base.outputs
            fine = len(outputs) == len(call.base.outputs) and all(output.isfinite().all() for output in outputs)
            fine = fine and not (_other_number(call, args) and _random(near))
        except Exception:
            continue
        # a dimension that does not show in the output was broadcast or summed away: nobody promised that
        hidden = "a dimension" in label and all(o.dim() == b.dim() for o, b in zip(outputs, call.base.outputs, strict=True))
        if not fine or hidden:
            continue
        try:
            cut = bool(call.axes) and "cut to" in label and call.reference is None
            cases = list(_cut_alike(call, near, args) if cut else _at_size(near, largest_of(call.gradients) + 1e-3))
        except Exception as error:
            if not must_run or counts:
                continue  # a loud refusal of what it was perhaps never meant for
            cases = [{"given": near.text, "seen": {"raised": raised(error)}, "expect": {}}]
        judged += 1
        yield from cases
    if not judged:
        raise NotApplicable("forward takes no other shape or layout of these inputs")


def _other_number(call: Call, args: tuple) -> bool:
    return any(a is not b and not isinstance(b, torch.Tensor) for a, b in zip(call.args, args, strict=True))


def _random(near: Call) -> bool:
    """Whether it gives something else when called again, as a probability may make it."""
    return not torch.equal(near.values(), torch.cat([real(output) for output in near.base.outputs]))


def _counts(a: torch.Tensor) -> bool:
    """Whether a tensor is of whole numbers, which may say how long another one is."""
    return not (a.is_floating_point() or a.is_complex() or a.dtype == torch.bool)


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
            other = near.at_reference()
            for k, (one, want) in enumerate(zip(near.base.outputs, other.base.outputs, strict=True)):
                if want.isfinite().all():
                    yield case(near.told, {output_name(k, len(near.base.outputs)): (one, want)}, within(want, near.scale))
            wants = other.vjp(near.upstream)
            for i, got, want in zip(near.wanted, grads, wants, strict=True):
                if want.isfinite().all():
                    yield case(near.told, {f"gradient of {near.names[i]}": (got, want)}, within(want, near.scale))
    elif all(output.numel() for output in near.base.outputs):
        outcome = slope(near, size)
        yield from outcome[1] if outcome else ()
