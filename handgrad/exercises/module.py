"""Exercises of chapter 07: a Module over a Function, and which of the two a case wants."""

import copy
from collections.abc import Callable, Iterator
from itertools import product

import torch
from torch import nn
from torch.nn.functional import linear

from handgrad.audit import layers
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.linear import LINEAR_ERRORS, LINEAR_SLIPS


class _Unregistered(nn.Module):
    """weight and bias are plain tensors."""

    def __init__(self, n_in: int, n_out: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = torch.rand(n_out, n_in, requires_grad=True)
        self.bias = torch.rand(n_out, requires_grad=True) if bias else None


class _TransposedWeight(nn.Module):
    """weight is (in, out)."""

    def __init__(self, n_in: int, n_out: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.rand(n_in, n_out))
        self.bias = nn.Parameter(torch.rand(n_out)) if bias else None


LINEAR_MODULE = Exercise(
    name="linear_module",
    chapter="07_module",
    probes=(
        Probe("form", layers.form, "Write `class Linear(nn.Module)` and hand check the class itself.", gate=True),
        Probe(
            "parameters", layers.parameters, "weight (out, in), then bias (out,): each an nn.Parameter that learns, float32."
        ),
        Probe("initialised", layers.initialised, "torch.empty and torch.Tensor(3, 4) hold whatever was in memory: fill them."),
        Probe("random start", layers.random_start, "Draw the weights at random, for each layer anew: equal units stay equal."),
        Probe("numbers", layers.numbers, "Pass input, self.weight and self.bias to LinearFunction.apply, in this order."),
        Probe("bias=False", layers.without_bias, "`self.register_parameter('bias', None)`, and None goes to the Function."),
        Probe("state_dict", layers.exchange, "The state is weight and bias under these names, as nn.Linear has them."),
        Probe("own Function", layers.own_function, "forward goes round your Function: call LinearFunction.apply(…)."),
        Probe("frozen", layers.frozen, "A frozen parameter gets no gradient, and the others theirs."),
        Probe("optimizer", layers.under_an_optimizer, "The optimizer changes self.weight and self.bias: forward must use these."),
        Probe("layers apart", layers.layers_apart, "Two layers share something: what backward needs belongs on ctx, one a call."),
        Probe("copies", layers.copies, "Keep only parameters, buffers and plain values on self; compute the rest in forward."),
        Probe("moves", layers.moves, "A tensor that is no parameter and no buffer stays where it was made."),
        Probe(
            "extra_repr", layers.says_its_sizes, "Printed, a layer says its sizes: write extra_repr(self).", advice=True,
        ),
    ),
    reference=layers.layer_of(oracle(linear)),
    slips=(
        Slip(
            _Unregistered, "parameters() is empty: a plain tensor is not registered, so no optimizer sees it. Use nn.Parameter.",
        ),
        Slip(_TransposedWeight, "Your weight is (in, out); nn.Linear's is (out, in), and states are exchanged with it."),
        *(Slip(layers.layer_of(slip.answer), slip.text) for slip in LINEAR_SLIPS),
    ),
    errors=(
        (
            r"takes 1 positional argument but \d were given|unexpected keyword argument 'bias'",
            "The constructor is __init__(self, input_features, output_features, bias=True), two underscores on each side.",
        ),
        (r"before Module.__init__\(\) call", "super().__init__() comes first: it makes the place where parameters are kept."),
        (
            r"save_for_backward can only save variables.*type bool",
            "With bias=False you hand False to the Function: hand it None (self.register_parameter('bias', None)).",
        ),
        (r"object has no attribute 'data'|fill_|uniform_", "`bias` is a flag and never None: ask whether self.bias is None."),
        (
            r"does not require grad and does not have a grad_fn",
            "The output has no graph: hand weight and bias to apply as arguments of their own, in no list and not detached.",
        ),
        (r"loading state_dict", "The state must hold weight (out, in) and bias (out,), and with bias=False no bias at all."),
        (
            r"deepcopy protocol|same dtype|same device|through the graph a second time",
            "A tensor computed in __init__ does not follow the parameters: compute it in forward.",
        ),
        *LINEAR_ERRORS,
    ),
    rules=(not_instantiated("LinearFunction"), forward_not_called("LinearFunction")),
    hints=(
        "What must an optimizer see, what must state_dict hold, and what does forward need of it?",
        "Two parameters, weight (out, in) and bias (out,) or None, filled from uniform(-0.1, 0.1); forward is one apply.",
        "`self.weight = nn.Parameter(torch.empty(output_features, input_features).uniform_(-0.1, 0.1))`; without a bias "
        "`self.register_parameter('bias', None)`; `return LinearFunction.apply(input, self.weight, self.bias)`.",
    ),
)  # fmt: skip

# what may speak for a Module, and what for a Function
STATE = ("trained", "kept", "modes")
OWN_BACKWARD = ("outside torch", "own backward")


def _described(operation: str, **facts: object) -> dict:
    nothing = {"trained": [], "kept": [], "modes": False, "numbers": {}, "outside torch": False, "own backward": ""}
    return {"operation": operation, **nothing, **facts}


def operations(draw: Draw) -> list[dict]:
    """Operations as the exercise describes them, with drawn details."""
    p, n = draw.integer(1, 9) / 10, draw.integer(2, 64)
    return [
        _described("the squared distance of two batches, averaged"),
        _described(f"ReLU that lets {p} of a negative input through", numbers={"slope": p}),
        _described(f"clip to [-{n}, {n}]", numbers={"low": -n, "high": n}),
        _described(f"a factor for each of {n} channels, learned", trained=["factor"]),
        _described(f"dropout with probability {p}", modes=True, numbers={"p": p}),
        _described(f"dropout with probability {p}, in eval() too", numbers={"p": p}),
        _described("subtract the mean of the training set", kept=["mean"]),
        _described(f"batch normalisation of {n} channels", trained=["weight", "bias"], kept=["mean", "variance"], modes=True),
        _described("a running count of the examples seen", kept=["count"]),
        _described("round, with the gradient let through", **{"own backward": "the identity"}),
        _described(f"hand the input on, its gradient times -{p}", numbers={"strength": p}, **{"own backward": "reversed"}),
        _described("a filter that a C library computes", **{"outside torch": True, "own backward": "the library's own"}),
        _described("sort with NumPy", **{"outside torch": True}),
        _described(f"a layer of {n} units that saves half the memory", trained=["weight"], **{"own backward": "computes again"}),
        _described(f"weights rounded to {n} steps, trained", trained=["weight"], **{"own backward": "the identity"}),
    ]


def choose_reference(case: dict) -> tuple[str, list[str]]:
    """The kind, and the facts that speak for it."""
    module = [fact for fact in STATE if case[fact]]
    function = [fact for fact in OWN_BACKWARD if case[fact]]
    if module and function:
        return "Module over a Function", module + function
    return "Module" if module else "Function" if function else "plain function", module + function


def _cases(draw: Draw) -> list[dict]:
    """All operations, and each combination of facts, most of which nobody wrote down before: knowing names does not help."""
    known = draw.shuffled(operations(draw))
    for number, (trained, kept, modes, outside, own) in enumerate(draw.shuffled(list(product((False, True), repeat=5)))):
        facts = {
            "trained": draw.choice([["a"], ["a", "b"]]) if trained else [],
            "kept": ["mean"] if kept else [],
            "modes": modes,
            "numbers": draw.choice([{}, {"p": 0.5}]),
            "outside torch": outside,
            "own backward": "the identity" if own else "",
        }
        known.append(_described(f"operation {number + 1}, of which you know only this", **facts))
    return known


def _choice(part: int, label: str) -> Callable[[object, Draw], Iterator[Case]]:
    """A probe of one part of what choose returns."""

    def probe(answer: Callable, draw: Draw) -> Iterator[Case]:
        for case in _cases(draw):
            facts = ", ".join(f"{fact}: {value}" for fact, value in case.items() if value and fact != "operation")
            got = answer(copy.deepcopy(case))
            seen = got[part] if isinstance(got, (tuple, list)) and len(got) == 2 else f"{described(got)}, not a pair"
            if part and isinstance(seen, (list, tuple, set)):
                seen = sorted(map(str, seen))
            yield {"given": f"{case['operation']} ({facts or 'nothing else'})", "seen": {label: plain(seen)}}

    return probe


def _with(state: tuple[str, ...] = STATE, own: tuple[str, ...] = OWN_BACKWARD) -> Callable:
    """choose with other facts counted."""

    def choose(case: dict) -> tuple[str, list[str]]:
        module, function = [fact for fact in state if case[fact]], [fact for fact in own if case[fact]]
        names = {(1, 1): "Module over a Function", (1, 0): "Module", (0, 1): "Function", (0, 0): "plain function"}
        return names[bool(module), bool(function)], module + function

    return choose


def _module_wins(case: dict) -> tuple[str, list[str]]:
    kind, facts = choose_reference(case)
    return kind.removesuffix(" over a Function"), facts


def _function_wins(case: dict) -> tuple[str, list[str]]:
    kind, facts = choose_reference(case)
    return kind.removeprefix("Module over a "), facts


FUNCTION_OR_MODULE = Exercise(
    name="function_or_module",
    chapter="07_module",
    probes=(
        Probe("kind", _choice(0, "kind"), "Ask two questions: must something be kept? must backward be written by hand?"),
        Probe("reasons", _choice(1, "reasons"), "The reasons are the names of the facts that decided, and no others."),
    ),
    reference=choose_reference,
    slips=(
        Slip(_with((*STATE, "numbers")), "A plain number is no reason for a Module: it is an argument, as in clamp(min=0)."),
        Slip(_with(("trained", "modes")), "What is kept without being trained must move and be saved with the model: a Module."),
        Slip(_with(("trained", "kept")), "train() and eval() set a flag of a Module: an operation with two modes needs one."),
        Slip(_with(("trained",)), "State is more than what is trained: what is kept, and the two modes, also want a Module."),
        Slip(_with(own=("own backward",)), "What runs outside torch leaves no graph: it needs a backward written by hand."),
        Slip(_with(own=("outside torch",)), "torch's own derivative is not the one that is wanted here: write a Function."),
        Slip(_module_wins, "A Module alone has torch's derivatives. Its own backward comes from a Function inside it."),
        Slip(_function_wins, "A Function keeps nothing between calls: put the state into a Module, over the Function."),
    ),
    errors=((r"KeyError", "Every case has all the keys that the docstring names; a list or text may be empty, a flag False."),),
    hints=(
        "Which facts need a place that outlives one call? Which ask for a derivative that torch would not find?",
        "trained, kept or modes: a Module. outside torch or own backward: a Function. Both: a Module over a Function.",
        "`module = [fact for fact in ('trained', 'kept', 'modes') if case[fact]]`, the same for a Function, then four cases.",
    ),
)  # fmt: skip

EXERCISES = (LINEAR_MODULE, FUNCTION_OR_MODULE)
