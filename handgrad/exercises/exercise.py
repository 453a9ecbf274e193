"""What an exercise is: probes, a reference that they agree with, and what to say when they don't."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from handgrad.audit import probes
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case
from handgrad.audit.subject import Subject, oracle


@dataclass(frozen=True)
class Probe:
    """One question that a check asks.

    Attributes:
        name: as it stands in messages.
        observe: calls the answer with inputs from a seed and yields cases (see `handgrad.audit.record`).
        slip: the likely slip and the next step, said when nothing more exact is known.
        advice: a failure is told and does not count.
        gate: when it fails, nothing else is tried.
        errors: (pattern of an error's `Type: message`, what to do) where the same error means something else in this probe.
    """

    name: str
    observe: Callable[[object, Draw], Iterator[Case]]
    slip: str
    advice: bool = False
    gate: bool = False
    errors: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Slip:
    """A wrong answer that people give. Where an answer does the same in the probe that failed, `text` names the slip."""

    answer: object
    text: str


@dataclass(frozen=True)
class Exercise:
    """An exercise as its check sees it; the task itself stands in `sources/exercises/<chapter>.md`.

    Attributes:
        name: its stem everywhere.
        chapter: the notebook, for example `03_relu`.
        probes: from form to value; the first that fails is explained.
        reference: an object that every probe agrees with.
        hints: a question, the formula, the line.
        slips: wrong answers to recognise.
        errors: (pattern of an error's `Type: message`, what to do), tried before those of every exercise.
        rules: each takes the answer's source text and returns what is wrong in it, or None.
        given: names of probes that pass before anything is written, by what the answer cell gives.
        points: what *done* is worth.
        partial: whether each probe that passes earns its share, rounded down.
    """

    name: str
    chapter: str
    probes: tuple[Probe, ...]
    reference: object
    hints: tuple[str, str, str]
    slips: tuple[Slip, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    rules: tuple[Callable[[str], str | None], ...] = ()
    given: tuple[str, ...] = ()
    points: int = 10
    partial: bool = False


SLIPS = {
    "form": "Write `class Name(torch.autograd.Function)` and hand the class itself to check, without calling it.",
    "forward": "forward computes something else than the formula, or touches what it was given.",
    "returned": "backward returns one gradient for each argument of forward, in their order; None where there is none.",
    "returned shape": "Each gradient has the shape of its argument; the engine only hides it by summing.",
    "upstream": "backward is not the upstream gradient times the local derivative.",
    "gradcheck": "The slope that backward claims is not that of forward, or a second backward finds another than the first.",
    "second order": "backward leaves the graph: no .detach(), .item(), .data or other dtype in it. What forward computes along "
    "the way and saves is a constant there too: save inputs or outputs.",
    "kink": "At the kink itself any slope between the two sides will do, NaN will not.",
    "upstream untouched": "backward wrote into grad_output, which another branch still needs. Work on a copy.",
    "stale": "A tensor kept as an attribute of ctx is not guarded against later changes: use ctx.save_for_backward.",
    "saved": "A tensor on ctx is not freed after backward, and hooks and checkpoints do not see it: use ctx.save_for_backward.",
    "saved bytes": "What is needed is one yes or no for each element: a bool takes one byte where a float32 takes four. "
    "Where nothing is saved, it hides from ctx.save_for_backward.",
    "work": "backward computes a gradient that nobody asked for: look at ctx.needs_input_grad.",
    "shapes": "Something in it holds for one shape or layout only.",
    "linear": "backward must be linear in grad_output: no abs, no square, no constant in its place.",
    "calls apart": "Two calls share something: keep what backward needs on ctx, one for each call, not on the class.",
    "device": "A tensor is made on the default device: use zeros_like, new_ones or device=input.device.",
}


# for a difference in what stands under these labels, whatever the probe (regular expressions)
BY_LABEL = (
    (r"has memory of its own", "forward hands back its input (or a view of it): return a new tensor."),
    (r"after forward", "forward changed its input in place: the caller still needs it. Compute a new tensor."),
    (r"output requires grad", "The output is cut off from the graph: is it called through apply, on a tensor, without no_grad?"),
    (r"as backward left it", "backward changed what forward saved, here the caller's own tensor. Work on a copy."),
    (r"as the call left it", "x was changed in place, and the caller still needs it. Compute a new tensor."),
    (r"x and y are as they were", "The data were changed in place: x and y belong to the caller."),
    (r"transposed upstream", "An upstream gradient need not be contiguous: leave its memory layout to torch."),
)


# gradcheck goes backward several times
_TWICE = (
    (
        r"modified by an inplace operation",
        "A saved tensor was changed in place, by backward itself or by forward after saving it. Work on a copy.",
    ),
)


def function_slips(fn: Callable) -> tuple[Slip, ...]:
    """Slips of form, for a Function that computes `fn`."""
    return (
        Slip(oracle(lambda *args: [fn(*args)]), "forward wraps its output in a list; torch tracks tensors only: return it bare."),
        Slip(oracle(fn, lambda g, *args: (None,) * len(args)), "backward returns None: is a return missing?"),
        Slip(oracle(fn, lambda g, *args: [g]), "backward returns a list: return the gradient itself, or a tuple of gradients."),
        Slip(oracle(fn, lambda g, *args: (g,) * (len(args) + 1)), "backward returns one gradient too many: ctx has none."),
    )


def function_probes(subject: Subject, *names: str, advice: tuple[str, ...] = ()) -> tuple[Probe, ...]:
    """The probes of these names for a Function; `advice` names those that are told and do not count."""
    return tuple(
        Probe(
            name=name,
            observe=partial(_observe, getattr(probes, name.replace(" ", "_")), subject),
            slip=SLIPS[name],
            advice=name in advice,
            gate=name == "form",
            errors=_TWICE if name == "gradcheck" else (),
        )
        for name in ("form", *names)
    )


def _observe(probe: Callable, subject: Subject, answer: object, draw: Draw) -> Iterator[Case]:
    return probe(answer, subject, draw)
