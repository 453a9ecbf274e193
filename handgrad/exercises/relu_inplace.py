"""The exercise `relu_inplace` of chapter 05: a Function that changes its input, and says so."""

from collections.abc import Callable, Iterator

import torch

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, numbers
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
NAMES = ("input",)
LEAF = (
    "torch refuses a leaf that requires grad by itself, as soon as it is marked, and only while it records: do nothing by hand."
)


def _inputs(draw: Draw) -> list[torch.Tensor]:
    return [
        tensor([-1.0, 2.0, -0.5, 3.0]),
        draw.normal(2, 3),
        draw.normal(3, 2).t(),
        draw.normal(2, 4)[:, ::2],
        draw.normal(2, 1, 2),
    ]


def _same_object(answer: Function, draw: Draw) -> Iterator[Case]:
    """The tensor itself is changed, and it is what apply returns."""
    for x in _inputs(draw):
        h = _strided_copy(x)
        returned = answer.apply(h)
        seen = {
            "apply returns": "the input itself" if returned is h else _other(returned, h),
            "input after the call": plain(h),
        }
        yield {"given": f"input = {numbers(x)}", "seen": seen}


def _strided_copy(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device).copy_(x)


def _other(returned: object, h: torch.Tensor) -> str:
    if not isinstance(returned, torch.Tensor):
        return f"a {type(returned).__name__}"
    same = returned.untyped_storage().data_ptr() == h.untyped_storage().data_ptr()
    return "another tensor with the same memory" if same else "another tensor"


def _history(answer: Function, draw: Draw) -> Iterator[Case]:
    """The changed tensor has a new grad_fn, and gradients come back through it, whichever name they start from."""
    for x in _inputs(draw):
        leaf = x.clone().requires_grad_()
        g = draw.normal(*x.shape)
        h = leaf * 2.0
        before = h.grad_fn
        y = answer.apply(h)
        seen = {
            "apply returns the input itself": y is h,
            "input.grad_fn": "the same as before" if h.grad_fn is before else "a new one",
            "it leads on to the one before": any(node is before for node, _ in h.grad_fn.next_functions),
        }
        (h * g).sum().backward()
        seen["gradient that came through the input"] = plain(leaf.grad)
        yield {"given": f"h = 2 * x, f(h), (h * g).sum().backward() for x = {numbers(x)}, g = {numbers(g)}", "seen": seen}


def _leaf(answer: Function, draw: Draw) -> Iterator[Case]:
    """A leaf that requires grad raises, as for torch's own in-place operations, and only while torch records."""
    x = draw.normal(3)
    leaf = x.clone().requires_grad_()
    try:
        answer.apply(leaf)
        seen: object = "no error"
    except RuntimeError as error:
        by_torch = "a leaf Variable that requires grad" in str(error)
        seen = "torch's error" if by_torch else f"RuntimeError: {str(error)[:150]}"
    yield {"given": f"x = {numbers(x)}, a leaf that requires grad", "seen": {"f(x)": seen}}
    leaf = x.clone().requires_grad_()
    with torch.no_grad():
        answer.apply(leaf)
    yield {"given": f"the same under torch.no_grad(), x = {numbers(x)}", "seen": {"x": plain(leaf)}}
    data = x.clone()
    y = answer.apply(data)
    yield {"given": f"x = {numbers(x)}, which requires no grad", "seen": {"x": plain(data), "requires grad": y.requires_grad}}


def _counted(answer: Function, draw: Draw) -> Iterator[Case]:
    """An operation that saved the tensor before the change raises at backward, since its version has moved on."""
    x = draw.normal(4)
    leaf = x.clone().requires_grad_()
    h = leaf * 1.0
    squares = h.pow(2)
    answer.apply(h)
    try:
        squares.sum().backward()
        seen: object = "no error"
    except RuntimeError:
        seen = "RuntimeError"
    yield {"given": f"s = h.pow(2), f(h), s.sum().backward() for h = {numbers(x)}", "seen": {"backward": seen}}


def _view(answer: Function, draw: Draw) -> Iterator[Case]:
    """Through a view the change reaches the tensor behind it, its values and its gradient."""
    x, g = draw.normal(2, 3), draw.normal(2, 3)
    leaf = x.clone().requires_grad_()
    h = leaf * 1.0
    answer.apply(h[:, 1:])
    values = plain(h)
    (h * g).sum().backward()
    seen = {"h": values, "gradient of x": plain(leaf.grad)}
    yield {"given": f"h = x * 1, f(h[:, 1:]), upstream {numbers(g)} for h, x = {numbers(x)}", "seen": seen}


def relu_with(
    marked: bool = True,
    backward: Callable = lambda g, mask: g * mask,
    given_back: Callable[[torch.Tensor], torch.Tensor] = lambda x: x,
) -> Function:
    """ReLU in place, right unless something else is asked for."""

    class ReLUInPlace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            ctx.save_for_backward(input > 0)
            input.clamp_(min=0)
            if marked:
                ctx.mark_dirty(input)
            return given_back(input)

        @staticmethod
        def backward(ctx, grad_output):
            return backward(grad_output, *ctx.saved_tensors)

    return ReLUInPlace


def _on_copies(answer: Function) -> Callable:
    """The out-of-place function that clones before it calls the answer."""

    def relu(x: torch.Tensor) -> torch.Tensor:
        copy = x.clone()
        answer.apply(copy)
        return copy

    return relu


RELU_INPLACE = Exercise(
    name="relu_inplace",
    chapter="05_context",
    probes=(
        *function_probes(Subject(NAMES, lambda draw: [])),
        Probe("same object", _same_object, "forward changes the tensor that it was given, and returns that very tensor."),
        Probe(
            "history",
            _history,
            "Nobody told torch of the change: call ctx.mark_dirty(input). Then the input gets this call as its grad_fn.",
        ),
        Probe("leaf", _leaf, LEAF),
        Probe(
            "version",
            _counted,
            "The change is not counted: mark the tensor that was changed, and change it by torch's operations.",
        ),
        Probe("view", _view, "A view and the tensor behind it share memory: write with an operation that ends in an underscore."),
        *audit_probes(
            lambda draw: (draw.normal(2, 3).requires_grad_(),),
            NAMES,
            *("gradcheck", "kink", "returned", "linear", "second order", "upstream untouched", "stale", "calls apart"),
            *("other dtype", "device", "shapes", "saved"),
            part=_on_copies,
            advice=("saved",),
        ),
    ),
    reference=relu_with(),
    slips=(
        Slip(
            relu_with(marked=False),
            "Nobody told torch of the change: call ctx.mark_dirty(input). What apply returned is now a stranger with the same "
            "memory, and the input has its old grad_fn.",
        ),
        Slip(
            relu_with(marked=False, given_back=torch.clone),
            "The input is changed, and a copy of it returned: return the input itself, and mark it.",
        ),
        Slip(
            relu_with(backward=lambda g, mask: g.clone()),
            "backward lets everything through. Where is the mask? Or is it taken after the change, when nothing is below 0 any "
            "more? Then use > 0.",
        ),
        Slip(relu_with(backward=lambda g, mask: mask.to(g.dtype)), "backward ignores grad_output."),
    ),
    errors=(
        (
            r"marked as dirty during the forward method were not returned as output",
            "What is marked must be returned, the same tensor: `return input`, not a copy and not a new result.",
        ),
        (
            r"is a leaf Variable that requires grad|a leaf Variable that requires grad has been used",
            "Only a leaf that requires grad may be refused.",
        ),
        (r"mark_dirty", "ctx.mark_dirty takes the tensor that was changed: ctx.mark_dirty(input)."),
        (
            r"is a view and is being modified inplace",
            "What is returned is a view of the input: return the input itself, and mark it.",
        ),
    ),
    rules=(not_instantiated("ReLUInPlace"), forward_not_called("ReLUInPlace")),
    hints=(
        "After the call the tensor holds other numbers. Which grad_fn must it have, and who tells torch?",
        "Change input with an operation that ends in an underscore, mark it, save what backward needs, and return input.",
        "`ctx.mark_dirty(input)`, `input.clamp_(min=0)`, `ctx.save_for_backward(input > 0)`, `return input`.",
    ),
)

EXERCISES = (RELU_INPLACE,)
