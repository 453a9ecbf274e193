"""The exercise `training_loop` of chapter 08: forward, loss, backward, update, clear, 500 times."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.audit.subject import oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip


def network(draw: Draw, sizes: tuple[int, int, int, int], dtype: torch.dtype, scale: float = 1.0) -> tuple[Tensor, ...]:
    """x, y and the leaves w1, w2 for sizes (N, D_in, H, D_out); no pre-activation is so close to 0 that rounding decides."""
    n, d_in, hidden, d_out = sizes
    while True:
        x, w1 = draw.normal(n, d_in, dtype=dtype, scale=scale), draw.normal(d_in, hidden, dtype=dtype)
        if x.mm(w1).abs().min() > 0.01:
            break
    y, w2 = draw.normal(n, d_out, dtype=dtype), draw.normal(hidden, d_out, dtype=dtype)
    return x, y, w1.requires_grad_(), w2.requires_grad_()


def _squares(x: Tensor, y: Tensor, w1: Tensor, w2: Tensor) -> Tensor:
    return (x.mm(w1).relu().mm(w2) - y).pow(2).sum()


def trainer(
    loss: Callable = _squares, factor: float = 1.0, moved: tuple[bool, bool] = (True, True), clear: bool = True
) -> Callable:
    """The loop; with other arguments than the defaults one that is wrong in a known way."""

    def train(x, y, w1, w2, learning_rate=1e-6, steps=500):
        losses = []
        for _ in range(steps):
            value = loss(x, y, w1, w2)
            losses.append(value.item())
            value.backward()
            with torch.no_grad():
                for weight, moves in zip((w1, w2), moved, strict=True):
                    if moves and weight.grad is not None:
                        weight -= factor * learning_rate * weight.grad
                        if clear:
                            weight.grad.zero_()
        return losses, w1, w2

    return train


def _forward_before_loop(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses, loss = [], _squares(x, y, w1, w2)
    for _ in range(steps):
        losses.append(loss.item())
        loss.backward(retain_graph=True)
        for weight in (w1, w2):
            weight.data -= learning_rate * weight.grad
            weight.grad.zero_()
    return losses, w1, w2


def _loss_after_update(x, y, w1, w2, learning_rate=1e-6, steps=500):
    losses = []
    for _ in range(steps):
        trainer()(x, y, w1, w2, learning_rate, 1)
        losses.append(_squares(x, y, w1, w2).item())
    return losses, w1, w2


def _returned(answer: Callable, draw: Draw) -> Iterator[Case]:
    sizes = tuple(draw.shuffled([2, 3, 4, 5]))
    result = answer(*network(draw, sizes, torch.float32), learning_rate=1e-3, steps=1)
    given = f"{_words(sizes)}, steps=1"
    if not (isinstance(result, (tuple, list)) and len(result) == 3):
        yield {"given": given, "seen": {"what train returns": described(result)}}
        return
    losses, w1, w2 = result
    yield {
        "given": given,
        "seen": {
            "losses": "a list" if isinstance(losses, (list, tuple)) else described(losses),
            "number of losses": len(losses) if isinstance(losses, (list, tuple)) else None,
            "w1": described(w1),
            "w2": described(w2),
        },
    }


def _numbers(answer: Callable, draw: Draw) -> Iterator[Case]:
    losses, _, _ = answer(*network(draw, (3, 2, 4, 2), torch.float32), learning_rate=1e-3, steps=1)
    kinds = ["a float" if isinstance(loss, float) else described(loss) for loss in losses]
    yield {"given": "each loss of the list", "seen": {"a loss": kinds[0] if kinds else None}}


def _after(steps: int, dtype: torch.dtype, tolerance: list[float]) -> Callable:
    """A probe of losses and weights after so many steps."""

    def observe(answer: Callable, draw: Draw) -> Iterator[Case]:
        for _ in range(2):
            sizes, rate = tuple(draw.shuffled([2, 3, 4, 5, 6])[:4]), draw.choice([1e-3, 2e-3, 3e-3])
            given = network(draw, sizes, dtype)
            data = [t.clone() for t in given[:2]]
            with torch.enable_grad():
                result = answer(*given, learning_rate=rate, steps=steps)
            case = _case(f"{_words(sizes)}, learning_rate={rate}, steps={steps}", result, tolerance)
            case["seen"]["x and y are as they were"] = all(map(torch.equal, data, given))
            yield case

    return observe


def _every_step(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Also for more samples than a usual batch, a loss that rises, and one that is 0 from the start."""
    yield from _after(5, torch.float64, [1e-8, 1e-8])(answer, draw)
    many, few = (80, 2, 3, 2), (4, 3, 5, 2)
    x, _, w1, w2 = network(draw, few, torch.float64)
    solved = x, x.mm(w1).relu().mm(w2).detach(), w1, w2
    for sizes, data, rate in (
        (many, network(draw, many, torch.float64), 1e-4),
        (few, _rising(draw, few), 0.02),
        (few, solved, 1e-3),
    ):
        with torch.enable_grad():
            result = answer(*data, learning_rate=rate, steps=5)
        start = ", y = relu(x w1) w2" if data is solved else ""
        yield _case(f"{_words(sizes)}, learning_rate={rate}, steps=5{start}", result, [1e-8, 1e-8])


def _rising(draw: Draw, sizes: tuple[int, int, int, int]) -> tuple[Tensor, ...]:
    """A network whose loss rises from the third step to the fourth at a rate of 0.02."""
    while True:
        x, y, *weights = network(draw, sizes, torch.float64)
        losses = trainer()(x, y, *(w.detach().clone().requires_grad_() for w in weights), 0.02, 5)[0]
        if losses[2] < losses[3] < 1e6:
            return x, y, *weights


def _five_hundred(answer: Callable, draw: Draw) -> Iterator[Case]:
    """The defaults; x is large so that a rate of 1e-6 moves a small network as far as the seed's."""
    sizes = (8, 12, 6, 3)
    with torch.enable_grad():
        result = answer(*network(draw, sizes, torch.float64, scale=50.0))
    yield _case(f"{_words(sizes)}, learning_rate and steps not given", result, [1e-8, 1e-8])


def _case(given: str, result: tuple, tolerance: list[float]) -> Case:
    losses, w1, w2 = result
    return {
        "given": given,
        "seen": {
            "losses": [plain(loss.item() if isinstance(loss, Tensor) and loss.numel() == 1 else loss) for loss in losses],
            "w1": plain(w1),
            "w2": plain(w2),
            "gradient left on w1": _left(w1.grad),
        },
        # all of them are right; which one it is tells wrong answers with the same weights apart
        "accept": {"gradient left on w1": ["none", "zeros", "not zero"]},
        "tolerance": tolerance,
    }


def _left(grad: Tensor | None) -> str:
    if grad is None:
        return "none"
    return "not zero" if grad.any() else "zeros"


def _words(sizes: tuple[int, ...]) -> str:
    n, d_in, hidden, d_out = sizes
    return f"{n} × {d_in} → {hidden} → {d_out}"


_IDENTITY_BACKWARD = oracle(torch.relu, lambda g, x: g.clone()).apply


def _hidden_cut_off(x: Tensor, y: Tensor, w1: Tensor, w2: Tensor) -> Tensor:
    return (x.mm(w1).relu().detach().mm(w2) - y).pow(2).sum()


_NO_GRAPH = (
    (
        r"does not require grad and does not have a grad_fn",
        "There is no graph to go back through: the forward runs under no_grad, or was detached. Only the update stands there.",
    ),
    (
        r"'NoneType'",
        "A weight's .grad is None at the update: was loss.backward() called, after the gradients were cleared and not before? "
        "Does the loss reach both weights (no detach, no numpy on the way)?",
    ),
)
_SECOND_STEP = (
    (
        r"does not require grad and does not have a grad_fn",
        "Step 1 works and step 2 has no graph: w1 = w1 - … under no_grad makes a new tensor that asks for no gradient. "
        "Write w1 -= …, which changes the leaf itself.",
    ),
    (
        r"'NoneType'",
        "Step 1 works and in step 2 a .grad is None: w1 = w1 - … makes a new tensor, which is no leaf and gets no .grad. "
        "Write w1 -= …, under torch.no_grad(), which changes the leaf itself.",
    ),
    (
        r"backward through the graph a second time",
        "The forward stands before the loop: each step needs a graph of its own, made with the new weights.",
    ),
    (
        r"modified by an inplace operation",
        "retain_graph keeps the graph of the old weights, and they have changed since: compute y_pred anew in each step.",
    ),
)

TRAINING_LOOP = Exercise(
    name="training_loop",
    chapter="08_training",
    probes=(
        Probe(
            "returned",
            _returned,
            "Return losses, w1, w2: a list with one loss for each of `steps` steps, then both weights.",
            gate=True,
            errors=_NO_GRAPH,
        ),
        Probe(
            "numbers",
            _numbers,
            "losses.append(loss) keeps a tensor, and with it the graph of its step, 500 of them: append loss.item().",
        ),
        Probe(
            "one step",
            _after(1, torch.float32, [1e-4, 1e-5]),
            "Loss, backward, update: one of the three is another than in the formula.",
        ),
        Probe(
            "two steps",
            _after(2, torch.float32, [1e-4, 1e-5]),
            "One step is right and two are not: something of step 1 is left over in step 2.",
            errors=_SECOND_STEP,
        ),
        Probe(
            "five steps", _every_step, "Each step does the same, on all of x: nothing may depend on t, or on how the loss goes."
        ),
        Probe(
            "500 steps",
            _five_hundred,
            "Called as train(x, y, w1, w2), it takes 500 steps at a rate of 1e-6: leave both to the arguments.",
        ),
    ),
    reference=trainer(),
    slips=(
        Slip(
            trainer(clear=False),
            "backward adds to .grad, so each step uses the sum of all gradients so far: clear it after each update.",
        ),
        Slip(
            trainer(factor=0.0),
            "No weight moves: the gradient is cleared between backward and the update. Update first, then clear.",
        ),
        Slip(
            trainer(lambda *args: _squares(*args).detach().requires_grad_()),
            "No weight moves: backward reaches none. requires_grad_() on an output silences the error and mends nothing; "
            "find the detach, or the zero_grad between backward and step.",
        ),
        Slip(
            trainer(_hidden_cut_off),
            "Only w2 learns, and w1 has no gradient at all: the hidden layer leaves the graph (detach, numpy, lists, .data).",
        ),
        Slip(trainer(moved=(False, True)), "Only w2 is updated: w1 gets a gradient and is never moved by it."),
        Slip(trainer(moved=(True, False)), "Only w1 is updated: w2 gets a gradient and is never moved by it."),
        Slip(
            _forward_before_loop,
            "The loss never changes: the forward stands before the loop, so each step goes down the first step's graph.",
        ),
        Slip(
            trainer(lambda x, y, w1, w2: (x.mm(w1).relu().mm(w2) - y.unsqueeze(1)).pow(2).sum()),
            "Each prediction is compared with every target: y_pred - y has broadcast. Both must have shape (N, D_out).",
        ),
        Slip(trainer(factor=-1.0), "The weights move up the slope: subtract learning_rate times the gradient."),
        Slip(
            trainer(lambda x, y, w1, w2: (x.mm(w1).relu().mm(w2) - y).pow(2).mean()),
            "The loss here is the sum of the squares, not their mean.",
        ),
        Slip(trainer(lambda *args: _squares(*args).sqrt()), "No root: the loss is the sum of the squares itself."),
        Slip(trainer(lambda x, y, w1, w2: (x.mm(w1).mm(w2) - y).pow(2).sum()), "There is no ReLU between the two layers."),
        Slip(
            trainer(lambda x, y, w1, w2: (_IDENTITY_BACKWARD(x.mm(w1)).mm(w2) - y).pow(2).sum()),
            "The backward of your ReLU lets every gradient through, and the loss would fall all the same.",
        ),
        Slip(_loss_after_update, "Each loss is one step late: record it before the update."),
        Slip(
            lambda x, y, w1, w2, learning_rate=1e-6, steps=500: trainer()(x, y, w1, w2, 1e-6, steps),
            "The weights move at 1e-6 whatever learning_rate says: use the argument.",
        ),
    ),
    errors=(
        (r"has no attribute 'grad_zero_?'|has no attribute 'zero_grad'", "The gradient is a tensor of its own: w1.grad.zero_()."),
        *_NO_GRAPH,
    ),
    hints=(
        "Five things happen in each step. Which of them must autograd watch, and which must it not?",
        "loss = Σ (relu(x w1) w2 - y)²; then w ← w - learning_rate · ∂loss/∂w; then the gradient back to zero.",
        "After `loss.backward()`: `with torch.no_grad():` `w1 -= learning_rate * w1.grad`, `w1.grad.zero_()`, and so for w2.",
    ),
)


EXERCISES = (TRAINING_LOOP,)
