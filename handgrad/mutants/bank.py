"""The bank of known-right and known-wrong Functions that the audit is measured on.

Each module beside this one is one operation: `bank = Bank(...)`, right versions in differing styles, and wrong versions
drawn from how people err. A wrong version carries a witness, a short proof of its fault that doesn't use the audit.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field

import torch

import handgrad.mutants

KINDS = {
    "A": "API form",
    "B": "saving for backward",
    "C": "number and type of returned gradients",
    "D": "chain rule and mask",
    "E": "in-place and views",
    "F": "state, leaks, sharing",
    "G": "dtype, device, layout",
    "H": "shapes, transposes, reductions",
    "K": "double backward",
    "M": "function transforms",
    "N": "detach, numpy, estimators",
    "O": "NaN, overflow, ties",
    "P": "several outputs, optional inputs",
}


@dataclass(frozen=True)
class Version:
    """One version of an operation.

    Attributes:
        function: the class, or a callable around it.
        words: a right one's style, or what is wrong, in one sentence.
        kind: a letter of `KINDS`; empty for a right one.
        witness: `(version, bank) -> bool`, true when it shows the fault; None for a right one.
    """

    function: Callable
    words: str
    kind: str = ""
    witness: "Callable[[Version, Bank], bool] | None" = None

    @property
    def name(self) -> str:
        """The name of its class."""
        return self.function.__name__

    def __call__(self, *args: object) -> object:
        """Call it as its users do: a Function through `.apply`."""
        return getattr(self.function, "apply", self.function)(*args)


@dataclass
class Bank:
    """One operation and its versions.

    Attributes:
        name: of the operation.
        inputs: makes fresh arguments, float64 (or complex128), requires_grad set where a gradient is asked for.
        reference: the operation in plain torch; torch's derivative of it is the right one.
        estimator: the right gradient is not the derivative of forward, on purpose, so that only the reference can tell.
    """

    name: str
    inputs: Callable[[], tuple]
    reference: Callable
    estimator: bool = False
    rights: list[Version] = field(default_factory=list)
    wrongs: list[Version] = field(default_factory=list)

    def right(self, style: str) -> Callable[[Callable], Callable]:
        """Decorate a right version; `style` says how it differs from the others."""

        def note(function: Callable) -> Callable:
            self.rights.append(Version(function, style))
            return function

        return note

    def wrong(self, kind: str, words: str, witness: Callable[[Version, "Bank"], bool]) -> Callable[[Callable], Callable]:
        """Decorate a wrong version."""

        def note(function: Callable) -> Callable:
            self.wrongs.append(Version(function, words, kind, witness))
            return function

        return note


def leaf(data: object) -> torch.Tensor:
    """A float64 tensor of the given numbers that requires grad."""
    return torch.tensor(data, dtype=torch.float64, requires_grad=True)


def drawn(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """A tensor of normal numbers that requires grad: the same for the same seed and shape."""
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype, device="cpu")
    return numbers.requires_grad_()


def banks() -> list[Bank]:
    """Every operation of the bank, by name."""
    names = (module.name for module in pkgutil.iter_modules(handgrad.mutants.__path__))
    modules = (
        importlib.import_module(f"handgrad.mutants.{name}") for name in names if name not in ("bank", "compare", "witness")
    )
    return sorted((module.bank for module in modules), key=lambda bank: bank.name)
