"""How checks of a custom Function do on the bank: which wrong versions each refuses, which right ones each accepts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch

from handgrad.audit import audit
from handgrad.audit.run import PROBES
from handgrad.mutants import witness
from handgrad.mutants.bank import KINDS, Bank, Version, banks

Check = Callable[[Version, Bank], bool]


def sum_backward(version: Version, bank: Bank) -> bool:
    """The gradient under `y.sum().backward()` is torch's of the reference. Accepts what an upstream gradient of ones hides."""
    return _same_gradients(version, bank, lambda output: torch.ones_like(output))


def random_loss(version: Version, bank: Bank) -> bool:
    """The gradient of one random loss `(y * g).sum()` is torch's of the reference."""
    random = torch.Generator().manual_seed(1)
    kept: dict[int, torch.Tensor] = {}

    def upstream(output: torch.Tensor) -> torch.Tensor:
        drawn = kept.setdefault(output.numel(), torch.randn(output.shape, generator=random, dtype=torch.float64))
        return drawn.reshape(output.shape).to(output.dtype)

    return _same_gradients(version, bank, upstream)


def _same_gradients(version: Version, bank: Bank, upstream: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    results = []
    for function in (version, bank.reference):
        args = bank.inputs()
        outputs = witness.tracked(witness.tensors(function(*args)))
        torch.autograd.backward(outputs, [upstream(output) for output in outputs])
        results.append([a.grad for a in args if isinstance(a, torch.Tensor) and a.requires_grad])
    return all(a is b or (a is not None and b is not None and torch.allclose(a, b)) for a, b in zip(*results, strict=True))


def gradcheck(version: Version, bank: Bank) -> bool:
    """`torch.autograd.gradcheck` as it comes."""
    return torch.autograd.gradcheck(version, bank.inputs())


def both_tight(version: Version, bank: Bank) -> bool:
    """`gradcheck` and `gradgradcheck` at rtol = atol = 1e-6. A second derivative that raises, as declared, is no fault."""
    if not torch.autograd.gradcheck(version, bank.inputs(), eps=1e-6, atol=1e-6, rtol=1e-6):
        return False
    try:
        return torch.autograd.gradgradcheck(version, bank.inputs(), eps=1e-6, atol=1e-6, rtol=1e-6)
    except RuntimeError as error:
        return "once_differentiable" in str(error) or "to not have been used in the graph" in str(error)


def audited(version: Version, bank: Bank) -> bool:
    """`handgrad.audit` without a reference; with one where the gradient is no derivative on purpose."""
    return audit(version.function, *bank.inputs(), reference=bank.reference if bank.estimator else None).ok


def audited_with_reference(version: Version, bank: Bank) -> bool:
    """`handgrad.audit` with the reference."""
    return audit(version.function, *bank.inputs(), reference=bank.reference).ok


CHECKS: dict[str, Check] = {
    "y.sum().backward()": sum_backward,
    "one random loss": random_loss,
    "gradcheck": gradcheck,
    "gradcheck + gradgradcheck, 1e-6": both_tight,
    "audit": audited,
    "audit with reference": audited_with_reference,
}


def accepts(check: Check, version: Version, bank: Bank) -> bool:
    """Whether a check accepts a version; an error is a refusal."""
    try:
        return bool(check(version, bank))
    except Exception:
        return False


@dataclass(frozen=True)
class Score:
    """What a check does on the bank: how many it refuses or accepts as it should, of how many, and which it gets wrong."""

    refused: int
    wrong: int
    accepted: int
    right: int
    missed: tuple[str, ...]


def score(check: Check) -> Score:
    """Run a check on every version of the bank."""
    everything = banks()
    accepted = {
        (bank.name, version.name): accepts(check, version, bank)
        for bank in everything
        for version in (*bank.rights, *bank.wrongs)
    }
    rights = [(bank.name, version.name) for bank in everything for version in bank.rights]
    wrongs = [(bank.name, version.name) for bank in everything for version in bank.wrongs]
    missed = [f"{bank}.{name}" for bank, name in rights if not accepted[bank, name]]
    missed += [f"{bank}.{name}" for bank, name in wrongs if accepted[bank, name]]
    caught, kept = sum(not accepted[key] for key in wrongs), sum(accepted[key] for key in rights)
    return Score(caught, len(wrongs), kept, len(rights), tuple(missed))


GATES = ("form", "runs", "repeats")


def catches(version: Version, bank: Bank) -> list[str]:
    """The probes that refuse a version, with and without the reference."""
    found = set()
    for reference in (None, bank.reference):
        report = audit(version.function, *bank.inputs(), reference=reference if not bank.estimator else bank.reference)
        found |= {outcome.probe for outcome in report.failed}
    return [name for name in (*GATES, *(probe.name for probe in PROBES)) if name in found]


def table() -> Iterator[tuple[str, str, str, list[str]]]:
    """For each wrong version: the operation, the kind of fault, what is wrong, and the probes that catch it."""
    for bank in banks():
        for version in bank.wrongs:
            yield bank.name, KINDS[version.kind], version.words, catches(version, bank)
