"""Cases of the audit: what was seen beside what was expected, and the reasons why a probe has nothing to say."""

from collections.abc import Callable

import torch

from handgrad.audit.record import Case, described, plain

MOST_SHOWN = 48  # elements; of a larger tensor that is wrong the record has the places that differ most
MOST_PLACES = 12


class NotApplicable(Exception):
    """A probe has nothing to judge; the message says why."""


def case(given: str | Callable[[], str], pairs: dict[str, tuple[object, object]], atol: float = 0.0) -> Case:
    """A case of `{label: (seen, expected)}`; tensors are compared within `atol`.

    Of two tensors that agree the record has the place that differs most: whoever judges it sees all that matters.
    `given` may be a function, called when the case is told about.
    """
    seen, expect = {}, {}
    for label, (one, other) in pairs.items():
        if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
            one, other = one.detach(), other.detach()
            if one.shape == other.shape and one.dtype == other.dtype and one.numel():
                label, one, other = _shortened(label, one, other, atol)
        seen[label], expect[label] = plain(one), plain(other) if isinstance(other, torch.Tensor) else other
    return {"given": given, "seen": seen, "expect": expect, "tolerance": [0.0, atol]}


def _shortened(label: str, one: torch.Tensor, other: torch.Tensor, atol: float) -> tuple:
    one, other = one.reshape(-1), other.reshape(-1)
    if one.dtype == torch.bool:
        one, other = one.int(), other.int()
    apart = (one - other).abs()
    place = int(apart.argmax())  # NaN counts as the largest
    if apart[place] <= atol:
        return label, one[place], other[place]
    if one.numel() <= MOST_SHOWN:
        return label, one, other
    places = apart.nan_to_num(torch.inf).topk(MOST_PLACES).indices
    return f"{label}, where it differs most", one[places], other[places]


def between(low: float, high: float) -> dict:
    """The expectation that a number lies in an interval."""
    return {"between": [low, high]}


def kind_of(value: object) -> str:
    """A tensor's shape and dtype, or what it is."""
    if isinstance(value, torch.Tensor):
        return f"shape {tuple(value.shape)}, {str(value.dtype).removeprefix('torch.')}"
    return described(value)
