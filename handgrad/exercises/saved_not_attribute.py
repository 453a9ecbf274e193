"""The exercise `saved_not_attribute` of chapter 05: what backward needs goes through `save_for_backward`, and only so."""

import contextlib
import gc
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

from handgrad.audit.calls import as_tuple
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, numbers, oracle
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

Function = type[torch.autograd.Function]


def _x_tanh(x: torch.Tensor) -> torch.Tensor:
    return x * x.tanh()


X_TANH = Subject(
    names=("input",),
    samples=lambda draw: [(draw.normal(*shape).requires_grad_(),) for shape in ((3,), (2, 3))],
    extremes=lambda draw: [(tensor([20.0, -20.0, 1e-9, 300.0]).requires_grad_(),)],
    shapes=lambda draw: [
        ("no elements", (tensor([]).requires_grad_(),)),
        ("one number", (tensor(-0.5).requires_grad_(),)),
        ("transposed", (draw.normal(3, 2).t().requires_grad_(),)),
        ("float32", (draw.normal(2, 3, dtype=torch.float32).requires_grad_(),)),
    ],
)


class Made(TorchDispatchMode):
    """Notes the memory of each tensor that an operation makes, without keeping it alive."""

    def __init__(self) -> None:
        super().__init__()
        self._memory: dict[int, StorageWeakRef] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        self.add(*(t for t in as_tuple(result) if isinstance(t, torch.Tensor)))
        return result

    def add(self, *tensors: torch.Tensor) -> None:
        references = (StorageWeakRef(t.untyped_storage()) for t in tensors)
        self._memory |= {reference.cdata: reference for reference in references}

    def alive(self, *known: torch.Tensor) -> int:
        """How many are still there, those of `known` not counted."""
        left = {t.untyped_storage()._cdata for t in known}
        return sum(not reference.expired() for cdata, reference in self._memory.items() if cdata not in left)


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Without the garbage collector, so that only reference counts free what nobody needs."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _freed(answer: Function, draw: Draw) -> Iterator[Case]:
    """After backward, what forward made is gone although the output, and with it the node, is still there."""
    (leaf,) = X_TANH.samples(draw)[0]
    x = leaf * 1.0
    with no_collector(), Made() as made:
        y = answer.apply(x)
    y.backward(draw.normal(*y.shape))
    label = "tensors made in forward that live on after backward"
    yield {"given": f"input = {numbers(leaf)}, and y is still there", "seen": {label: made.alive(x, y)}}


def _cycle(answer: Function, draw: Draw) -> Iterator[Case]:
    """The output dies with its last name: nothing on ctx holds it, neither before backward nor after it."""
    (leaf,) = X_TANH.samples(draw)[0]
    for words, walk in (("y = f(x); del y", False), ("y = f(x); y.sum().backward(); del y", True)):
        made = Made()
        with no_collector():
            y = answer.apply(leaf * 1.0)
            made.add(y)
            if walk:
                y.sum().backward()
            del y
            left = made.alive()
        yield {"given": f"{words}, for x = {numbers(leaf)}", "seen": {"outputs that live on": left}}


def _hooks(answer: Function, draw: Draw) -> Iterator[Case]:
    """All that backward knows comes through saved-tensor hooks, and nothing else is kept: they could move it to a disk.

    The hooks hand backward what a call at another input saved. Then the gradient must be the one there, whatever is saved.
    """
    here, there = draw.normal(3), draw.normal(3)
    leaf, other, g = here.requires_grad_(), there.requires_grad_(), draw.normal(3)
    taken: list[tuple] = []

    def take(saved: torch.Tensor) -> int:
        taken.append((saved.tolist(), saved.dtype, saved.device))
        return len(taken) - 1

    def give(place: int) -> torch.Tensor:
        numbers, dtype, device = taken[(place + half) % len(taken)]
        return torch.tensor(numbers, dtype=dtype, device=device)

    with no_collector():
        with torch.autograd.graph.saved_tensors_hooks(take, give):
            made = Made()
            x = leaf * 1.0
            made.add(x)
            with made:
                y = answer.apply(x)
            half = len(taken)
            answer.apply(other * 1.0)
        z = (y * g).sum()
        del x, y
        left = made.alive()
    given = f"hooks take what is saved at input = {numbers(leaf)}, and give what was saved at input = {numbers(other)}"
    yield {"given": given, "seen": {"tensors that are kept beside those that the hooks took": left}}
    (grad,) = torch.autograd.grad(z, leaf)
    yield {"given": f"{given}; upstream {numbers(g)}", "seen": {"gradient of input": plain(grad)}}


def _copies(answer: Function, draw: Draw) -> Iterator[Case]:
    """Input and output are saved as they are: a copy costs memory, and hides a later change where an error would tell of it."""
    leaf = draw.normal(2, 3, dtype=torch.float32).requires_grad_()
    taken: list[torch.Tensor] = []

    def take(saved: torch.Tensor) -> torch.Tensor:
        taken.append(saved.detach())
        return saved

    with torch.autograd.graph.saved_tensors_hooks(take, lambda saved: saved):
        x = leaf * 1.0
        y = answer.apply(x)
    seen = {}
    for name, original in (("input", x), ("output", y)):
        seen[f"saved copies of the {name}"] = sum(_copies_of(original, saved) for saved in taken)
    yield {"given": f"input = {numbers(leaf)}", "seen": seen}


def _copies_of(original: torch.Tensor, saved: torch.Tensor) -> bool:
    """Whether all numbers of a tensor stand in other memory too, in whatever order."""
    if (
        saved.untyped_storage().data_ptr() == original.untyped_storage().data_ptr()
        or saved.dtype.itemsize < original.dtype.itemsize
    ):
        return False
    return saved.is_floating_point() and bool(torch.isin(original.to(saved.dtype), saved).all())


def _slip(text: str, backward: Callable) -> Slip:
    return Slip(oracle(_x_tanh, backward), text)


SAVED_NOT_ATTRIBUTE = Exercise(
    name="saved_not_attribute",
    chapter="05_context",
    probes=(
        *function_probes(X_TANH, "forward", "returned", "returned shape", "upstream", "gradcheck", "calls apart"),
        replace(
            *audit_probes(lambda draw: X_TANH.samples(draw)[0], X_TANH.names, "stale", reference=_x_tanh),
            slip="What backward uses was changed after forward, and nobody noticed. An attribute of ctx is not guarded against "
            "that, nor is .data: use ctx.save_for_backward with the tensor itself.",
        ),
        Probe(
            "freed",
            _freed,
            "An attribute of ctx lives as long as ctx does, and that is as long as anybody holds y. What is handed to "
            "ctx.save_for_backward goes as soon as backward is done.",
        ),
        Probe(
            "cycle",
            _cycle,
            "The output is held by its own node: y → y.grad_fn, which is ctx → y. Nothing but the garbage collector ends such a "
            "cycle; ctx.save_for_backward keeps an output without one.",
        ),
        *function_probes(X_TANH, "saved")[1:],
        Probe(
            "hooks",
            _hooks,
            "backward uses something that did not come through ctx.saved_tensors, so hooks cannot move it and a checkpoint "
            "cannot drop it.",
        ),
        Probe(
            "copies",
            _copies,
            "Save the tensor itself. A copy takes its memory once more, and where somebody changes the original in place you "
            "want the error.",
        ),
        *function_probes(X_TANH, "upstream untouched", "shapes", "linear", "device")[1:],
        replace(
            function_probes(X_TANH, "second order", advice=("second order",))[1],
            slip="Gradients are right, and a second derivative of them is not: to it, what is neither input nor output is a "
            "constant. Compute it anew from what is saved, or declare @once_differentiable.",
        ),
    ),
    reference=oracle(_x_tanh),
    slips=(
        *function_slips(_x_tanh),
        _slip("backward ignores grad_output: it returns the local slope alone.", lambda g, x: x.tanh() + x * (1 - x.tanh() ** 2)),
        _slip("One term is missing: the slope of x·tanh(x) is t + x − t·y.", lambda g, x: g * x.tanh()),
        _slip("The product t·y lost its factor t: the slope is t + x − t·y.", lambda g, x: g * (x.tanh() + x - x * x.tanh())),
    ),
    errors=(
        (
            r"has no attribute '(input|t|output|\w+)'",
            "backward still reads an attribute that forward no longer sets: unpack ctx.saved_tensors instead.",
        ),
        (
            r"not enough values to unpack|too many values to unpack",
            "saved_tensors gives what the last call of save_for_backward got: one call, with all tensors in their order.",
        ),
    ),
    rules=(not_instantiated("XTanh"), forward_not_called("XTanh")),
    hints=(
        "Which of the three tensors does the caller hold too? Which has nobody but ctx? Which one leads back to ctx?",
        "All three go into one ctx.save_for_backward(…), and come back in their order from ctx.saved_tensors.",
        "`ctx.save_for_backward(input, t, output)`, then `input, t, output = ctx.saved_tensors`.",
    ),
)

EXERCISES = (SAVED_NOT_ATTRIBUTE,)
