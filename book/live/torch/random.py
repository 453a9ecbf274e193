"""Random numbers: the same as torch's for the same seed, since both draw from a Mersenne twister."""

import contextlib
import math
from collections.abc import Iterator
from random import Random

from torch.creation import filled
from torch.dtypes import dtype, float32, int64
from torch.tensor import Tensor, new
from torch.views import sizes_of


class Generator:
    """A source of random numbers."""

    def __init__(self, device: object = None) -> None:
        self._twister, self._spare = Random(), None
        self._seed, self._seeded = 67280421310721, False

    def manual_seed(self, seed: int) -> "Generator":
        self._seed, self._seeded, self._spare = seed, False, None
        return self

    def _start(self) -> None:
        word = self._seed & 0xFFFFFFFF
        state = [word]
        for i in range(1, 624):
            word = (1812433253 * (word ^ word >> 30) + i) & 0xFFFFFFFF
            state.append(word)
        self._twister.setstate((3, (*state, 624), None))
        self._seeded = True

    def initial_seed(self) -> int:
        return self._seed

    def get_state(self) -> tuple:
        return self._seed, self._seeded, self._twister.getstate(), self._spare

    def set_state(self, state: tuple) -> None:
        self._seed, self._seeded, twister, self._spare = state
        self._twister.setstate(twister)

    def word(self) -> int:
        if not self._seeded:
            self._start()
        return self._twister.getrandbits(32)

    def uniform(self, of: dtype) -> float:
        if of is float32:
            return (self.word() & 0xFFFFFF) / 2**24
        return ((self.word() << 32 | self.word()) & (1 << 53) - 1) / 2**53

    def normal(self, of: dtype) -> float:
        """One number; of each pair of uniform ones come two, and the second is kept for the next call."""
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        angle, other = 2 * math.pi * self.uniform(of), self.uniform(of)
        radius = math.sqrt(-2 * math.log1p(-other))
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def normals(self, count: int, of: dtype) -> list[float]:
        """As many numbers; torch makes many of them sixteen at a time."""
        if count < 16:
            return [self.normal(of) for _ in range(count)]
        values = [self.uniform(of) for _ in range(count)]
        for start in range(0, count - 15, 16):
            self._pair(values, start)
        if count % 16:
            values[-16:] = [self.uniform(of) for _ in range(16)]
            self._pair(values, count - 16)
        return values

    def _pair(self, values: list[float], start: int) -> None:
        for i in range(start, start + 8):
            radius, angle = math.sqrt(-2 * math.log(1 - values[i])), 2 * math.pi * values[i + 8]
            values[i], values[i + 8] = radius * math.cos(angle), radius * math.sin(angle)


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    return default_generator.manual_seed(seed)


def seed() -> int:
    fresh = Random().getrandbits(63)
    manual_seed(fresh)
    return fresh


def initial_seed() -> int:
    return default_generator.initial_seed()


def get_rng_state() -> tuple:
    return default_generator.get_state()


def set_rng_state(state: tuple) -> None:
    default_generator.set_state(state)


@contextlib.contextmanager
def fork_rng(devices: object = None, enabled: bool = True) -> Iterator[None]:
    """Afterwards the random state is what it was."""
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


def randn(*size: object, generator: Generator | None = None, dtype: dtype | None = None, **options: object) -> Tensor:
    result = filled(0)(*size, dtype=dtype, **options)
    if not result.is_meta:
        result._storage.values = result.dtype.rounded((generator or default_generator).normals(result.numel(), result.dtype))
    return result


def rand(*size: object, generator: Generator | None = None, dtype: dtype | None = None, **options: object) -> Tensor:
    result = filled(0)(*size, dtype=dtype, **options)
    if not result.is_meta:
        source = generator or default_generator
        result._storage.values = [source.uniform(result.dtype) for _ in range(result.numel())]
    return result


def randn_like(t: Tensor, **options: object) -> Tensor:
    return randn(t.shape, dtype=t.dtype, device=t.device, **options)


def rand_like(t: Tensor, **options: object) -> Tensor:
    return rand(t.shape, dtype=t.dtype, device=t.device, **options)


def randint(low: int, high: object, size: object = None, *, generator: Generator | None = None, dtype=None, device=None):
    if size is None:
        low, high, size = 0, low, high
    source, count = generator or default_generator, math.prod(size)
    return new([low + source.word() % (high - low) for _ in range(count)], tuple(size), dtype or int64, device)


def randperm(n: int, *, generator: Generator | None = None, device: object = None) -> Tensor:
    source, order = generator or default_generator, list(range(n))
    for i in range(n - 1):
        j = i + source.word() % (n - i)
        order[i], order[j] = order[j], order[i]
    return new(order, (n,), int64, device)


def uniform_(self: Tensor, low: float = 0.0, high: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    source = generator or default_generator
    self.write([low + (high - low) * source.uniform(self.dtype) for _ in range(self.numel())] if not self.is_meta else [])
    return self


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None) -> Tensor:
    source = generator or default_generator
    self.write([mean + std * n for n in source.normals(self.numel(), self.dtype)] if not self.is_meta else [])
    return self


def random_(self: Tensor, low: int = 0, high: int = 2**24) -> Tensor:
    self.write([low + default_generator.word() % (high - low) for _ in range(self.numel())])
    return self


def normal(mean: float, std: float, size: tuple, **options: object) -> Tensor:
    return randn(*sizes_of((size,)), **options) * std + mean
