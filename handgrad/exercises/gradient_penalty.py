"""The exercise `gradient_penalty` of chapter 09: a loss that contains a gradient, through a softplus of one's own."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, numbers
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes, function_slips

Function = type[torch.autograd.Function]
Penalty = Callable[[Callable, Tensor], Tensor]
Answer = tuple[Function, Penalty]
NAMES = ("w1", "b1", "w2")
TOLERANCE = [1e-4, 1e-5]  # for an epsilon under the root


def penalty(critic: Callable, x: Tensor) -> Tensor:
    """The mean over samples of (|gradient| - 1)²."""
    x = x.detach().requires_grad_()
    (grad,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return (grad.norm(dim=1) - 1).square().mean()


def softplus_with(backward: Callable[[Tensor, Tensor], Tensor], save: Callable = lambda x: x) -> Function:
    """A softplus that saves `save(x)` and goes back by `backward(grad_output, saved)`."""

    class Softplus(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(save(x))
            return functional.softplus(x)

        @staticmethod
        def backward(ctx, grad_output):
            return backward(grad_output, *ctx.saved_tensors)

    return Softplus


SOFTPLUS = softplus_with(lambda g, x: g * torch.sigmoid(x))
_SOFTPLUS_ARGS = Subject(
    names=("x",),
    samples=lambda draw: [
        (x.requires_grad_(),) for x in (tensor([-1.0, 0.0, 2.0]), draw.normal(2, 3), draw.normal(4, scale=3.0))
    ],
    shapes=lambda draw: [
        ("one number", (tensor(0.5).requires_grad_(),)),
        ("no elements", (tensor([]).requires_grad_(),)),
        ("three dimensions", (draw.normal(2, 1, 3).requires_grad_(),)),
        ("transposed", (draw.normal(3, 2).t().requires_grad_(),)),
        ("float32", (draw.normal(3, 2, dtype=torch.float32).requires_grad_(),)),
    ],
)


class _Critic:
    """Two layers, (N, features) to (N,) or (N, 1)."""

    def __init__(
        self, draw: Draw, activation: Callable, column: bool, features: int, scale: float, dtype: torch.dtype = torch.float64
    ) -> None:
        shapes = ((3, features), (3,), (1, 3))
        self.parameters = [draw.normal(*shape, scale=scale, dtype=dtype).requires_grad_() for shape in shapes]
        self.activation, self.column = activation, column

    def __call__(self, x: Tensor) -> Tensor:
        w1, b1, w2 = self.parameters
        scores = self.activation(x @ w1.t() + b1) @ w2.t()
        return scores if self.column else scores[:, 0]


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    want, seen = "a Function and a function", described(answer)
    if isinstance(answer, tuple) and len(answer) == 2:
        function, loss = answer
        fits = isinstance(function, type) and issubclass(function, torch.autograd.Function)
        seen = want if fits and callable(loss) else f"{described(function)} and {described(loss)}"
    yield {"given": "the answer itself", "seen": {"what it is": seen}}


def _of_the_function(probe: Probe) -> Probe:
    return replace(probe, observe=lambda answer, draw: probe.observe(answer[0], draw))


def _second(answer: Answer, draw: Draw) -> Iterator[Case]:
    for x in (tensor([-1.0, 0.0, 2.0]), draw.normal(2, 2, scale=2.0)):
        leaf, g, v = x.clone().requires_grad_(), draw.normal(*x.shape).requires_grad_(), draw.normal(*x.shape)
        (first,) = torch.autograd.grad(answer[0].apply(leaf), leaf, g, create_graph=True)
        found = torch.autograd.grad((first * v).sum() + 0 * (leaf.sum() + g.sum()), [leaf, g])
        if first.grad_fn is not None and "Error" in first.grad_fn.name():
            first.sum().backward()  # raises, as once_differentiable promises
        seen = {"second derivative": plain(found[0]), "gradient of the upstream gradient": plain(found[1])}
        yield {"given": f"Softplus at x = {numbers(x)}, upstream {numbers(g)}, weights {numbers(v)}", "seen": seen}


def _critics(draw: Draw, activation: Callable, dtype: torch.dtype = torch.float64) -> Iterator[tuple[str, _Critic, Tensor]]:
    # gradients shorter than 1, longer than 1, and some of each
    for n, features, column, scale in ((1, 3, False, 0.3), (3, 2, True, 2.0), (4, 4, False, 1.0)):
        critic, x = _Critic(draw, activation, column, features, scale, dtype), draw.normal(n, features, dtype=dtype)
        yield f"{n} sample{'s' if n > 1 else ''}, a critic that returns {(n, 1) if column else (n,)}", critic, x


def _value(answer: Answer, draw: Draw) -> Iterator[Case]:
    for given, critic, x in _critics(draw, functional.softplus):
        given_x = x.clone()
        seen = {"penalty": _number(answer[1](critic, given_x)), "x as the call left it": plain(given_x)}
        yield {"given": f"{given}, torch's softplus", "seen": seen, "tolerance": TOLERANCE}


def _in_float32(answer: Answer, draw: Draw) -> Iterator[Case]:
    """Where the tolerance for an epsilon would let differences of scores pass, they have no digits left."""
    for given, critic, x in _critics(draw, functional.softplus, torch.float32):
        yield {"given": f"{given}, in float32", "seen": {"penalty": _number(answer[1](critic, x))}, "tolerance": TOLERANCE}


def _number(value: object) -> object:
    return plain(value.detach().reshape(())) if isinstance(value, Tensor) and value.numel() == 1 else plain(value)


def _parameter_gradients(answer: Answer, draw: Draw, activation: Callable, whose: str) -> Iterator[Case]:
    for given, critic, x in _critics(draw, activation):
        loss = critic(x).mean() + 10 * answer[1](critic, x.clone())
        left = [p.grad for p in critic.parameters]
        seen = {"parameters whose .grad the penalty wrote": sum(grad is not None for grad in left)}
        loss.sum().backward()
        seen |= {f"gradient of {name}": plain(p.grad) for name, p in zip(NAMES, critic.parameters, strict=True)}
        yield {"given": f"critic(x).mean() + 10 * penalty: {given}, {whose} softplus", "seen": seen, "tolerance": TOLERANCE}


def _theirs(answer: Answer, draw: Draw) -> Iterator[Case]:
    return _parameter_gradients(answer, draw, functional.softplus, "torch's")


def _yours(answer: Answer, draw: Draw) -> Iterator[Case]:
    return _parameter_gradients(answer, draw, answer[0].apply, "your")


def _left_alone(answer: Answer, draw: Draw) -> Iterator[Case]:
    critic, x = _Critic(draw, functional.softplus, False, 2, 1.0), draw.normal(3, 2)
    answer[1](critic, x)
    yield {"given": "x of shape (3, 2)", "seen": {"x requires grad": x.requires_grad, "x.grad": plain(x.grad)}}


def _by_absolute_value(g: Tensor, x: Tensor) -> Tensor:
    e = torch.exp(-x.abs())
    return g * torch.where(x >= 0, 1 / (1 + e), e / (1 + e))


def _by_backward(critic: Callable, x: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    critic(x).sum().backward(create_graph=True)
    return (x.grad.norm(dim=1) - 1).square().mean()


def _with(loss: Penalty) -> Answer:
    return SOFTPLUS, loss


def _of(critic: Callable, x: Tensor, scores: Callable = torch.sum, create_graph: bool = True) -> Tensor:
    x = x.detach().requires_grad_()
    return torch.autograd.grad(scores(critic(x)), x, create_graph=create_graph)[0]


GRADIENT_PENALTY = Exercise(
    name="gradient_penalty",
    chapter="09_second_order",
    probes=(
        Probe("form", _form, "Hand over the class and the function, as the check cell does.", gate=True),
        *(
            _of_the_function(probe)
            for probe in function_probes(
                _SOFTPLUS_ARGS,
                "forward",
                "returned",
                "upstream",
                "gradcheck",
                "upstream untouched",
                "stale",
                "shapes",
                "linear",
                "calls apart",
            )[1:]
        ),
        Probe(
            "second derivative",
            _second,
            "The first derivative is right, its own is not: backward uses a constant. Save x or the output, and nothing else.",
        ),
        _of_the_function(function_probes(_SOFTPLUS_ARGS, "device")[1]),
        Probe("penalty", _value, "The mean over the samples of (length of the sample's gradient - 1)²."),
        Probe(
            "float32",
            _in_float32,
            "Let autograd find the gradient, in the dtype that comes: differences of scores have few digits left in float32.",
        ),
        Probe(
            "parameter gradients",
            _theirs,
            "The penalty must be a function of the parameters: create_graph=True, and no detach on the way.",
        ),
        Probe("your softplus", _yours, "With torch's softplus the penalty is right, with yours it is not: look at its backward."),
        Probe("left alone", _left_alone, "x was the caller's: x.detach().requires_grad_() is a leaf of your own.", advice=True),
    ),
    reference=(SOFTPLUS, penalty),
    slips=(
        *(Slip((slip.answer, penalty), slip.text) for slip in function_slips(functional.softplus)),
        Slip(
            (softplus_with(lambda g, s: g * s, save=torch.sigmoid), penalty),
            "sigmoid(x) was computed in forward and saved, and it is neither input nor output: to a second derivative it is a "
            "constant. Save x, and compute it in backward.",
        ),
        Slip(
            (softplus_with(lambda g, x: g * torch.sigmoid(x).detach()), penalty),
            "What backward multiplies by is detached (.detach(), .data, no_grad, or saved in forward): to a second derivative it "
            "is a constant.",
        ),
        Slip(
            (softplus_with(_by_absolute_value), penalty),
            "At exactly 0 torch takes the slope of |x| for 0, so there the second derivative is lost: torch.sigmoid(x) is stable "
            "and smooth.",
        ),
        Slip(
            (softplus_with(lambda g, x: g.detach() * torch.sigmoid(x)), penalty), "grad_output is detached: leave it as it comes."
        ),
        Slip(
            (softplus_with(lambda g, x: torch.sigmoid(x)), penalty), "grad_output is not used: backward returns the slope alone."
        ),
        Slip(
            (softplus_with(lambda g, x: g * functional.softplus(x)), penalty),
            "The slope of softplus is the logistic function, 1 / (1 + exp(-x)), not softplus itself.",
        ),
        Slip(
            _with(lambda critic, x: (_of(critic, x, create_graph=False).norm(dim=1) - 1).square().mean()),
            "The value is right, and no parameter hears of it: without create_graph=True, or after a detach, the gradient is "
            "a constant.",
        ),
        Slip(
            _with(_by_backward),
            "backward() leaves a gradient in every parameter's .grad too, on top of the loss's: autograd.grad asks for the "
            "gradient of x alone.",
        ),
        Slip(
            _with(lambda critic, x: (_of(critic, x).norm() - 1).square()),
            "The length is that of all samples together: each sample has a gradient and a length of its own, norm(dim=1).",
        ),
        Slip(
            _with(lambda critic, x: (_of(critic, x, torch.mean).norm(dim=1) - 1).square().mean()),
            "critic(x).mean() divides each sample's gradient by N: sum the scores, and take the mean at the end.",
        ),
        Slip(
            _with(lambda critic, x: (_of(critic, x).norm(dim=1) - 1).square().sum()),
            "The penalties are summed over the samples: take their mean.",
        ),
        Slip(
            _with(lambda critic, x: (_of(critic, x).square().sum(dim=1) - 1).square().mean()),
            "The root is missing: the length of a gradient is the root of the sum of its squares.",
        ),
        Slip(
            _with(lambda critic, x: _of(critic, x).norm(dim=1).square().mean()),
            "The length shall be near 1, not near 0: subtract 1.",
        ),
        Slip(_with(lambda critic, x: (_of(critic, x).norm(dim=1) - 1).mean()), "The difference from 1 is not squared."),
        Slip(
            _with(lambda critic, x: (_of(critic, x).norm(dim=1) - 1).relu().square().mean()),
            "Only lengths above 1 are punished here; the formula punishes those below 1 too.",
        ),
    ),
    errors=(
        (
            r"Mismatch in shape: grad_output",
            "A critic may return (N,) or (N, 1): sum the scores, or make the ones with torch.ones_like(scores).",
        ),
        (
            r"marked with @once_differentiable",
            "Here a second derivative is asked for: no @once_differentiable, and torch's own operations in backward.",
        ),
        (
            r"One of the differentiated Tensors does not require grad",
            "x comes without requires_grad: make a leaf of your own, x.detach().requires_grad_(), before the critic sees it.",
        ),
        (
            r"grad can be implicitly created only for scalar outputs",
            "Sum the scores before you differentiate: samples do not mix, so each keeps its own gradient.",
        ),
        (
            r"does not require grad and does not have a grad_fn",
            "Nothing here leads back to x: is it a leaf with requires_grad before the critic is called, and is nothing detached?",
        ),
    ),
    rules=(not_instantiated("Softplus"), forward_not_called("Softplus")),
    hints=(
        "The loss contains a gradient. Who has to record how that gradient came about?",
        "softplus'(x) = sigmoid(x), from a saved x. The penalty is the mean of (‖∇ₓ critic(x)‖ - 1)², one length a sample.",
        "`(grad,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)` for `x = x.detach().requires_grad_()`, then "
        "`(grad.norm(dim=1) - 1).square().mean()`; in backward `grad_output * torch.sigmoid(x)`.",
    ),
)

EXERCISES = (GRADIENT_PENALTY,)
