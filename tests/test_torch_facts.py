"""What the course says of one version of torch, sentence by sentence: when torch moves on, this says which no longer hold.

Each sentence in `sources/` that names torch 2.13 has a line in FACTS: a piece of it, and a program that says whether it holds.
"""

import gc
import re
import warnings
import weakref
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from handgrad.audit.quiet import quiet
from handgrad.exercises.once_differentiable import predictions

SOURCES = Path(__file__).parents[1] / "sources"
SAID = re.compile(r"torch 2\.13|\[2\.13\]")


class Square(torch.autograd.Function):
    """A Function in the style that torch.func takes, with a rule for forward mode."""

    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * 2 * x


class Once(Square):
    """The same, and its backward is declared not to be differentiable."""

    backward = staticmethod(once_differentiable(Square.backward))


def number(value: float) -> Tensor:
    return torch.tensor(value, requires_grad=True)


def raises(call: Callable[[], object], words: str) -> bool:
    try:
        call()
    except Exception as error:
        return words in f"{type(error).__name__}: {error}"
    return False


def a_variable_is_a_tensor() -> bool:
    return type(torch.autograd.Variable(torch.ones(1))) is Tensor


def an_instance_warns_and_raises() -> bool:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        instance = Square()
    return len(caught) == 1 and raises(lambda: instance(number(1.0)), "RuntimeError: Legacy autograd function")


def seven_spellings_have_three_slopes_at_zero() -> bool:
    zero = torch.tensor(0.0)
    spellings: dict[Callable[[Tensor], Tensor], float] = {
        torch.relu: 0.0,
        lambda x: x.clamp(min=0): 1.0,
        lambda x: torch.maximum(x, zero): 0.5,
        lambda x: torch.where(x > 0, x, 0): 0.0,
        lambda x: x * (x > 0): 0.0,
        lambda x: (x + x.abs()) / 2: 0.5,
    }
    x = number(0.0)
    return all(torch.autograd.grad(spelling(x), x)[0].item() == slope for spelling, slope in spellings.items())


def gradcheck_has_these_defaults() -> bool:
    defaults = {"eps": 1e-6, "rtol": 1e-3, "atol": 1e-5, "fast_mode": False, "nondet_tol": 0.0, "raise_exception": True}
    defaults["check_undefined_grad"] = True
    found = signature(torch.autograd.gradcheck).parameters
    return all(found[name].default == default for name, default in defaults.items())


def saves_its_input_alone(function: Callable[[Tensor], Tensor]) -> bool:
    x = torch.ones(10, requires_grad=True)
    saved: list[Tensor] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: saved.append(tensor) or tensor, lambda tensor: tensor):
        function(x)
    return {tensor.data_ptr() for tensor in saved} == {x.data_ptr()}


def silu_saves_its_input_alone() -> bool:
    return saves_its_input_alone(torch.nn.functional.silu)


def softplus_saves_its_input_alone() -> bool:
    return saves_its_input_alone(torch.nn.functional.softplus)


def a_hook_that_keeps_an_output_as_it_came_keeps_it_for_good() -> bool:
    def packed_by(pack: Callable[[Tensor], Tensor]) -> weakref.ref:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
            return weakref.ref(number(1.0).exp())

    as_it_came, detached = packed_by(lambda saved: saved), packed_by(Tensor.detach)
    gc.collect()
    return as_it_came() is not None and detached() is None


def a_print_stops_a_whole_graph() -> bool:
    class Chatty(Square):
        @staticmethod
        def forward(x):
            print(type(x))
            return x**2

    try:
        return raises(lambda: torch.compile(Chatty.apply, backend="eager", fullgraph=True)(number(1.0)), "Unsupported")
    finally:
        torch._dynamo.reset()


def once_differentiable_is_loud_in_two_ways_and_silent_elsewhere() -> bool:
    def second(function: Callable[[Tensor], Tensor]) -> float:
        x, w = number(1.0), number(1.0)
        (first,) = torch.autograd.grad(function(x * w) ** 2, x, create_graph=True)
        return torch.autograd.grad(first, w)[0].item()

    told = {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "none"}
    return predictions() == told and (second(torch.square), second(Once.apply)) == (16.0, 4.0)


def second_derivatives_that_are_zero() -> bool:
    def along(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
        return lambda t: torch.func.jvp(function, (t,), (torch.ones_like(t),))[1]

    t, grad = torch.tensor(3.0), torch.func.grad
    twice = along(along(Square.apply))(t).item(), grad(grad(Once.apply))(t).item()
    return twice == (0.0, 0.0) and grad(grad(Square.apply))(t).item() == along(grad(Square.apply))(t).item() == 2.0


def each_transform_needs_what_the_table_says() -> bool:
    def accepts(*methods: str) -> set[str]:
        parts = vars(Square) | {"rule": True}
        members = {name: parts[name] for name in ("forward", "setup_context", *methods)}
        members["generate_vmap_rule"] = members.pop("rule", False)
        made = type("Made", (torch.autograd.Function,), members)
        x = torch.tensor([1.0, 2.0])
        func = torch.func
        calls: dict[str, Callable[[], object]] = {
            "grad": lambda: func.grad(lambda t: made.apply(t).sum())(x),
            "vjp": lambda: func.vjp(made.apply, x)[1](x),
            "jacrev": lambda: func.jacrev(made.apply)(x),
            "vmap": lambda: func.vmap(made.apply)(x),
            "jvp": lambda: func.jvp(made.apply, (x,), (x,)),
            "jacfwd": lambda: func.jacfwd(made.apply)(x),
            "hessian": lambda: func.hessian(lambda t: made.apply(t).sum())(x),
        }
        return {name for name, call in calls.items() if not raises(call, "")}

    backwards = {"grad", "vjp", "jacrev"}
    return (
        (accepts("backward"), accepts("rule"), accepts("jvp")) == (backwards, {"vmap"}, {"jvp"})
        and (accepts("backward", "rule"), accepts("backward", "jvp")) == (backwards | {"vmap"}, backwards | {"jvp"})
        and accepts("rule", "jvp") == {"vmap", "jvp", "jacfwd"}
        and accepts("backward", "rule", "jvp") == backwards | {"vmap", "jvp", "jacfwd", "hessian"}
    )


def apply_takes_keyword_arguments() -> bool:
    return Square.apply(x=number(3.0)).item() == 9.0


def methods_need_not_be_static() -> bool:
    class Old(torch.autograd.Function):
        def forward(self, x):
            self.save_for_backward(x)
            return x**2

        def backward(self, grad_output):
            (x,) = self.saved_tensors
            return grad_output * 2 * x

    x = number(3.0)
    Old.apply(x).backward()
    return x.grad.item() == 6.0


def checkpoint_is_reentrant_by_default_and_warns() -> bool:
    recorded: list[bool] = []

    def segment(x: Tensor) -> Tensor:
        recorded.append(torch.is_grad_enabled())
        return x**2

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        checkpoint(segment, number(1.0))
    return recorded == [False] and any("use_reentrant" in str(warning.message) for warning in caught)


def three_functions_shrink() -> bool:
    return [name for name in dir(torch.nn.functional) if name.endswith("shrink")] == ["hardshrink", "softshrink", "tanhshrink"]


FACTS: dict[str, Callable[[], bool]] = {
    "the old name hands you a tensor": a_variable_is_a_tensor,
    "making one warns, and calling it raises": an_instance_warns_and_raises,
    "Those are the answers of": seven_spellings_have_three_slopes_at_zero,
    "These are their defaults in": gradcheck_has_these_defaults,
    "which is torch's own swish, makes the same choice": silu_saves_its_input_alone,
    "Where a node saved its own output": a_hook_that_keeps_an_output_as_it_came_keeps_it_for_good,
    "cannot put a print into it": a_print_stops_a_whole_graph,
    "The declaration is not watertight": once_differentiable_is_loud_in_two_ways_and_silent_elsewhere,
    "Two ways to a second derivative do not work": second_derivatives_that_are_zero,
    "A tensor less than torch's own softplus": softplus_saves_its_input_alone,
    "it is still the default, with a warning": checkpoint_is_reentrant_by_default_and_warns,
    "Three that shrink are": three_functions_shrink,
    "wants of a Function, in one table": each_transform_needs_what_the_table_says,
    "`apply` takes keyword arguments": apply_takes_keyword_arguments,
    "A method that is not static is still accepted": methods_need_not_be_static,
}
# what the cells below these sentences show, one measurement, one promise to accept
OTHERS = (
    "All were seen in",
    "Everything here was seen in",
    "so is whatever else torch 2.13 takes",
    "still takes is shown by running it",
    "The last line is what we saw in",
    "On one CPU with torch 2.13",
)


def said() -> list[tuple[str, str]]:
    """The sentences that name the version, each with its file."""
    files = sorted(SOURCES.rglob("*.md"))
    lines = [(file.name, line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [(name, line) for name, line in lines if SAID.search(line)]


def test_every_sentence_that_names_the_version_has_its_fact():
    for name, line in said():
        assert sum(piece in line for piece in (*FACTS, *OTHERS)) == 1, f"{name}: {line}\nadd a line to FACTS"


@pytest.mark.parametrize("piece", FACTS)
def test_it_holds(piece: str):
    places = [name for name, line in said() if piece in line]
    assert places, f"no sentence in sources/ says {piece!r} of a version: take it out of FACTS"
    with quiet():
        holds = FACTS[piece]()
    assert holds, (
        f"with torch {torch.__version__} it no longer holds: {piece!r}, in {', '.join(places)}; mend the text and its cells"
    )
