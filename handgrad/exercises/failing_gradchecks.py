"""The exercise `failing_gradchecks` of chapter 04: calls of gradcheck that refuse right Functions, to be repaired."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case
from handgrad.audit.subject import oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip

CALLS = ("single_precision", "at_the_kink", "random_forward", "expanded")
# more is looser: gradcheck's own tolerances, and a step with which float32 could pass
_LIMITS = {"eps": 1e-4, "atol": 1e-5, "rtol": 1e-3, "nondet_tol": 0.0}
_STRICT = {"raise_exception": True, "fast_mode": False, "check_undefined_grad": True}


class Watched:
    """A gradcheck that writes down how it is called and what it says."""

    def __init__(self) -> None:
        self.passed: list[bool] = []
        self.loosened: set[str] = set()

    def __call__(self, func: Callable, inputs: object, **options: object) -> bool:
        looser = {name for name, value in options.items() if name in _LIMITS and not value <= _LIMITS[name]}
        self.loosened |= looser | {name for name, value in options.items() if name in _STRICT and value != _STRICT[name]}
        self.passed.append(False)
        self.passed[-1] = torch.autograd.gradcheck(func, inputs, **options)
        return self.passed[-1]


class _Dropout(torch.autograd.Function):
    """Half of the numbers become 0, the others are doubled; which ones is drawn anew in each call."""

    @staticmethod
    def forward(ctx, input):
        mask = torch.rand_like(input) < 0.5
        ctx.save_for_backward(mask)
        return 2 * input * mask

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return 2 * grad_output * mask


class _MeanDropout(_Dropout):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


class _NewDropout(_Dropout):
    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output * (torch.rand_like(grad_output) < 0.5)


class _TurnedDropout(_Dropout):
    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return 2 * grad_output * ~mask


def _square(x: Tensor) -> Tensor:
    return x * x


_SQUARES = {
    "the square": oracle(_square),
    "a square whose gradient is 1 % too large": oracle(_square, lambda g, x: 2.02 * g * x),
    "a square whose gradient is 0.3 % too small": oracle(_square, lambda g, x: 1.994 * g * x),
    "a square whose gradient is that of the input alone": oracle(_square, lambda g, x: g * x),
}
_RELUS = {
    "ReLU": oracle(torch.relu),
    "a ReLU whose backward lets everything through": oracle(torch.relu, lambda g, x: g.clone()),
    "a ReLU whose backward lets 0.01 through for negatives": oracle(torch.relu, lambda g, x: torch.where(x > 0, g, 0.01 * g)),
    "a ReLU whose backward is 0.9 of the right one": oracle(torch.relu, lambda g, x: 0.9 * g * (x > 0)),
}
_DROPOUTS = {
    "dropout": _Dropout,
    "a dropout whose backward forgets the mask": _MeanDropout,
    "a dropout whose backward draws a new mask": _NewDropout,
    "a dropout whose backward takes the mask the wrong way round": _TurnedDropout,
}
_FUNCTIONS = dict(zip(CALLS, (_SQUARES, _RELUS, _DROPOUTS, _SQUARES), strict=True))


def _call(place: int, answer: tuple, draw: Draw) -> Iterator[Case]:
    """One call, with the right Function first and then with wrong ones, which it must still refuse."""
    for number, (words, function) in enumerate(_FUNCTIONS[CALLS[place]].items()):
        watched = Watched()
        error: Exception | None = None
        try:
            answer[place](watched, lambda *args, function=function: function.apply(*args))
        except Exception as raised:  # the right way to refuse a wrong Function
            error = raised
        if error is not None and (number == 0 or not watched.passed):
            raise error
        yield {
            "given": words,
            "seen": {
                "the gradcheck that is handed over was called": bool(watched.passed),
                "gradcheck says": bool(watched.passed) and all(watched.passed),
                "options that are looser than their defaults": sorted(watched.loosened),
            },
            "accept": {"gradcheck says": [number == 0]},
        }


def _calls(**other: Callable) -> tuple[Callable, ...]:
    """The answer; with other calls in their places a wrong one."""
    return tuple((_ANSWER | other)[name] for name in CALLS)


def _numbers(*values: float, dtype: torch.dtype = torch.float64) -> Tensor:
    return tensor(values, dtype).requires_grad_()


def _seeded(function: Callable) -> Callable:
    def same_mask(x: Tensor) -> Tensor:
        torch.manual_seed(0)
        return function(x)

    return same_mask


_ANSWER: dict[str, Callable] = {
    "single_precision": lambda gradcheck, square: gradcheck(square, _numbers(0.3, -1.2, 2.0)),
    "at_the_kink": lambda gradcheck, relu: gradcheck(relu, _numbers(-1.0, 0.5, 2.0)),
    "random_forward": lambda gradcheck, dropout: gradcheck(_seeded(dropout), _numbers(1.0, 2.0, 3.0, 4.0)),
    "expanded": lambda gradcheck, square: gradcheck(square, _numbers(1.5, 1.5, 1.5)),
}


def _own_function(gradcheck: Callable, _: Callable) -> bool:
    return gradcheck(lambda x: x * x, _numbers(1.5, 1.5, 1.5))


_BLIND = "Nothing wrong is refused any more: call the Function that you are handed, at numbers that show its slope."
_LOOSE = "A looser tolerance makes the error smaller for you only: wrong Functions pass with it too. "
_TEXTS = {
    "single_precision": (
        r"Jacobian mismatch",
        "A float32 has seven digits, and of the difference of two near values hardly one is left: give x dtype=torch.float64.",
    ),
    "at_the_kink": (
        r"Jacobian mismatch",
        "At 0 the difference sees half of each side, and ReLU's backward is that of one: keep off 0, and use both sides of it.",
    ),
    "random_forward": (
        r"Jacobian mismatch|not reentrant",
        "Each call of dropout draws another mask. Hand over a function that calls torch.manual_seed and then dropout.",
    ),
    "expanded": (
        r"stride 0",
        "x shows one number in three places, so none of them can be moved alone: make it three numbers, x.contiguous().",
    ),
}

FAILING_GRADCHECKS = Exercise(
    name="failing_gradchecks",
    chapter="04_gradcheck",
    probes=tuple(
        Probe(
            name.replace("_", " "),
            partial(_call, place),
            "The call must accept the right Function and refuse wrong ones, with no tolerance loosened: repair its input.",
            errors=(_TEXTS[name],),
        )
        for place, name in enumerate(CALLS)
    ),
    reference=_calls(),
    slips=(
        Slip(
            _calls(
                single_precision=lambda gradcheck, square: gradcheck(
                    square, _numbers(0.3, -1.2, 2.0, dtype=torch.float32), eps=1e-3, atol=1e-2
                )
            ),
            _LOOSE + _TEXTS["single_precision"][1],
        ),
        Slip(
            _calls(
                single_precision=lambda gradcheck, square: gradcheck(
                    square, _numbers(0.3, -1.2, 2.0, dtype=torch.float32), raise_exception=False
                )
            ),
            "raise_exception=False hides the failure, it does not repair it. " + _TEXTS["single_precision"][1],
        ),
        Slip(
            _calls(at_the_kink=lambda gradcheck, relu: gradcheck(relu, _numbers(1.0, 0.5, 2.0))),
            "For positive numbers ReLU is the identity, and a backward without a mask passes: keep negative ones too.",
        ),
        Slip(
            _calls(at_the_kink=lambda gradcheck, relu: gradcheck(relu, _numbers(-1.0, -0.5))),
            "For negative numbers every gradient is 0, and any factor passes: keep positive ones too.",
        ),
        Slip(
            _calls(at_the_kink=lambda gradcheck, relu: gradcheck(relu, _numbers(-1.0, 0.0, 2.0), atol=0.6)),
            _LOOSE + _TEXTS["at_the_kink"][1],
        ),
        *(Slip(_calls(**{name: _own_function}), _BLIND) for name in CALLS),
    ),
    errors=((r"positional argument", "Each of the four takes two arguments: gradcheck, and the Function to check."),),
    hints=(
        "For each call: which number does gradcheck get that it cannot move by 1e-6, or whose move it cannot see?",
        "float64; no input at 0, but some on both sides; the same mask in every call; a number of its own in every place.",
        "dtype=torch.float64; 0.5 for 0.0; `def same_mask(x): torch.manual_seed(0); return dropout(x)`; .contiguous() before "
        ".requires_grad_().",
    ),
)

EXERCISES = (FAILING_GRADCHECKS,)
