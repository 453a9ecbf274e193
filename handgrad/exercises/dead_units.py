"""The exercise `dead_units` of chapter 08: hidden units that a learning rate kills, and those that it loses to nan."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.formats import show
from handgrad.audit.record import Case, plain, unwrapped
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.where_paths_part import WHERE_PATHS_PART, leaves, train


def _counts(count: Callable, copies: bool = True) -> Callable:
    """The answer of `dead_units`, with its way to count."""

    def dead_units(x, y, w1, w2, learning_rates, steps):
        found = []
        for rate in learning_rates:
            start = leaves(w1, w2) if copies else [w1, w2]
            train(x, y, *start, torch.relu, rate, steps)
            found.append(count(x.mm(start[0].detach())))
        return found

    return dead_units


def _dead_and_lost(h: Tensor) -> tuple[int, int]:
    return (h <= 0).all(dim=0).sum().item(), h.isnan().any(dim=0).sum().item()


def _counted(answer: Callable, words: str, data: tuple, rates: list[float], steps: int) -> Iterator[Case]:
    x, y, w1, w2 = data
    found = answer(x, y, *leaves(w1, w2), rates, steps)
    pairs = list(found) if isinstance(found, (list, tuple)) else []
    for i, rate in enumerate(rates):
        seen = pairs[i] if i < len(pairs) else None
        seen = [unwrapped(part) for part in seen] if isinstance(seen, (list, tuple)) else seen
        yield {"given": f"{words}, learning_rate={rate:.3g}, steps={steps}", "seen": {"(dead, lost)": plain(seen)}}


def _by_hand(answer: Callable, draw: Draw) -> Iterator[Case]:
    """No training: the third input is 1, so each column of w1 says at sight what its unit does."""
    inf, nan = float("inf"), float("nan")
    x = torch.stack([tensor([-1.0, 1.0, 1.0, -1.0]), tensor([1.0, 1.0, -1.0, -1.0]), tensor([1.0, 1.0, 1.0, 1.0])], dim=1)
    units = {
        (0.0, 0.0, -5.0): draw.integer(1, 2),  # dead
        (0.0, 0.0, 0.0): draw.integer(1, 2),  # dead: 0 for each sample
        (0.0, 0.0, 5.0): 1,  # awake
        (0.0, 0.0, 1e-6): 3,  # awake, by little
        (inf, 0.0, 0.0): 1,  # awake: inf is not nan
        (3.0, 0.0, 0.0): 3,  # asleep for two samples, the first among them
        (nan, 0.0, 0.0): draw.integer(1, 2),  # lost
        (inf, -inf, 0.0): 1,  # lost: nan for two samples
    }
    columns = draw.shuffled([tensor(column) for column, times in units.items() for _ in range(times)])
    w1 = torch.stack(columns, dim=1)
    words = f"x = {show(plain(x))}, w1 has the columns {show(plain(w1.t()))}"
    yield from _counted(answer, words, (x, draw.normal(4, 2), w1, draw.normal(len(columns), 2)), [1e-3], 0)


def _trained(answer: Callable, draw: Draw) -> Iterator[Case]:
    for _ in range(2):
        data, rates = _clear_network(draw, [0.0002, 0.001, 0.002], torch.abs)
        yield from _counted(answer, "12 × 6 → 16 → 2", data, rates, _STEPS)


def _exploded(answer: Callable, draw: Draw) -> Iterator[Case]:
    data, rates = _clear_network(draw, [0.0002, 10.0], torch.clone)
    yield from _counted(answer, "12 × 6 → 16 → 2", data, rates, _STEPS)


def _twice(answer: Callable, draw: Draw) -> Iterator[Case]:
    data, rates = _clear_network(draw, [0.0002, 0.002], torch.abs)
    yield from _counted(answer, f"12 × 6 → 16 → 2, rates {[*rates, rates[0]]}", data, [*rates, rates[0]], _STEPS)


_STEPS = 12


def _clear_network(draw: Draw, rates: list[float], of_x: Callable[[Tensor], Tensor]) -> tuple[tuple[Tensor, ...], list[float]]:
    """A network for which the rates end differently, no unit by a hair's breadth; it ends whole, or lost in all units."""
    while True:
        data = of_x(draw.normal(12, 6)), draw.normal(12, 2), draw.normal(6, 16), draw.normal(16, 2)
        ends = []
        for rate in rates:
            start = leaves(*data[2:])
            train(*data[:2], *start, torch.relu, rate, _STEPS)
            ends.append(data[0].mm(start[0].detach()))
        clear = all(h.isnan().all() or (h.amax(dim=0).abs() > 1e-4).all() for h in ends)
        if clear and len({_dead_and_lost(h) for h in ends}) > 1:
            return data, draw.shuffled(rates)


DEAD_UNITS = Exercise(
    name="dead_units",
    chapter="08_training",
    probes=(
        Probe("counting", _by_hand, "A unit is dead where h <= 0 for every sample, and lost where any of its h is nan."),
        Probe(
            "after training", _trained, "Count with the weights at the end of each training: one pair for each rate, in order."
        ),
        Probe("a rate twice", _twice, "Return one pair for each learning rate, in their order; a rate may come twice."),
        Probe("exploded", _exploded, "A rate that is far too large leaves nan: these units are lost, not dead."),
    ),
    reference=_counts(_dead_and_lost),
    slips=(
        Slip(
            _counts(lambda h: ((h[0] <= 0).sum().item(), h.isnan().any(dim=0).sum().item())),
            "That is a count for one sample: a unit that sleeps for it may wake for another. All samples must leave it at 0.",
        ),
        Slip(
            _counts(lambda h: ((~(h > 0).any(dim=0)).sum().item(), h.isnan().any(dim=0).sum().item())),
            "nan > 0 is False, so `not any(h > 0)` counts lost units as dead: ask for all(h <= 0).",
        ),
        Slip(
            _counts(lambda h: ((h <= 0).sum().item(), h.isnan().any(dim=0).sum().item())),
            "You count single values, sample by sample; a unit is a column: reduce over the samples first, with all(dim=0).",
        ),
        Slip(
            _counts(lambda h: ((h <= 0).all(dim=1).sum().item(), h.isnan().any(dim=1).sum().item())),
            "dim=1 runs over the units; reduce over the samples, dim=0.",
        ),
        Slip(
            _counts(lambda h: ((h <= 0).all(dim=0).sum().item(), h.isnan().all(dim=0).sum().item())),
            "A unit is lost as soon as one of its values is nan: any, not all.",
        ),
        Slip(
            _counts(lambda h: ((h < 0).all(dim=0).sum().item(), h.isnan().any(dim=0).sum().item())),
            "A unit that stands at exactly 0 for every sample is dead too: h <= 0.",
        ),
        Slip(
            _counts(_dead_and_lost, copies=False),
            "Each rate goes on from where the last one ended, since train changes the weights in place: give each a copy.",
        ),
        Slip(
            lambda x, y, w1, w2, rates, steps: [_dead_and_lost(x.mm(w1))] * len(rates),
            "Those are the counts before training: use the copy that train has changed.",
        ),
        Slip(
            _counts(lambda h: ((h <= 0).all(dim=0).sum().item(), 0)),
            "Units that are nan are lost: h.isnan().any(dim=0).",
        ),
    ),
    errors=WHERE_PATHS_PART.errors,
    hints=(
        "One column of h = x w1 belongs to one unit. What must hold for all of its rows, for the unit to be dead?",
        "dead: h <= 0 for all samples; lost: h is nan for any. Each rate starts from a copy of the same weights.",
        "`(h <= 0).all(dim=0).sum().item()` and `h.isnan().any(dim=0).sum().item()`.",
    ),
)

EXERCISES = (DEAD_UNITS,)
