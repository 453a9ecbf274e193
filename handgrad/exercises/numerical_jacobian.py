"""The exercise `numerical_jacobian` of chapter 04: a derivative by central differences, column by column."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw
from handgrad.audit.formats import show
from handgrad.audit.record import Case, described, plain
from handgrad.exercises.exercise import Exercise, Probe, Slip


def central(fn: Callable, x: Tensor, eps: float = 1e-6) -> Tensor:
    """The answer: (fn(x + eps e_j) - fn(x - eps e_j)) / (2 eps), for each unit step e_j one column."""
    return _differences(fn, x, eps, lambda up, down, at: (up - down) / (2 * eps))


def _differences(fn: Callable, x: Tensor, eps: float, quotient: Callable) -> Tensor:
    x = x.detach().double()
    columns = []
    for j in range(x.numel()):
        step = torch.zeros_like(x).reshape(-1)
        step[j] = eps
        step = step.reshape(x.shape)
        columns.append(quotient(fn(x + step), fn(x - step), fn(x)).reshape(-1))
    return torch.stack(columns, dim=1)


def _pairs(draw: Draw) -> list[tuple[str, Callable, Tensor]]:
    """Functions that are linear, so that any step gives their Jacobian, with inputs of all shapes."""
    a, b, x = draw.normal(2, 3), draw.normal(3, 4), draw.normal(3)
    return [
        (f"A @ x, A = {show(plain(a))}, x = {show(plain(x))}", lambda x: a @ x, x),
        ("x @ B, x of shape (2, 3), B of shape (3, 4)", lambda x: x @ b, draw.normal(2, 3)),
        ("(x * A).sum(), x of shape (2, 3)", lambda x: (x * a).sum(), draw.normal(2, 3)),
        ("x * A, x one number of shape (), A of shape (2, 3)", lambda x: x * a, draw.normal()),
        ("A @ x, x every second number of another tensor", lambda x: a @ x, draw.normal(6)[::2]),
        ("x @ B, x the transpose of a tensor of shape (3, 2)", lambda x: x @ b, draw.normal(3, 2).t()),
        ("A @ x, x one number expanded to 3", lambda x: a @ x, draw.normal(1).expand(3)),
        ("x.t(), a view of x of shape (2, 3)", lambda x: x.t(), draw.normal(2, 3)),
        ("x itself, of shape (3,)", lambda x: x, draw.normal(3)),
    ]


def _shape(answer: Callable, draw: Draw) -> Iterator[Case]:
    for words, fn, x in _pairs(draw):
        yield {"given": f"fn(x) = {words}", "seen": {"the Jacobian": described(answer(fn, x, 1e-3))}}


def _columns(answer: Callable, draw: Draw) -> Iterator[Case]:
    for words, fn, x in _pairs(draw):
        seen = {"the Jacobian": plain(answer(fn, x, 2.0**-10))}
        yield {"given": f"fn(x) = {words}", "seen": seen, "tolerance": [1e-9, 1e-9]}


_SMOOTH: dict[str, tuple[Callable, Callable]] = {
    "sin(x)": (torch.sin, torch.cos),
    "exp(x)": (torch.exp, torch.exp),
    "x ** 3": (lambda x: x**3, lambda x: 3 * x**2),
}


def _error(answer: Callable, name: str, x: Tensor, eps: float) -> float:
    """The largest error of an answer for a function that is applied to each number by itself."""
    fn, slope = _SMOOTH[name]
    diagonal = torch.eye(x.numel(), dtype=torch.float64, device=x.device)
    return (answer(fn, x, eps) - diagonal * slope(x.double())).abs().max().item()


def _second_order(answer: Callable, draw: Draw) -> Iterator[Case]:
    for name in _SMOOTH:
        x = draw.normal(3)
        large, small = (_error(answer, name, x, eps) for eps in (0.1, 0.05))
        label = "error at eps = 0.1 over error at eps = 0.05"
        yield {
            "given": f"fn(x) = {name}, x = {show(plain(x))}",
            "seen": {label: plain(large / small if small else 0.0)},
            "accept": {label: [{"between": [3.6, 4.4]}]},
        }


def _step(answer: Callable, draw: Draw) -> Iterator[Case]:
    for eps in (0.5, draw.choice([0.3, 0.2, 0.1]), 0.01):
        x = draw.normal(3)
        seen = {"the Jacobian": plain(answer(lambda x: x**3, x, eps))}
        yield {"given": f"fn(x) = x ** 3, eps = {eps}, x = {show(plain(x))}", "seen": seen, "tolerance": [1e-10, 1e-10]}


def _u_curve(answer: Callable, draw: Draw) -> Iterator[Case]:
    x = draw.normal(8)
    for eps, low, high in ((1e-1, 1e-4, 1e-2), (1e-5, 0.0, 1e-9), (1e-13, 1e-6, 1e-1)):
        yield {
            "given": f"fn(x) = sin(x) at eight numbers, eps = {eps:.0e}",
            "seen": {"largest error": plain(_error(answer, "sin(x)", x, eps))},
            "accept": {"largest error": [{"between": [low, high]}]},
        }


def _float64(answer: Callable, draw: Draw) -> Iterator[Case]:
    for dtype in (torch.float32, torch.float64):
        x = draw.normal(4, dtype=dtype)
        seen = {"the Jacobian": plain(answer(lambda x: (x**2).cumsum(0), x))}
        words = f"fn(x) = (x ** 2).cumsum(0), eps left to its default, x = {show(plain(x))} in {str(dtype).split('.')[1]}"
        yield {"given": words, "seen": seen, "tolerance": [1e-7, 1e-7]}


def _untouched(answer: Callable, draw: Draw) -> Iterator[Case]:
    for asks in (False, True):
        x = draw.normal(3, 5, scale=3.0).requires_grad_(asks)
        kept = x.detach().clone()
        answer(lambda x: x * x, x, 0.1)
        seen = {
            "numbers of x that have changed": (x.detach() != kept).sum().item(),
            "x.requires_grad": x.requires_grad,
            "x.grad": described(x.grad),
        }
        yield {"given": f"eps = 0.1, 15 numbers in x, x.requires_grad = {asks}", "seen": seen}


def _by_autograd(fn: Callable, x: Tensor, eps: float = 1e-6) -> Tensor:
    x = x.detach().double().requires_grad_()
    y = fn(x).reshape(-1)
    rows = [torch.autograd.grad(one, x, retain_graph=True)[0].reshape(-1) for one in y]
    return torch.stack(rows)


def _nudged_in_place(fn: Callable, x: Tensor, eps: float = 1e-6) -> Tensor:
    x = x.detach().double().contiguous().clone()
    flat, columns = x.view(-1), []
    for j in range(x.numel()):
        flat[j] += eps
        up = fn(x)
        flat[j] -= 2 * eps
        columns.append(((up - fn(x)) / (2 * eps)).reshape(-1))
        flat[j] += eps
    return torch.stack(columns, dim=1)


def _all_at_once(fn: Callable, x: Tensor, eps: float = 1e-6) -> Tensor:
    x = x.detach().double()
    return (fn(x + eps) - fn(x - eps)) / (2 * eps)


_FORWARD = "One-sided: (f(x + eps) - f(x)) / eps is wrong by a term in eps, which cancels where you go to both sides."
_ONE_COLUMN = "One column is not enough: move each number of x by itself, one after another, and stack the columns."

NUMERICAL_JACOBIAN = Exercise(
    name="numerical_jacobian",
    chapter="04_gradcheck",
    probes=(
        Probe("shape", _shape, "A row for each number of fn(x), a column for each number of x, in float64: (out, in)."),
        Probe("columns", _columns, "Column j is what all outputs do when number j of x alone is moved, whatever x looks like."),
        Probe(
            "second order",
            _second_order,
            "When eps is halved, the error of a central difference falls to a quarter: two values of fn, one on each side of x.",
        ),
        Probe("step", _step, "Go eps to each side, as far as you are told, and divide by the distance of the two, 2 * eps."),
        Probe(
            "float64",
            _float64,
            "The difference of two near numbers has few digits left: x goes to float64 before it is moved, not the result.",
        ),
        Probe(
            "U-curve",
            _u_curve,
            "A central difference is poor at large steps and at tiny ones, and good between, as differences of fn's values are.",
        ),
        Probe(
            "x untouched",
            _untouched,
            "x += eps and x -= eps do not give the same x back: move a copy.",
        ),
    ),
    reference=central,
    slips=(
        Slip(lambda fn, x, eps=1e-6: _differences(fn, x, eps, lambda up, down, at: (up - at) / eps), _FORWARD),
        Slip(lambda fn, x, eps=1e-6: _differences(fn, x, eps, lambda up, down, at: (at - down) / eps), _FORWARD),
        Slip(
            lambda fn, x, eps=1e-6: 2 * central(fn, x, eps),
            "Twice too large: from x - eps to x + eps it is 2 * eps, and by that you divide.",
        ),
        Slip(
            lambda fn, x, eps=1e-6: central(fn, x, eps / 2),
            "You step half as far as you are told: eps goes to each side, so the two are 2 * eps apart.",
        ),
        Slip(lambda fn, x, eps=1e-6: central(fn, x, 1e-6), "eps is an argument of yours: use it."),
        Slip(
            lambda fn, x, eps=1e-6: central(fn, x, eps).t(),
            "Turned on its side: outputs are rows and inputs are columns. torch.stack(columns, dim=1).",
        ),
        Slip(lambda fn, x, eps=1e-6: central(fn, x, eps)[:, :1], _ONE_COLUMN),
        Slip(_all_at_once, _ONE_COLUMN),
        Slip(
            lambda fn, x, eps=1e-6: central(fn, x, eps).float(),
            "The Jacobian is in float32, where seven digits are left of a number: keep float64.",
        ),
        Slip(
            _by_autograd,
            "There is no error to be seen, so this is torch's derivative. Here you find it without autograd, from values of fn.",
        ),
        Slip(
            _nudged_in_place,
            "What fn returned is a view of x and moved along with it: move a copy, or clone what fn returns.",
        ),
    ),
    errors=(
        (
            r"leaf Variable that requires grad|view .*inplace",
            "x belongs to the caller, and here it requires grad: take x.detach() to float64, and move a copy of it.",
        ),
        (r"view size is not compatible", "x may have any memory layout: write reshape in place of view, and move a copy."),
        (r"single memory location|refers to a single memory", "x may be expanded, many numbers in one place: move a copy."),
        (r"too many indices|invalid index of a 0-dim", "x may have any number of dimensions, or none: reshape(-1) lists it."),
        (r"0-dim|zero-dimensional", "fn(x) and x may be one number each, of shape (): reshape(-1) makes a list of either."),
    ),
    hints=(
        "If you move one number of x by a little, what do you learn about the outputs? How often must you do that?",
        "Column j is (fn(x + eps e) - fn(x - eps e)) / (2 eps), flat, where e is 1 in place j and 0 elsewhere; all in float64.",
        "`x = x.detach().double()`, `for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device)`, "
        "`step = eps * unit.reshape(x.shape)`; at the end `torch.stack(columns, dim=1)`.",
    ),
)

EXERCISES = (NUMERICAL_JACOBIAN,)
