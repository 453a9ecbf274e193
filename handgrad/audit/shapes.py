"""The probe that asks whether backward is right wherever forward runs: other sizes, layouts and arguments."""

import contextlib
import linecache
import re
import traceback
from collections.abc import Iterator
from dataclasses import replace

import torch

from handgrad.audit.calls import Call, Run, as_tuple, direction
from handgrad.audit.case import NotApplicable, case
from handgrad.audit.derivative import largest_of, output_name, slope, within
from handgrad.audit.other_arguments import layouts, permutes_dimensions, random, sizes, turned
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
            fine = fine and not (_other_number(call, args) and random(near))
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
            must_run |= _other_choice(call, args) and not _on_purpose(error)
            took_size = " made " in label and "alone" not in label
            must_run |= took_size and "returned an invalid gradient" in str(error)
            if not must_run or counts:
                continue  # a loud refusal of what it was perhaps never meant for
            cases = [{"given": near.text, "seen": {"raised": raised(error)}, "expect": {}}]
        judged += 1
        if not (_other_number(call, args) and _stands_still(near)):
            yield from cases
    for near in _in_evaluation(call):
        judged += 1
        yield from _at_size(near, largest_of(call.gradients) + 1e-3)
    if not judged:
        raise NotApplicable("forward takes no other shape or layout of these inputs")


def _other_number(call: Call, args: tuple) -> bool:
    return any(a is not b and not isinstance(b, torch.Tensor) for a, b in zip(call.args, args, strict=True))


def _other_choice(call: Call, args: tuple) -> bool:
    """Whether a flag is changed, or an order of dimensions: forward takes any, and so must backward."""
    changed = [b for a, b in zip(call.args, args, strict=True) if a is not b and not isinstance(b, torch.Tensor)]
    return any(isinstance(b, bool) or permutes_dimensions(b) for b in changed)


def _on_purpose(error: Exception) -> bool:
    """Whether a statement raised an error, as a refusal is raised, and no operation that could not go on."""
    *_, (frame, number) = traceback.walk_tb(error.__traceback__)
    line = linecache.getline(frame.f_code.co_filename, number).strip()
    return isinstance(error, NotImplementedError) or not line or bool(re.search(r"\b(raise|assert)\b", line))


def _in_evaluation(call: Call) -> Iterator[Call]:
    """A Module in evaluation mode, where it runs there."""
    if call.in_evaluation is None or call.reference is not None:
        return
    near = replace(call, fn=call.in_evaluation, label="in evaluation mode: ")
    try:
        fine = [o.shape for o in near.base.outputs] == [o.shape for o in call.base.outputs]
    except Exception:
        return
    if fine and all(output.isfinite().all() for output in near.base.outputs):
        yield near


def _stands_still(near: Call) -> bool:
    """Whether forward is flat here, as that of a straight-through estimator is: then no slope says what is right."""
    if near.reference is not None:
        return False
    moved = [near.args[i].detach() + 1e-6 * direction(near.args[i], near.seed) for i in near.wanted]
    values = near.values()
    return torch.allclose(near.values(moved), values, rtol=1e-14, atol=1e-14 * (largest_of([values]) or 1.0))


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
