"""Slopes by finite differences, each with the error that it may have, and the places where a slope jumps.

Torch's gradcheck compares at one fixed tolerance, and must allow for its own error. Here several steps of a central difference
are extrapolated (Richardson), and what they disagree about is the error: nine or ten digits of a smooth float64 function.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import torch

from handgrad.audit.calls import Tensors

# steps relative to the size of what is moved, each a quarter of the one before
STEPS = {torch.float64: (1e-3, 2.5e-4, 6.25e-5), torch.float32: (2e-2, 5e-3)}
COARSE = (1e-1, 2.5e-2)  # float16 and bfloat16


@dataclass(frozen=True)
class Slopes:
    """How each element of the outputs moves along a direction.

    Attributes:
        plus, minus: the outputs moved forth and back, a row for each step.
        centre: the outputs where they were.
        steps: relative to the direction.
    """

    plus: torch.Tensor
    minus: torch.Tensor
    centre: torch.Tensor
    steps: tuple[float, ...]

    @cached_property
    def moves(self) -> torch.Tensor:
        """How far each output went, from back to forth, for each step."""
        return self.plus - self.minus

    @cached_property
    def finite(self) -> bool:
        """Whether all outputs were finite at every step."""
        return math.isfinite(float(self.moves.sum()))

    def size(self, weights: torch.Tensor) -> float:
        """The size of one weighted slope among many."""
        return float((self.moves[-1] * weights).norm()) / (2 * self.steps[-1] * max(len(weights), 1) ** 0.5)

    def between(self, weights: torch.Tensor, slack: float, claimed: float) -> tuple[float, float]:
        """The interval in which the slope of `weights · outputs` lies, `slack` and the error of measuring allowed for.

        Where `claimed` does not lie near the slope of the whole, the outputs whose slope jumps are looked at one by one.
        """
        low, high = self._smooth(weights, slack)
        if low <= claimed <= high:
            return low, high
        last = self.steps[-1]
        # halves with the step where the slope is continuous, stays where it jumps
        h = torch.tensor(self.steps[-2:], dtype=self.centre.dtype, device=self.centre.device).unsqueeze(1)
        wide, bend = (self.plus[-2:] - 2 * self.centre + self.minus[-2:]).abs() / h
        rounding = 100 * torch.finfo(self.centre.dtype).eps / last
        noise = 1e-6 * largest(self.moves[-1]) / (2 * last) + rounding * torch.maximum(self.centre.abs(), self.plus[0].abs())
        jumps = (bend > 0.5 * wide) & (bend > noise)
        if not jumps.any():
            return low, high
        low, high = self._smooth(torch.where(jumps, 0.0, weights), slack)
        left, right = (self.centre - self.minus[-1]) / last, (self.plus[-1] - self.centre) / last
        sides = torch.stack([left * weights, right * weights])[:, jumps]
        allowed = 1e-3 * float(sides.abs().max(0).values.sum())
        return low + float(sides.min(0).values.sum()) - allowed, high + float(sides.max(0).values.sum()) + allowed

    def _smooth(self, weights: torch.Tensor, slack: float) -> tuple[float, float]:
        rows = [move / (2 * step) for move, step in zip((self.moves @ weights).tolist(), self.steps, strict=True)]
        value, error = extrapolate(rows)
        rounding = 20 * torch.finfo(self.centre.dtype).eps * float((self.centre * weights).norm()) / self.steps[-1]
        slack += 10 * error + rounding
        return value - slack, value + slack


def extrapolate(rows: list[float]) -> tuple[float, float]:
    """Richardson's tableau for central differences at quartered steps: the best value, and its error."""
    best, error = rows[-1], math.inf
    for order in range(1, len(rows)):
        finer = [b + (b - a) / (16.0**order - 1) for a, b in pairwise(rows)]
        for entry, a, b in zip(finer, rows, rows[1:], strict=False):
            disagreement = max(abs(entry - a), abs(entry - b))
            if disagreement < error:
                best, error = entry, disagreement
        rows = finer
    return best, error


def slopes(f: Callable[[Tensors], torch.Tensor], at: Tensors, along: Tensors, quick: bool = False, finer: float = 1.0) -> Slopes:
    """Measure how `f`, which returns a flat real vector, moves when `at` moves along `along`; `quick` takes two steps alone.

    `finer` is a factor of the steps.
    """
    at = [a.detach() for a in at]
    centre = f(at)
    steps = STEPS.get(centre.dtype, COARSE)
    steps = tuple(step * finer for step in (steps[-2:] if quick else steps))
    rows = [f([torch.add(a, d, alpha=sign * h) for a, d in zip(at, along, strict=True)]) for sign in (1, -1) for h in steps]
    plus, minus = torch.stack(rows).chunk(2)
    return Slopes(plus, minus, centre, steps)


def largest(tensor: torch.Tensor) -> float:
    """The largest absolute value that is finite; 0 of an empty tensor."""
    if not tensor.numel():
        return 0.0
    size = float(tensor.detach().abs().max())
    return size if math.isfinite(size) else float(tensor.detach().abs().nan_to_num(0.0, 0.0, 0.0).max())


def places_of_jumps(f: Callable[[torch.Tensor], torch.Tensor], low: float, high: float, place: torch.device) -> list[float]:
    """Find where in an interval the slope of an elementwise function jumps, by looking.

    On an even grid the second difference of a smooth function changes little from place to place; at a kink it stands out.
    Each place that stands out is looked at again, closer and closer: where it flattens out there was no kink.
    At most 16 are returned, those nearest to 0, with seven decimals.
    """
    grid = torch.linspace(low, high, 2003, dtype=torch.float64, device=place)
    step = (high - low) / 2002
    values = f(grid)
    bends = (values[2:] - 2 * values[1:-1] + values[:-2]).abs().nan_to_num(0.0, 0.0, 0.0)
    around = torch.roll(bends, 3) + torch.roll(bends, -3)
    around[:3] = around[-3:] = math.inf
    found = grid[1:-1][bends > 4 * around + 1e-9 * largest(bends) + 1e-13]
    if not len(found):
        return []
    found = found[torch.cat([torch.ones(1, dtype=torch.bool, device=place), found.diff() > 2.5 * step])]
    centres = found[found.abs().argsort()[:16]]
    offsets = torch.linspace(-1, 1, 65, dtype=torch.float64, device=place)
    width, strength = 3 * step, []
    while width > 1e-8:
        near = centres.unsqueeze(1) + width * offsets
        values = f(near.reshape(-1)).reshape(near.shape)
        bends = (values[:, 2:] - 2 * values[:, 1:-1] + values[:, :-2]).abs()
        strength.append(bends.max(1).values / width)
        centres = near.gather(1, bends.argmax(1, keepdim=True) + 1).squeeze(1)
        width /= 14
    lasting = strength[3] > 0.3 * strength[0]  # before rounding takes over: a smooth bend would have shrunk a thousandfold
    return sorted({round(x, 7) + 0.0 for x in centres[lasting].tolist()})
