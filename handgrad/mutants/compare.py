"""How checks of a custom Function do on the bank: which wrong versions each refuses, which right ones each accepts."""

import hashlib
import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from handgrad.audit import audit
from handgrad.audit.report import Report
from handgrad.audit.run import PROBES
from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, banks

RESULTS = Path(__file__).with_name("results.json")
_AUDIT = Path(__file__).parents[1] / "audit"

# wrong versions that the audit accepts even with the reference, and why
MISSED = {
    "dropout_mask.Booleans": "given zeros and ones the audit keeps to them, since many a right formula holds for these alone",
    "gather.OneHot": "no probe puts an infinity among the inputs",
    "polar.Overflow": "no probe goes as far out as 1e200, where many a right formula overflows",
    "prelu.Unreduced": "for a single slope, which is not what it is audited with, the engine sums",
}


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


def audited(version: Version, bank: Bank) -> Report:
    """`handgrad.audit` without a reference; with one where the gradient is no derivative on purpose."""
    return audit(version.function, *bank.inputs(), reference=bank.reference if bank.estimator else None)


def audited_with_reference(version: Version, bank: Bank) -> Report:
    """`handgrad.audit` with the reference."""
    return audit(version.function, *bank.inputs(), reference=bank.reference)


CHECKS: dict[str, Callable[[Version, Bank], bool]] = {
    "y.sum().backward()": sum_backward,
    "one random loss": random_loss,
    "gradcheck": gradcheck,
    "gradcheck + gradgradcheck, 1e-6": both_tight,
}
AUDITS: dict[str, Callable[[Version, Bank], Report]] = {
    "audit": audited,
    "audit with reference": audited_with_reference,
}
PROBE_NAMES = ("form", "runs", "repeats", *(probe.name for probe in PROBES if not probe.advice))


def verdict(check: str, version: Version, bank: Bank) -> bool | Report:
    """What a check says of a version: a report, or whether it accepts it. An error is a refusal."""
    if check in AUDITS:
        return AUDITS[check](version, bank)
    try:
        return bool(CHECKS[check](version, bank))
    except Exception:
        return False


def examine(name: str) -> dict[str, bool | Report]:
    """What every check says of a version."""
    return {check: verdict(check, *fresh(name)) for check in (*CHECKS, *AUDITS)}


def refusals(verdicts: dict[str, bool | Report]) -> dict[str, bool | list[str]]:
    """The checks that refuse, each with the probes that failed, or True where it has no probes."""
    found = {
        check: [outcome.probe for outcome in said.failed] if isinstance(said, Report) else not said
        for check, said in verdicts.items()
    }
    return {check: why for check, why in found.items() if why}


@cache
def versions() -> dict[str, tuple[Version, Bank]]:
    """Every version of the bank, by its name: `relu.Mask`."""
    return {f"{bank.name}.{version.name}": (version, bank) for bank in banks() for version in (*bank.rights, *bank.wrongs)}


def fresh(name: str) -> tuple[Version, Bank]:
    """A version out of its module, executed anew, so that nothing is left of what an earlier call kept on the class."""
    operation, version = name.split(".")
    spec = importlib.util.find_spec(f"handgrad.mutants.{operation}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return next(one for one in (*module.bank.rights, *module.bank.wrongs) if one.name == version), module.bank


@cache
def measured() -> dict:
    """What `benchmarks/audit.py --write` found: each version's `refusals`, each check's `times`, each bank's `contents` then."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))


@cache
def content(operation: str) -> str:
    """A digest of what a bank's outcome depends on: torch's version, the audit, the other checks, and the bank's own module."""
    here = RESULTS.parent
    files = [*sorted(_AUDIT.glob("*.py")), *(here / f"{name}.py" for name in ("bank", "compare", "witness", operation))]
    digest = hashlib.sha256(torch.__version__.partition("+")[0].encode())
    for file in files:
        digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()


@dataclass(frozen=True)
class Score:
    """How many of the wrong versions a check refuses, and how many of the right ones it accepts."""

    refused: int
    wrong: int
    accepted: int
    right: int


def score(check: str, found: dict[str, dict]) -> Score:
    """Count what a check did; `found` holds the refusals of each version."""
    wrong = [check in found[name] for name, (version, _) in versions().items() if version.kind]
    right = [check not in found[name] for name, (version, _) in versions().items() if not version.kind]
    return Score(sum(wrong), len(wrong), sum(right), len(right))
