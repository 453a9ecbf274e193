"""Cases of the audit: what was seen beside what was expected, and the reasons why a probe has nothing to say."""

import torch

from handgrad.audit.record import Case, described, plain

LARGE = 500  # elements; of a larger tensor the record has the places that differ most
MOST_PLACES = 12


class NotApplicable(Exception):
    """A probe has nothing to judge; the message says why."""


def case(given: str, pairs: dict[str, tuple[object, object]], rtol: float = 1e-10, atol: float = 1e-10) -> Case:
    """A case of `{label: (seen, expected)}`. Tensors are compared within `atol + rtol * |expected|`."""
    seen, expect = {}, {}
    for label, (one, other) in pairs.items():
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            one, other = one.detach(), other.detach()
            alike = one.shape == other.shape and one.dtype == other.dtype
            if alike and one.numel() > LARGE:
                label, one, other = _worst(label, one, other)
        seen[label], expect[label] = plain(one), plain(other) if isinstance(other, torch.Tensor) else other
    return {"given": given, "seen": seen, "expect": expect, "tolerance": [rtol, atol]}


def _worst(label: str, one: torch.Tensor, other: torch.Tensor) -> tuple[str, torch.Tensor, torch.Tensor]:
    apart = (one - other).abs().reshape(-1)
    apart = torch.where(apart.isnan(), torch.inf, apart) if not apart.dtype.is_floating_point or apart.isnan().any() else apart
    places = apart.topk(min(MOST_PLACES, apart.numel())).indices
    return f"{label}, where it differs most", one.reshape(-1)[places], other.reshape(-1)[places]


def between(low: float, high: float) -> dict:
    """The expectation that a number lies in an interval."""
    return {"between": [low, high]}


def kind_of(value: object) -> str:
    """A tensor's shape and dtype, or what it is."""
    if isinstance(value, torch.Tensor):
        return f"shape {tuple(value.shape)}, {str(value.dtype).removeprefix('torch.')}"
    return described(value)
