"""The exercise `first_loss` of chapter 08: how large the loss is before the first step, and the rate for a mean."""

from collections.abc import Callable, Iterator

from torch import Tensor

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, plain
from handgrad.exercises.exercise import Exercise, Probe, Slip


def _mean_first_loss(draw: Draw, sizes: tuple[int, ...], networks: int) -> float:
    n, d_in, hidden, d_out = sizes
    x, y = draw.normal(networks, n, d_in), draw.normal(networks, n, d_out)
    w1, w2 = draw.normal(networks, d_in, hidden), draw.normal(networks, hidden, d_out)
    return ((x @ w1).relu() @ w2 - y).pow(2).sum(dim=(1, 2)).mean().item()


def _four_sizes(answer: tuple, draw: Draw) -> Iterator[Case]:
    sizes = [draw.integer(5, 20) for _ in range(4)]
    for i, name in enumerate(("N", "D_in", "H", "D_out")):
        larger = [5 * size if i == j else size for j, size in enumerate(sizes)]
        changes = _number(answer[0](*sizes)) != _number(answer[0](*larger))
        yield {
            "given": f"N, D_in, H, D_out = {', '.join(map(str, sizes))}, then {name} = {larger[i]}",
            "seen": {f"changes with {name}": changes},
        }


def _measured(networks: int, low: tuple[int, ...], high: tuple[int, ...]) -> Callable:
    """A probe: the answer lies within 20 % of what so many networks measure, of sizes between `low` and `high`."""

    def observe(answer: tuple, draw: Draw) -> Iterator[Case]:
        for _ in range(3):
            sizes = tuple(draw.integer(*bounds) for bounds in zip(low, high, strict=True))
            mean = _mean_first_loss(draw, sizes, networks)
            yield {
                "given": f"N, D_in, H, D_out = {', '.join(map(str, sizes))}; mean of {networks} networks, 20 % either way",
                "seen": {"first loss": _number(answer[0](*sizes))},
                "accept": {"first loss": [{"between": [0.8 * mean, 1.2 * mean]}]},
            }

    return observe


def _rate(answer: tuple, draw: Draw) -> Iterator[Case]:
    for _ in range(3):
        n, d_out, rate = draw.integer(5, 90), draw.integer(2, 20), draw.choice([1e-6, 3e-5, 0.02])
        yield {
            "given": f"learning_rate={rate}, N={n}, D_out={d_out}",
            "seen": {"rate for the mean": _number(answer[1](rate, n, d_out))},
        }


def _number(value: object) -> object:
    """A number as a float; one wrapped in a tensor counts."""
    if isinstance(value, Tensor) and value.numel() == 1:
        value = value.item()
    return plain(float(value)) if isinstance(value, (int, float)) and not isinstance(value, bool) else plain(value)


def _expected(n: int, d_in: int, hidden: int, d_out: int) -> float:
    return n * d_out * (d_in * hidden / 2 + 1)


def _for_mean(rate: float, n: int, d_out: int) -> float:
    return rate * n * d_out


_WRONG_LOSSES: tuple[tuple[Callable, str], ...] = (
    (
        lambda n, d_in, h, d_out: n * d_out * (d_in * h + 1),
        "ReLU throws half of the squares away: E[relu(h)²] is half of E[h²].",
    ),
    (
        lambda n, d_in, h, d_out: n * d_out * (d_in * h / 4 + 1),
        "E[relu(h)²] is E[h²] / 2: half of the values are kept whole, not all of them halved.",
    ),
    (
        lambda n, d_in, h, d_out: d_in * h / 2 + 1,
        "That is the mean of one square; the loss is the sum of N · D_out of them.",
    ),
    (lambda n, d_in, h, d_out: n * (d_in * h / 2 + 1), "Each sample has D_out errors, and all of them are summed."),
    (lambda n, d_in, h, d_out: d_out * (d_in * h / 2 + 1), "The loss sums over the N samples too."),
    (lambda n, d_in, h, d_out: n * d_out * (d_in / 2 + 1), "A prediction adds up H hidden units."),
    (lambda n, d_in, h, d_out: n * d_out * (h / 2 + 1), "A pre-activation adds up D_in products."),
)
_WRONG_RATES: tuple[tuple[Callable, str], ...] = (
    (lambda rate, n, d_out: rate / (n * d_out), "The other way: the mean's gradient is smaller, so the rate must be larger."),
    (lambda rate, n, d_out: rate * n, "The mean divides by all terms of the sum, N · D_out of them, not only by N."),
    (lambda rate, n, d_out: rate, "With the same rate the weights would move N · D_out times less."),
)

FIRST_LOSS = Exercise(
    name="first_loss",
    chapter="08_training",
    probes=(
        Probe(
            "four sizes",
            _four_sizes,
            "Each of the four sizes counts: compute the number from them, and copy none from a run.",
        ),
        Probe(
            "other sizes",
            _measured(30, (8, 20, 10, 7), (20, 60, 40, 14)),
            "Build it up: how large is one h² on average, what does ReLU keep of it, how many units are added, how many errors?",
        ),
        Probe(
            "tiny networks",
            _measured(2000, (2, 1, 1, 5), (4, 1, 1, 9)),
            "Where the prediction is small, something else is seen: y is random too, and its own square counts.",
        ),
        Probe("rate", _rate, "The mean is the sum divided by its N · D_out terms, and so is its gradient."),
    ),
    reference=(_expected, _for_mean),
    slips=(
        *(Slip((wrong, _for_mean), text) for wrong, text in _WRONG_LOSSES),
        *(Slip((_expected, wrong), text) for wrong, text in _WRONG_RATES),
    ),
    hints=(
        "Start with one number, h = Σ x w over D_in terms. How large is h² on average? And what does ReLU leave of it?",
        "E[h²] = D_in, E[relu(h)²] = D_in / 2, E[y_pred²] = H · D_in / 2; y adds 1, and N · D_out squares are summed.",
        "`return N * D_out * (D_in * H / 2 + 1)`, and `return learning_rate * N * D_out`.",
    ),
)

EXERCISES = (FIRST_LOSS,)
