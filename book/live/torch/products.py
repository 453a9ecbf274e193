"""Products of matrices, each with its derivative."""

from itertools import product
from math import prod
from operator import mul

from torch.devices import common_device
from torch.dtypes import wider
from torch.layout import Size, broadcast
from torch.nodes import Operation
from torch.tensor import Tensor, new


def sumprod(a: list, b: list) -> float:
    return sum(map(mul, a, b))


def _need_matrix(**tensors: Tensor) -> None:
    for name, t in tensors.items():
        if t.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix")


def _same_type(a: Tensor, b: Tensor) -> None:
    if a.dtype is not b.dtype:
        names = {"float32": "float", "float64": "double", "int64": "long", "bool": "bool"}
        first, second = (names.get(t.dtype.name, t.dtype.name) for t in (a, b))
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {first} != {second}")


class Mm(Operation):
    """Y = A B: the gradients are G Bᵀ and Aᵀ G."""

    def forward(self, a, b):
        _need_matrix(self=a, mat2=b)
        if a.shape[1] != b.shape[0]:
            shapes = f"{a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]}"
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({shapes})")
        _same_type(a, b)
        self.save(self=a if self.needs(1) else None, mat2=b if self.needs(0) else None)
        shape = Size((a.shape[0], b.shape[1]))
        if a.is_meta or b.is_meta:  # here torch does not ask for one device, and takes the first one's
            return new([0] * shape.numel(), shape, a.dtype, a.device)
        columns = b.t().tolist() if b.shape[0] else [[]] * b.shape[1]
        rows = a.tolist() if a.shape[1] else [[]] * a.shape[0]
        return new([sumprod(row, column) for row in rows for column in columns], shape, a.dtype, a.device)

    def backward(self, grad):
        return grad.mm(self._saved_mat2.t()) if self.needs(0) else None, (
            self._saved_self.t().mm(grad) if self.needs(1) else None
        )


class Dot(Operation):
    """Two vectors: each one's gradient is the other, times the upstream number."""

    def forward(self, a, b):
        if a.shape != b.shape:
            n, m = a.numel(), b.numel()
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the same number of elements, but got {n} "
                f"and {m} elements respectively"
            )
        _same_type(a, b)
        self.save(self=a, tensor=b)
        product = 0 if a.is_meta or b.is_meta else sumprod(a.values(), b.values())
        return new([product], (), a.dtype, a.device)

    def backward(self, grad):
        return grad * self._saved_tensor, grad * self._saved_self


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """The product along the last dimension of `a` and the last but one of `b`; leading dimensions broadcast."""
    if not a.shape or not b.shape:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a.dim()}D and {b.dim()}D")
    if a.dim() == b.dim() == 1:
        return Dot.apply(a, b)
    if b.dim() == 1:
        if a.shape[-1] != b.shape[0]:
            rows = prod(a.shape[:-1])
            raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{a.shape[-1]}), vec ({b.shape[0]})")
        return matmul(a, b.unsqueeze(1)).squeeze(-1)
    if a.dim() == 1:
        return matmul(a.unsqueeze(0), b).squeeze(-2)
    if b.dim() == 2:
        return Mm.apply(a, b) if a.dim() == 2 else Mm.apply(a.reshape(-1, a.shape[-1]), b).view((*a.shape[:-1], b.shape[1]))
    leading = broadcast(a.shape[:-2], b.shape[:-2])
    rows = a.expand((*leading, *a.shape[-2:])).reshape(prod(leading), *a.shape[-2:])
    columns = b.expand((*leading, *b.shape[-2:])).reshape(prod(leading), *b.shape[-2:])
    return bmm(rows, columns).view((*leading, a.shape[-2], b.shape[-1]))


def bmm(a: Tensor, b: Tensor) -> Tensor:
    """One product for each place of the first dimension."""
    from torch.indexing import stack

    return stack([Mm.apply(one, other) for one, other in zip(a.unbind(), b.unbind(), strict=True)])


def addmm(added: Tensor, a: Tensor, b: Tensor, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · added + alpha · (A B)."""
    result = Mm.apply(a, b)
    if alpha != 1:
        result = result * alpha
    return result if beta == 0 else result + (added if beta == 1 else added * beta)


class Einsum(Operation):
    """Letters on the right of the arrow stay, the others are summed over.

    The gradient of one factor is the same sum with the upstream gradient in its place.
    """

    def forward(self, *factors, equation):
        left, right = _letters(equation, factors)
        sizes: dict[str, int] = {}
        for number, (letters, factor) in enumerate(zip(left, factors, strict=True)):
            for letter, n in zip(letters, factor.shape, strict=True):
                if sizes.setdefault(letter, n) != n:
                    raise RuntimeError(
                        f"einsum(): subscript {letter} has size {n} for operand {number} which does not broadcast with "
                        f"previously seen size {sizes[letter]}"
                    )
        self.save(equation=(left, right, sizes), **{f"factor{i}": factor for i, factor in enumerate(factors)})
        gone = [letter for letter in sizes if letter not in right]
        dtype = factors[0].dtype
        for factor in factors[1:]:
            dtype = wider(dtype, factor.dtype)
        shape, on = Size(sizes[letter] for letter in right), common_device(*factors)
        if on.type == "meta":
            return new(None, shape, dtype, on)
        tables = [
            (factor.values(), [_step(letter, letters, sizes) for letter in (*right, *gone)])
            for letters, factor in zip(left, factors, strict=True)
        ]
        inner = list(product(*(range(sizes[letter]) for letter in gone)))
        result = []
        for place in product(*(range(n) for n in shape)):
            terms = (prod(v[sumprod(steps, (*place, *rest))] for v, steps in tables) for rest in inner)
            result.append(sum(terms))
        return new(result, shape, dtype, on)

    def backward(self, grad):
        left, right, sizes = self._saved_equation
        factors = [getattr(self, f"_saved_factor{i}") for i in range(len(left))]
        found = []
        for i, letters in enumerate(left):
            others = [(grad, right), *((f, l) for j, (f, l) in enumerate(zip(factors, left, strict=True)) if j != i)]
            seen = "".join(l for _, l in others)
            for letter in dict.fromkeys(letters):
                if letter not in seen:  # summed over by itself: every place of it gets the same
                    others.append((grad.new_ones(sizes[letter]), letter))
            equation = f"{','.join(l for _, l in others)}->{letters}"
            found.append(Einsum.apply(*(f for f, _ in others), equation=equation) if self.needs(i) else None)
        return tuple(found)


def _step(letter: str, letters: str, sizes: dict[str, int]) -> int:
    """How far apart two neighbours along a letter lie in a factor."""
    return sum(prod(sizes[l] for l in letters[i + 1 :]) for i, own in enumerate(letters) if own == letter)


def _letters(equation: str, factors: tuple) -> tuple[list[str], str]:
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(factors):
        raise RuntimeError(
            "einsum(): fewer operands were provided than specified in the equation"
            if len(parts) > len(factors)
            else "einsum(): more operands were provided than specified in the equation"
        )
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    dots = max((f.dim() - len(p) + 3 for p, f in zip(parts, factors, strict=True) if "..." in p), default=0)
    names = "".join(spare[:dots])
    parts = [p.replace("...", names[dots - (f.dim() - len(p) + 3) :]) for p, f in zip(parts, factors, strict=True)]
    for i, (letters, factor) in enumerate(zip(parts, factors, strict=True)):
        if len(letters) != factor.dim():
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(letters)}) does not match the number of "
                f"dimensions ({factor.dim()}) for operand {i} and no ellipsis was given"
            )
    if not arrow:
        text = "".join(parts)
        return parts, names + "".join(sorted(c for c in set(text) if text.count(c) == 1 and c not in names))
    return parts, right.replace("...", names)


def einsum(equation: str, *factors: Tensor) -> Tensor:
    """A sum of products written with letters: `einsum("no,oi->ni", g, w)`."""
    factors = tuple(factors[0]) if len(factors) == 1 and isinstance(factors[0], (list, tuple)) else factors
    return Einsum.apply(*factors, equation=equation)
