"""The exercise `without_autograd` of chapter 08: a whole network sent back by hand, loss, layer, ReLU, layer."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.exercises.exercise import Exercise, Probe, Slip

NAMES = ("w1", "b1", "w2", "b2")
Sizes = tuple[int, int, int, int]


def _network(draw: Draw, sizes: Sizes, dtype: torch.dtype = torch.float64) -> list[Tensor]:
    """x, y and the leaves w1, b1, w2, b2 for sizes (N, D_in, H, D_out); no pre-activation is within a rounding of 0."""
    n, d_in, hidden, d_out = sizes
    while True:
        x, w1, b1 = draw.normal(n, d_in), draw.normal(d_in, hidden), draw.normal(hidden)
        if (x.mm(w1) + b1).abs().min() > 0.01:
            break
    data = [x, draw.normal(n, d_out), w1, b1, draw.normal(hidden, d_out), draw.normal(d_out)]
    return [tensor.to(dtype).requires_grad_(place > 1) for place, tensor in enumerate(data)]


def _open(h: Tensor, grad_hidden: Tensor) -> Tensor:
    return h > 0


def _sum(gradient: Tensor) -> Tensor:
    return gradient.sum(0)


def by_hand(
    slope: Callable[[Tensor], Tensor] = lambda error: 2 * error,
    gate: Callable[[Tensor, Tensor], Tensor] = _open,
    sums: tuple[Callable, Callable] = (_sum, _sum),
    into_w2: Callable[[Tensor], Tensor] = torch.relu,
    gated: tuple[bool, bool] = (True, True),
    activation: Callable[[Tensor], Tensor] = torch.relu,
    biases: tuple[int, int] = (1, 1),
    turned: Callable[[Tensor], Tensor] = torch.t,
) -> Callable:
    """The four gradients; with other arguments than the defaults wrong in a known way."""

    @torch.no_grad()
    def gradients(x, y, w1, b1, w2, b2):
        h = x.mm(w1) + biases[0] * b1
        grad_pred = slope(activation(h).mm(w2) + biases[1] * b2 - y)
        grad_hidden = grad_pred.mm(turned(w2))
        grad_h = grad_hidden * gate(h, grad_hidden)
        for_w1, for_b1 = (grad_h if each else grad_hidden for each in gated)
        return turned(x).mm(for_w1), sums[0](for_b1), turned(into_w2(h)).mm(grad_pred), sums[1](grad_pred)

    return gradients


def _otherwise(order: Callable[[Tensor, Tensor, Tensor, Tensor], tuple]) -> Callable:
    """The right gradients, handed back in another order or shape."""
    return lambda *given: order(*by_hand()(*given))


def _called(answer: Callable, given: list[Tensor]) -> list:
    with torch.enable_grad():
        result = answer(*given)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def _form(answer: Callable, draw: Draw) -> Iterator[Case]:
    sizes = _sizes(draw)
    result = _called(answer, _network(draw, sizes))
    four = len(result) == 4 and all(isinstance(part, Tensor) for part in result)
    seen = "four tensors" if four else ", ".join(map(described, result)) or "nothing"
    yield {"given": _words(sizes), "seen": {"what gradients returns": seen}}


class _Derivatives(TorchDispatchMode):
    """Whether an operation ran while torch was differentiating, backward or forward."""

    seen = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen |= torch._C._current_graph_task_id() != -1 or forward_ad._current_level >= 0
        return func(*args, **(kwargs or {}))


def _without(answer: Callable, draw: Draw) -> Iterator[Case]:
    sizes = _sizes(draw)
    given = _network(draw, sizes)
    with _Derivatives() as derivatives:
        _called(answer, given)
    yield {"given": _words(sizes), "seen": {"torch differentiates": derivatives.seen}}


def _shapes(answer: Callable, draw: Draw) -> Iterator[Case]:
    sizes = _sizes(draw)
    result = _called(answer, _network(draw, sizes))
    seen = {f"gradient of {name}": described(part) for name, part in zip(NAMES, result, strict=True)}
    yield {"given": _words(sizes), "seen": seen}


def _values(names: tuple[str, ...], dtype: torch.dtype = torch.float64, y_size: float = 1.0, times: int = 3) -> Callable:
    """A probe of these gradients; `y_size` makes the loss large."""

    def observe(answer: Callable, draw: Draw) -> Iterator[Case]:
        for _ in range(times):
            sizes = _sizes(draw)
            given = _network(draw, sizes, dtype)
            given[1] = given[1] * y_size
            far = f", y about {y_size:.0e}" if y_size > 1 else ""
            case = _case(answer, f"{_words(sizes)}, {str(dtype).removeprefix('torch.')}{far}", given, names)
            yield case | ({"tolerance": [1e-4, 1e-4]} if dtype == torch.float32 else {})

    return observe


def _other_sizes(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Each size once 1, all alike, and many examples."""
    for sizes in ((1, 3, 4, 2), (3, 1, 2, 4), (4, 2, 1, 3), (2, 4, 3, 1), (1, 1, 1, 1), (3, 3, 3, 3), (70, 3, 2, 4)):
        yield _case(answer, _words(sizes), _network(draw, sizes))


def _small_and_large(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Only the sign of a pre-activation counts."""
    for size in (1e-6, 1e3):
        sizes = _sizes(draw)
        given = _network(draw, sizes)
        with torch.no_grad():
            given[2] *= size
            given[3] *= size
        yield _case(answer, f"{_words(sizes)}, h of about {size:.0e}", given)


def _at_zero(answer: Callable, draw: Draw) -> Iterator[Case]:
    """One pre-activation is exactly 0: any slope of ReLU will do there that torch uses somewhere."""
    sizes = (2, 1, 2, 1)
    given = _network(draw, sizes)
    x, w1, b1 = given[0], given[2], given[3]
    with torch.no_grad():
        x[0] = 1.0
        w1[0, 0] = -b1[0]
    names = ("w1", "b1")
    case = _case(answer, f"{_words(sizes)}, where h[0, 0] is exactly 0", given, names)
    slopes = [by_hand(gate=lambda h, g, at=at: torch.heaviside(h, h.new_tensor(at)))(*given) for at in (0.0, 0.5, 1.0)]
    yield case | {"accept": {f"gradient of {name}": [plain(each[place]) for each in slopes] for place, name in enumerate(names)}}


def _case(answer: Callable, words: str, given: list[Tensor], names: tuple[str, ...] = NAMES) -> Case:
    result = dict(zip(NAMES, _called(answer, given), strict=True))
    return {"given": words, "seen": {f"gradient of {name}": plain(result[name]) for name in names}}


def _no_graph(answer: Callable, draw: Draw) -> Iterator[Case]:
    sizes = _sizes(draw)
    result = _called(answer, _network(draw, sizes))
    seen = {f"gradient of {name} requires grad": part.requires_grad for name, part in zip(NAMES, result, strict=True)}
    yield {"given": f"{_words(sizes)}, where the parameters require grad", "seen": seen}


def _untouched(answer: Callable, draw: Draw) -> Iterator[Case]:
    sizes = _sizes(draw)
    given = _network(draw, sizes)
    before = [(tensor.detach().clone(), tensor.requires_grad) for tensor in given]
    with torch.enable_grad():
        answer(*given)
        seen = {"torch records as before": torch.is_grad_enabled()}
    for name, tensor, (numbers, flag) in zip(("x", "y", *NAMES), given, before, strict=True):
        seen[f"{name} is as it was"] = torch.equal(tensor, numbers) and tensor.requires_grad == flag
    yield {"given": _words(sizes), "seen": seen}


def _sizes(draw: Draw) -> Sizes:
    return tuple(draw.shuffled([2, 3, 4, 5]))


def _words(sizes: Sizes) -> str:
    n, d_in, hidden, d_out = sizes
    return f"N = {n}, D_in = {d_in}, H = {hidden}, D_out = {d_out}"


def _mean(gradient: Tensor) -> Tensor:
    return gradient.mean(0)


def _nothing(gradient: Tensor) -> Tensor:
    return gradient


_BY_HAND = (
    "Here torch may not differentiate, neither by backward nor by grad or torch.func. "
    "Go back from the loss yourself: begin with 2 (y_pred - y), and write one line for each operation."
)
_SLOPES: tuple[tuple[Callable[[Tensor], Tensor], str], ...] = (
    (lambda e: e, "The slope of a square: that of e² is 2 e, so the first line is 2 (y_pred - y)."),
    (lambda e: -2 * e, "The sign is turned: a prediction that is too high has a positive slope, 2 (y_pred - y)."),
    (lambda e: -e, "The sign is turned and the factor 2 of the square is missing: 2 (y_pred - y)."),
    (lambda e: 2 * e / e.numel(), "The loss is the sum of the squares, not their mean: divide by nothing."),
    (lambda e: 2 * e / len(e), "Nothing is divided by N: the loss sums over the examples."),
    (lambda e: e / e.numel(), "The loss is the sum of the squares, not their mean; and the slope of e² is 2 e."),
    (lambda e: e / len(e), "Nothing is divided by N: the loss sums over the examples; and the slope of e² is 2 e."),
    (lambda e: e**2, "The squares themselves are sent back. What goes back is the slope of the loss, 2 (y_pred - y)."),
    (lambda e: 2 * e * e.pow(2).sum(), "The value of the loss does not occur, only its slope, 2 (y_pred - y)."),
    (torch.ones_like, "Ones are the slope of y_pred.sum(). That of the squared errors is 2 (y_pred - y)."),
    (torch.sign, "That is the slope of |e|; the slope of e² is 2 e."),
    (lambda e: e / e.norm(), "There is no root in the loss: its slope is 2 (y_pred - y)."),
)
_GATES: tuple[tuple[Callable[[Tensor, Tensor], Tensor], str], ...] = (
    (
        lambda h, g: g > 0,
        "The gate asks the gradient. What decides is what ReLU was given: h > 0, whatever sign the gradient has.",
    ),
    (lambda h, g: (h > 0) & (g > 0), "Behind the gate negative gradients are lost too: only h decides, h > 0."),
    (
        lambda h, g: torch.ones_like(h),
        "No gate: the gradient goes back as if there were no ReLU. Where h is negative nothing goes through "
        "(and relu(h) >= 0 is true everywhere).",
    ),
    (lambda h, g: h < 0, "The gate is the wrong way round: it is open where h > 0."),
    (lambda h, g: h.relu(), "The gate multiplies by relu(h) itself. It has to be its slope, 1 where h > 0 and 0 elsewhere."),
    (lambda h, g: h, "The gate multiplies by h. It has to be the slope of ReLU, 1 where h > 0 and 0 elsewhere."),
)

WITHOUT_AUTOGRAD = Exercise(
    name="without_autograd",
    chapter="08_training",
    probes=(
        Probe("form", _form, "Return the four gradients: of w1, b1, w2 and b2, in this order.", gate=True),
        Probe("by hand", _without, _BY_HAND, gate=True),
        Probe(
            "shapes",
            _shapes,
            "A gradient has the shape and dtype of its parameter: w1 (D_in, H), b1 (H,), w2 (H, D_out), b2 (D_out,).",
        ),
        Probe(
            "last layer",
            _values(("w2", "b2")),
            "The first lines of the way back: the slope of the loss, then hiddenᵀ · slope for w2, its sum over N for b2.",
        ),
        Probe(
            "first layer",
            _values(("w1", "b1")),
            "The last layer is right, so look behind it: through w2 to the hidden units, through the gate, then to w1 and b1.",
        ),
        Probe("other sizes", _other_sizes, "Something in it holds for some sizes only: a sum, a squeeze, an outer product."),
        Probe(
            "large errors",
            _values(NAMES, y_size=1e9),
            "Differences of the loss lose their digits where it is large; products and sums of the slope do not.",
        ),
        Probe(
            "small and large h",
            _small_and_large,
            "The gate is open where h > 0, however small or large h is, and shut elsewhere.",
        ),
        Probe("at 0", _at_zero, "Where h is exactly 0 the slope of ReLU may be 0, 1 or 1/2, and is no NaN."),
        Probe("float32", _values(NAMES, dtype=torch.float32), "A gradient has the dtype of its parameter."),
        Probe(
            "no graph",
            _no_graph,
            "The parameters require grad, so torch records your lines and each gradient holds on to them. "
            "Put the lines under torch.no_grad().",
        ),
        Probe(
            "untouched",
            _untouched,
            "An argument was changed in place, and the caller still needs it: compute new tensors, and leave `requires_grad` "
            "as it is. What `with torch.no_grad():` switches off is on again at its end.",
        ),
    ),
    reference=by_hand(),
    slips=(
        *(Slip(by_hand(slope=slope), text) for slope, text in _SLOPES),
        Slip(by_hand(into_w2=_nothing), "w2 multiplied relu(h), not h: its gradient is made with what went into it."),
        Slip(by_hand(biases=(1, 0)), "b2 is missing in the forward."),
        Slip(by_hand(biases=(0, 1)), "b1 is missing in the forward."),
        Slip(by_hand(activation=_nothing), "There is no ReLU in the forward."),
        Slip(by_hand(activation=_nothing, into_w2=_nothing), "There is no ReLU in the forward."),
        *(
            Slip(by_hand(sums=sums), "A bias is added to every example, so its gradient is the sum over them, not the mean.")
            for sums in ((_mean, _sum), (_sum, _mean), (_mean, _mean))
        ),
        *(
            Slip(by_hand(sums=sums), "A bias is added to every example, so its gradient is the sum over them: .sum(0).")
            for sums in ((_nothing, _nothing), (_nothing, _sum), (_sum, _nothing))
        ),
        *(Slip(by_hand(gate=gate), text) for gate, text in _GATES),
        Slip(
            by_hand(turned=lambda matrix: matrix.reshape(matrix.shape[::-1])),
            "reshape and view give another shape and leave the numbers in their order: the transpose is .t().",
        ),
        Slip(by_hand(gated=(True, False)), "b1 stands before the ReLU: its gradient is summed behind the gate, not before it."),
        Slip(by_hand(gated=(False, True)), "w1 stands before the ReLU: its gradient is made behind the gate, not before it."),
        Slip(
            _otherwise(lambda w1, b1, w2, b2: (w1, w2, b1, b2)),
            "The order is w1, b1, w2, b2, as in the arguments.",
        ),
        Slip(
            _otherwise(lambda w1, b1, w2, b2: (w2, b2, w1, b1)),
            "You return them in the order in which they are found. The order is w1, b1, w2, b2, as in the arguments.",
        ),
        Slip(
            _otherwise(lambda w1, b1, w2, b2: (w1.t(), b1, w2.t(), b2)),
            "These are the weights of nn.Linear. Here a layer is x.mm(w), so a gradient is input.t().mm(upstream).",
        ),
    ),
    errors=(
        (
            r"shapes cannot be multiplied|must match the size",
            "Write the shape beside each line: slope (N, D_out), hidden and its gradient (N, H). Going back through x.mm(w) "
            "is .mm(w.t()); the gate comes after w2 and before w1.",
        ),
        (r"does not require grad and does not have a grad_fn", _BY_HAND),
    ),
    hints=(
        "Read the forward from its end. Which line used y_pred last, what is its slope, and who is behind it?",
        "G = 2 (y_pred - y); w2: hiddenᵀ G; hidden: G w2ᵀ; through the gate: · [h > 0]; w1: xᵀ of that. A bias: the sum over N.",
        "`grad_h = grad_pred.mm(w2.t()) * (h > 0)`, then `x.t().mm(grad_h)` and `grad_h.sum(0)`; before it the same with "
        "`hidden` and `grad_pred`.",
    ),
)

EXERCISES = (WITHOUT_AUTOGRAD,)
