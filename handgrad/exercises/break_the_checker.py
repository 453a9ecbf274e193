"""The exercise `break_the_checker` of chapter 13: wrong versions of a Function that the checks in common use accept."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad.audit import audit
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.gated import Proof, alike, gated, prove
from handgrad.exercises.latest import Latest
from handgrad.mutants import compare
from handgrad.mutants.bank import Bank, Version

LEAST = 4


def sum_backward(version: Version, bank: Bank) -> bool:
    """The gradient of `y.sum()` is torch's of the reference."""
    results = []
    for function in (version, bank.reference):
        a, b = bank.inputs()
        function(a, b).sum().backward()
        results.append((a.grad, b.grad))
    return all(x is not None and torch.allclose(x, y) for x, y in zip(*results, strict=True))


CHECKS: dict[str, Callable[[Version, Bank], bool]] = {
    "y.sum().backward()": sum_backward,
    "one random loss": compare.random_loss,
    "gradcheck": compare.gradcheck,
    "gradcheck + gradgradcheck": compare.both_tight,
}


def accepts(check: str, function: type[Function], bank: Bank) -> bool:
    """Whether a check has nothing to say against a version. An error is a refusal."""
    torch.manual_seed(0)
    try:
        return bool(CHECKS[check](Version(function, ""), bank))
    except Exception:
        return False


def inputs_from(draw: Draw) -> Callable[[], tuple]:
    """Makes the arguments that the checks are called with: ordinary ones, none closer to 0 than 0.05."""
    a, b = (draw.normal(4, 5).cpu() for _ in range(2))
    return lambda: (a.clone().requires_grad_(), b.clone().requires_grad_())


@dataclass(frozen=True)
class Examined:
    """A version, what is wrong with it, and the checks that miss it."""

    name: str
    proof: Proof
    missed_by: tuple[str, ...]


def examine(functions: list[type[Function]], draw: Draw) -> list[Examined]:
    """Prove each version wrong, if it is, and ask every check about it."""
    with torch.device("cpu"):
        bank = Bank("gated", inputs_from(draw), gated)
        return [
            Examined(
                f"{place}. {function.__name__}",
                prove(function, bank),
                tuple(check for check in CHECKS if accepts(check, function, bank)),
            )
            for place, function in enumerate(functions, 1)
        ]


def table(functions: list[type[Function]]) -> str:
    """Which check sees which version, the audit too, as lines of text."""
    found = examine(functions, Draw(0, "break_the_checker"))
    bank = Bank("gated", inputs_from(Draw(0, "break_the_checker")), gated)
    width = max(len(one.name) for one in found) + 2
    heads = ("sum", "random loss", "gradcheck", "+ gradgrad", "audit")
    lines = [" " * width + "".join(f"{head:13}" for head in heads)]
    for one, function in zip(found, functions, strict=True):
        seen = [check not in one.missed_by for check in CHECKS]
        with torch.device("cpu"):
            seen.append(not audit(function, *bank.inputs()).ok)
        lines.append(f"{one.name:{width}}" + "".join(f"{'sees it' if sees else 'MISSES':13}" for sees in seen).rstrip())
        lines.append(f"{'':{width}}{one.proof.faults[0] if one.proof.faults else 'nothing is wrong with it'}")
    return "\n".join(lines)


def _versions(answer: object) -> object:
    return answer() if callable(answer) and not isinstance(answer, type) else answer


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    found = _versions(answer)
    seen = {"what it returns": "a list" if isinstance(found, (list, tuple)) else described(found)}
    if isinstance(found, (list, tuple)):
        fits = [isinstance(one, type) and issubclass(one, Function) and one is not Function for one in found]
        seen["versions that are no subclass of torch.autograd.Function"] = [
            f"number {place} is {described(one)}" for place, (one, fit) in enumerate(zip(found, fits, strict=True), 1) if not fit
        ]
        seen[f"at least {LEAST} versions"] = len(found) >= LEAST
    yield {"given": "what wrong_versions() returns", "seen": seen}


_examined = Latest(lambda answer, draw: examine(list(_versions(answer)), draw))


def _truly_wrong(answer: object, draw: Draw) -> Iterator[Case]:
    right = [one.name for one in _examined(answer, draw, anew=True) if not one.proof.faults]
    given = "each version beside a * relu(b), at 50 000 pairs and in all that a Function promises"
    yield {"given": given, "seen": {"versions with which nothing is wrong": right}}


def _distinct(answer: object, draw: Draw) -> Iterator[Case]:
    pairs = combinations(_examined(answer, draw), 2)
    same = [f"{one.name} and {other.name}" for one, other in pairs if alike(one.proof, other.proof)]
    yield {"given": "each version beside each other", "seen": {"versions with the same fault": same}}


def _missed_by(check: str) -> Callable[[object, Draw], Iterator[Case]]:
    def observe(answer: object, draw: Draw) -> Iterator[Case]:
        missed = any(one.proof.faults and check in one.missed_by for one in _examined(answer, draw))
        yield {"given": "a wrong version, and ordinary inputs", "seen": {f"{check} accepts one of them": missed}}

    return observe


def _one_for_each(answer: object, draw: Draw) -> Iterator[Case]:
    wrong = [one.missed_by for one in _examined(answer, draw) if one.proof.faults]
    yield {"given": "a wrong version of its own for each check", "seen": {"checks that can have one": _most(list(CHECKS), wrong)}}


def _most(checks: list[str], versions: list[tuple[str, ...]]) -> int:
    """How many checks can each be given a version that they miss, no version to two of them."""
    taken: dict[int, str] = {}

    def place(check: str, tried: set[int]) -> bool:
        for k, missed_by in enumerate(versions):
            if check in missed_by and k not in tried:
                tried.add(k)
                if k not in taken or place(taken[k], tried):
                    taken[k] = check
                    return True
        return False

    return sum(place(check, set()) for check in checks)


class Gated(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return gated(a, b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b.clamp(min=0), g * a * (b > 0)


def _with(backward: Callable) -> type[Function]:
    """A version with another backward, `(g, a, b) -> gradients`."""

    class Other(Gated):
        @staticmethod
        def backward(ctx, g):
            return backward(g, *ctx.saved_tensors)

    return Other


class _Attribute(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a, ctx.b = a, b
        return gated(a, b)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.b.clamp(min=0), g * ctx.a * (ctx.b > 0)


_ALL_WRONG = [
    _with(lambda g, a, b: (b.clamp(min=0), a * (b > 0))),
    _with(lambda g, a, b: (g.abs() * b.clamp(min=0), g.abs() * a * (b > 0))),
    _with(lambda g, a, b: (g * b.clamp(min=0), g * a * (b > 1e-3))),
    _Attribute,
]
_ONCE = _with(lambda g, a, b: (g * b.clamp(min=0), g * a * (b > 0)))
_ONCE.backward = staticmethod(once_differentiable(_ONCE.backward))


BREAK_THE_CHECKER = Exercise(
    name="break_the_checker",
    chapter="13_own",
    probes=(
        Probe(
            "form",
            _form,
            f"Return a list of at least {LEAST} classes, each a subclass of torch.autograd.Function: the classes, not .apply and "
            "no instances.",
            gate=True,
        ),
        Probe(
            "truly wrong",
            _truly_wrong,
            "No fault of this version is found, and at b = 0 itself any slope from 0 to a is right. A copy of the original, a "
            "declared once_differentiable and another way to write the same are no wrong versions.",
        ),
        Probe(
            "distinct",
            _distinct,
            "The same fault twice, or the same in another size, counts once: take another idea, or leave one out.",
        ),
        Probe(
            "missed by sum",
            _missed_by("y.sum().backward()"),
            "y.sum().backward() sends ones: what would do the same to ones, and something else to other numbers?",
        ),
        Probe(
            "missed by a random loss",
            _missed_by("one random loss"),
            "A random loss sends other numbers, and asks at twenty pairs of ordinary size, in one call: go where these are not.",
        ),
        Probe(
            "missed by gradcheck",
            _missed_by("gradcheck"),
            "gradcheck sends zeros and a single 1 at a time, and looks at three digits.",
        ),
        Probe(
            "missed by both",
            _missed_by("gradcheck + gradgradcheck"),
            "Both see derivatives at the inputs they are given. What of the rest that a Function promises, and of other inputs?",
        ),
        Probe(
            "one for each",
            _one_for_each,
            "One version may be missed by several checks and still counts for one of them: find more.",
        ),
    ),
    reference=_ALL_WRONG,
    slips=(Slip([Gated] * LEAST, "These are the original, or do what it does. Change what backward says, or what it keeps."),),
    hints=(
        "What does each check send into backward, and at which a and b? What does none of them ever do with a Function?",
        "Ones cannot tell g from a constant; a single 1 cannot tell g from |g|; ordinary inputs are far from the kink; and "
        "nobody changes a tensor in place between forward and backward.",
        "`return b.clamp(min=0), a * (b > 0)` is missed by the sum; `g.abs()` for `g` by gradcheck; `b > 1e-3` for `b > 0` by a "
        "random loss; `ctx.a, ctx.b = a, b` by all of them.",
    ),
)

EXERCISES = (BREAK_THE_CHECKER,)
