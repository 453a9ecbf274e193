"""Inputs drawn from a seed: the same on every machine and device, and short enough to print."""

import hashlib

import torch

from handgrad.device import device


class Draw:
    """A source of inputs. The same seed and topic give the same numbers, whatever else was drawn.

    Numbers are rounded to two decimals, so that a message can print exactly what was used.
    """

    def __init__(self, seed: int, topic: str) -> None:
        digest = hashlib.sha256(f"{seed} {topic}".encode()).digest()
        self._generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))

    def normal(self, *shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0) -> torch.Tensor:
        """Signed numbers of about the size of `scale`, none closer to 0 than 0.05."""
        numbers = torch.randn(shape, generator=self._generator, dtype=torch.float64, device="cpu")
        hundredths = (numbers * (100 * scale)).round()
        hundredths = torch.where(numbers > 0, hundredths.clamp(min=5), hundredths.clamp(max=-5))
        return (hundredths / 100).to(device(), dtype)

    def integer(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return int(torch.randint(low, high + 1, (), generator=self._generator, device="cpu"))

    def choice(self, items: list) -> object:
        """One of `items`."""
        return items[self.integer(0, len(items) - 1)]

    def shuffled(self, items: list) -> list:
        """The items in another order."""
        return [items[i] for i in torch.randperm(len(items), generator=self._generator, device="cpu").tolist()]


def tensor(data: object, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """A tensor of given numbers on the course's device."""
    return torch.tensor(data, dtype=dtype, device=device())
