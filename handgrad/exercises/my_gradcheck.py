"""The exercise `my_gradcheck` of chapter 04: a checker of gradients that sees what torch's does not."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain, unwrapped
from handgrad.audit.subject import Args, leaves, oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip

# what a checker is called with: the words for a Function, the Function, its inputs
Call = tuple[str, type[torch.autograd.Function], Args]


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    return a @ b


def _leaky(x: Tensor, slope: float) -> Tensor:
    return torch.where(x > 0, x, slope * x)


def _rows(table: Tensor, index: Tensor) -> Tensor:
    return table[index]


def _softmax(x: Tensor) -> Tensor:
    e = x.exp()
    return e / e.sum(-1, keepdim=True)


def _first(a: Tensor, b: Tensor) -> Tensor:
    return 3 * a


def _leaf(draw: Draw, *shape: int) -> Tensor:
    return draw.normal(*shape).requires_grad_()


def _index() -> Tensor:
    return torch.tensor([2, 0, 2, 1], device=tensor(0.0).device)


def _right_ones(draw: Draw) -> list[Call]:
    return [
        ("ReLU", oracle(torch.relu), (_leaf(draw, 2, 4),)),
        ("exp, of a transposed input", oracle(torch.exp), (draw.normal(3, 2).t().requires_grad_(),)),
        ("exp, of one number", oracle(torch.exp), (_leaf(draw),)),
        ("the sum of squares, one number", oracle(lambda x: (x * x).sum()), (_leaf(draw, 5),)),
        ("softmax", oracle(_softmax), (_leaf(draw, 2, 3),)),
        ("a @ b", oracle(_matmul), (_leaf(draw, 2, 3), _leaf(draw, 3, 4))),
        ("a @ b, a frozen", oracle(_matmul), (draw.normal(2, 3), _leaf(draw, 3, 2))),
        ("leaky ReLU, whose slope is a number", oracle(_leaky), (_leaf(draw, 6), 0.1)),
        ("rows of a table, one of them twice", oracle(_rows), (_leaf(draw, 3, 2), _index())),
        (
            "3 * a, where b has no influence and gets None",
            oracle(_first, lambda g, a, b: (3 * g, None)),
            (_leaf(draw, 3), _leaf(draw, 2)),
        ),
    ]


def _relu_with(words: str, backward: Callable, draw: Draw) -> Call:
    # many open gates: a single random upstream gradient has all its signs alike there in one of 4000 runs
    x = torch.cat([draw.normal(12).abs(), -draw.normal(3).abs()]).reshape(5, 3)
    return f"ReLU whose backward {words}", oracle(torch.relu, backward), (x.requires_grad_(),)


def _wrong_values(draw: Draw) -> list[Call]:
    def last_is_off(g: Tensor, x: Tensor) -> Tensor:
        factor = torch.ones_like(x)
        factor[-1] = 1.01
        return g * x.exp() * factor

    return [
        _relu_with("lets everything through", lambda g, x: g.clone(), draw),
        _relu_with("lets 0.01 of it through for negatives", lambda g, x: torch.where(x > 0, g, 0.01 * g), draw),
        ("exp whose gradient is 1.0005 times too large", oracle(torch.exp, lambda g, x: 1.0005 * g * x.exp()), (_leaf(draw, 5),)),
        ("exp whose last gradient is 1 % too large", oracle(torch.exp, last_is_off), (_leaf(draw, 8),)),
        ("softmax whose backward is g * y * (1 - y)", oracle(_softmax, _diagonal), (_leaf(draw, 2, 4),)),
        ("exp whose gradient has the wrong sign", oracle(torch.exp, lambda g, x: -g * x.exp()), (_leaf(draw, 5),)),
        (
            "exp whose gradient is 1.00002 times too large",
            oracle(torch.exp, lambda g, x: 1.00002 * g * x.exp()),
            (_leaf(draw, 5),),
        ),
        ("exp whose gradient is 1e-3 too large", oracle(torch.exp, lambda g, x: g * x.exp() + 1e-3), (_leaf(draw, 5),)),
        ("exp whose gradient is 1e-3 too small", oracle(torch.exp, lambda g, x: g * x.exp() - 1e-3), (_leaf(draw, 5),)),
        ("exp whose gradients stand in reversed order", oracle(torch.exp, lambda g, x: (g * x.exp()).flip(0)), (_leaf(draw, 5),)),
    ]


def _diagonal(g: Tensor, x: Tensor) -> Tensor:
    y = _softmax(x)
    return g * y * (1 - y)


def _wrong_second_inputs(draw: Draw) -> list[Call]:
    def last_row_wins(g: Tensor, table: Tensor, index: Tensor) -> tuple:
        grad = torch.zeros_like(table)
        for place, row in zip(index.tolist(), g, strict=True):
            grad[place] = row
        return grad, None

    def product() -> Args:
        return _leaf(draw, 2, 3), _leaf(draw, 3, 4)

    return [
        ("a @ b, the gradient of b halved", oracle(_matmul, lambda g, a, b: (g @ b.t(), a.t() @ g / 2)), product()),
        ("a @ b, the gradient of a halved", oracle(_matmul, lambda g, a, b: (g @ b.t() / 2, a.t() @ g)), product()),
        ("a @ b, None for b, which has influence", oracle(_matmul, lambda g, a, b: (g @ b.t(), None)), product()),
        (
            "a @ b, a frozen, the gradient of b doubled",
            oracle(_matmul, lambda g, a, b: (None, 2 * a.t() @ g)),
            (draw.normal(2, 3), _leaf(draw, 3, 4)),
        ),
        (
            "rows of a table, one of them twice, which gets the last gradient alone",
            oracle(_rows, last_row_wins),
            (_leaf(draw, 3, 2), _index()),
        ),
    ]


def _wrong_in_upstream(draw: Draw) -> list[Call]:
    return [
        _relu_with("forgets grad_output", lambda g, x: (x > 0).to(g.dtype), draw),
        _relu_with("takes the absolute value of grad_output", lambda g, x: g.abs() * (x > 0), draw),
        _relu_with("takes grad_output times its absolute value", lambda g, x: g * g.abs() * (x > 0), draw),
        _relu_with("squares grad_output", lambda g, x: g * g * (x > 0), draw),
        _relu_with("takes the mean of grad_output in its place", lambda g, x: g.mean() * (x > 0), draw),
    ]


def _writes_into_upstream(draw: Draw) -> list[Call]:
    def in_place(g: Tensor, x: Tensor) -> Tensor:
        g[x < 0] = 0
        return g

    return [_relu_with("writes zeros into grad_output and returns it", in_place, draw)]


def _verdicts(calls: Callable[[Draw], list[Call]], right: bool = False) -> Callable:
    """A probe: what an answer says of each Function, all of which are right, or wrong."""

    def observe(answer: Callable, draw: Draw) -> Iterator[Case]:
        for words, function, args in draw.shuffled(calls(draw)):
            said = _said(answer, function, args)
            yield {"given": words, "seen": {"my_gradcheck says": said}, "accept": {"my_gradcheck says": [right]}}

    return observe


def _said(answer: Callable, function: type[torch.autograd.Function], args: Args) -> object:
    # by its name or its class nothing can be told
    said = unwrapped(answer(lambda *given: function.apply(*given), args))
    return bool(said) if type(said).__name__ in ("bool", "bool_") else plain(said)  # numpy's too


def _inputs_untouched(answer: Callable, draw: Draw) -> Iterator[Case]:
    for words, function, args in draw.shuffled(_right_ones(draw))[:4]:
        kept = leaves(args)
        seen: dict = {"my_gradcheck says": _said(answer, function, args)}
        for name, a, b in zip("ab", args, kept, strict=False):
            if isinstance(a, Tensor):
                seen[f"numbers of {name} that have changed"] = (a.detach() != b.detach()).sum().item()
                seen[f"{name}.requires_grad"] = a.requires_grad
                seen[f"{name}.grad"] = described(a.grad)
        seen["my_gradcheck says, asked again"] = _said(answer, function, args)
        yield {"given": words, "seen": seen}


def _slopes(fn: Callable, inputs: Args, upstream: Tensor, eps: float = 1e-6) -> list[Tensor]:
    slopes = []
    for i in _wanted(inputs):
        x = inputs[i].detach()
        found = []
        for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
            step = eps * unit.reshape(x.shape)
            up, down = (fn(*inputs[:i], moved, *inputs[i + 1 :]).detach() for moved in (x + step, x - step))
            found.append(((up - down) * upstream).sum() / (2 * eps))
        slopes.append(torch.stack(found).reshape(x.shape))
    return slopes


def _wanted(inputs: Args) -> list[int]:
    return [i for i, a in enumerate(inputs) if isinstance(a, Tensor) and a.requires_grad]


def _checker(
    upstream: Callable = torch.randn_like, rtol: float = 1e-6, first: bool = False, sees_writing: bool = True
) -> Callable:
    """The answer; with other arguments than the defaults a wrong one."""

    def my_gradcheck(fn: Callable, inputs: Args) -> bool:
        output = fn(*inputs)
        g = upstream(output).detach()
        kept = g.clone()
        wanted = [inputs[i] for i in _wanted(inputs)]
        claimed = torch.autograd.grad(output, wanted, g, allow_unused=True)
        pairs = list(zip(claimed, _slopes(fn, inputs, kept), strict=True))[: 1 if first else None]
        if sees_writing and not torch.equal(g, kept):
            return False
        return all(torch.allclose(torch.zeros_like(b) if a is None else a, b, rtol, 1e-6) for a, b in pairs)

    return my_gradcheck


MY_GRADCHECK = Exercise(
    name="my_gradcheck",
    chapter="04_gradcheck",
    probes=(
        Probe(
            "right ones",
            _verdicts(_right_ones, right=True),
            "This Function is right, and you refuse it. An input may be frozen, a number, or without influence (None is zero).",
        ),
        Probe(
            "values",
            _verdicts(_wrong_values),
            "This backward is not the derivative of forward: compare every number with its own difference, to 1e-6.",
        ),
        Probe(
            "every input",
            _verdicts(_wrong_second_inputs),
            "One input's gradient is wrong: check each that requires grad, and count None as zeros.",
        ),
        Probe(
            "upstream",
            _verdicts(_wrong_in_upstream),
            "This backward is right for some upstream gradients only: send signed numbers of different sizes.",
        ),
        Probe(
            "upstream untouched",
            _verdicts(_writes_into_upstream),
            "This backward writes into the gradient that it is given: keep a copy of what you send, and compare afterwards.",
        ),
        Probe(
            "inputs untouched",
            _inputs_untouched,
            "The inputs are the caller's, their .grad too: use torch.autograd.grad, and move copies.",
        ),
    ),
    reference=_checker(),
    slips=(
        Slip(lambda fn, inputs: True, "It accepts every Function: return False where a gradient is not what a difference says."),
        Slip(lambda fn, inputs: False, "It refuses every Function, the right ones too."),
        Slip(
            lambda fn, inputs: torch.autograd.gradcheck(fn, inputs, raise_exception=False, rtol=1e-6, atol=1e-6),
            "That is torch's gradcheck: it sends a single 1 at a time, so no sign and no size of grad_output is ever seen.",
        ),
        Slip(
            _checker(torch.ones_like), "Your upstream gradient is all ones: whatever backward does to grad_output stays hidden."
        ),
        Slip(
            _checker(rtol=1e-3),
            "An rtol of 1e-3, which is gradcheck's too, lets small errors pass: in float64 you can ask for 1e-6.",
        ),
        Slip(_checker(rtol=1e-2), "A relative tolerance of 1e-2 lets an error of 1 % pass: in float64 you can ask for 1e-6."),
        Slip(_checker(first=True), "You check the first input alone: go through all that require grad."),
        Slip(
            _checker(lambda y: torch.rand_like(y)),
            "Your upstream gradients are all positive, so a backward that takes their absolute value passes: randn, not rand.",
        ),
    ),
    errors=(
        (r"GradcheckError|AssertionError", "For a wrong Function the answer is False, not an error."),
        (
            r"does not require grad|not have been used in the graph",
            "Ask for gradients of the tensors that require grad, with allow_unused=True: an input may have no influence.",
        ),
        (r"'NoneType'", "A gradient may be None, which means zeros: allow for it (materialize_grads=True does)."),
        (
            r"has no attribute|requires_grad|not 'float'|not 'int'|floating point and complex",
            "Not every input is a tensor of floats, and a number or an index gets no gradient: ask isinstance and requires_grad.",
        ),
    ),
    hints=(
        "Which upstream gradient would show a lost sign? What must be the same before and after backward?",
        "For a random signed g, torch.autograd.grad(y, x, g) is the slope of (fn(x) * g).sum(), and g is still what it was.",
        "`torch.autograd.grad(y, wanted, g, allow_unused=True, materialize_grads=True)`, `numerical_vjp(fn, inputs, kept)`, "
        "then `torch.allclose(a, b, rtol=1e-6, atol=1e-6)` for each pair and `torch.equal(g, kept)`.",
    ),
)

EXERCISES = (MY_GRADCHECK,)
