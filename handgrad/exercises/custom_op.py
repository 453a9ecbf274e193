"""The exercise `custom_op` of chapter 11: an operator in NumPy that torch.compile does not look into."""

from collections.abc import Callable, Iterator

import numpy
import torch
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck
from torch.autograd.gradcheck import GradcheckError
from torch.library import CustomOpDef, opcheck
from torch.nn.functional import pad

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.exercises.compiled import in_one_graph, told
from handgrad.exercises.exercise import SLIPS, Exercise, Probe, Slip

OPERATORS = (CustomOpDef, torch._ops.OpOverload, torch._ops.OpOverloadPacket)


def moving_sum(x: Tensor, width: int) -> Tensor:
    """In plain torch: the sums of `width` neighbours along the last dimension."""
    return x.unfold(-1, width, 1).sum(-1)


def _in_numpy(x: Tensor, width: int) -> Tensor:
    windows = numpy.lib.stride_tricks.sliding_window_view(x.detach().cpu().numpy(), width, axis=-1)
    return torch.from_numpy(windows.sum(-1)).to(x.device)


def _spread(g: Tensor, width: int) -> Tensor:
    return moving_sum(pad(g, (width - 1, width - 1)), width)


def _operator(
    name: str,
    forward: Callable[[Tensor, int], Tensor] = _in_numpy,
    backward: Callable[[Tensor, int, int], Tensor] = lambda g, width, n: _spread(g, width),
    fake: Callable[[Tensor, int], Tensor] = lambda x, width: x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1),
) -> CustomOpDef:
    """The operator handgrad::name. `backward` gets the upstream gradient, the width, and how long x was."""
    operator = torch.library.custom_op(f"handgrad::{name}", mutates_args=(), schema="(Tensor x, int width) -> Tensor")(forward)
    operator.register_fake(fake)

    def setup_context(ctx: torch.autograd.function.FunctionCtx, inputs: tuple, output: Tensor) -> None:
        ctx.length, ctx.width = inputs[0].shape[-1], inputs[1]

    def from_context(ctx: torch.autograd.function.FunctionCtx, g: Tensor) -> tuple:
        return backward(g, ctx.width, ctx.length), None

    operator.register_autograd(from_context, setup_context=setup_context)
    return operator


def _sizes(draw: Draw) -> list[tuple[Tensor, int]]:
    """A width of 1, of all, and between; no leading dimensions, one, and two; windows that overlap and that don't meet."""
    sizes = ((5,), 3), ((4,), 1), ((3,), 3), ((2, 6), 2), ((2, 2, 4), 3), ((7,), 2)
    return [(draw.normal(*shape), width) for shape, width in sizes]


def _given(x: Tensor, width: int) -> str:
    return f"x of shape {tuple(x.shape)}, width = {width}"


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    what = "an operator of torch.library" if isinstance(answer, OPERATORS) else described(answer)
    yield {"given": "the answer itself", "seen": {"what it is": what}}


def _forward(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Values, in float64 and float32; x as it was; an output whose memory is its own."""
    for x, width in _sizes(draw):
        for dtype in (torch.float64, torch.float32):
            fresh = x.to(dtype, copy=True)
            output = answer(fresh, width)
            seen = {"output": plain(output), "x after forward is as it was": torch.equal(fresh, x.to(dtype))}
            if isinstance(output, Tensor):
                seen["output has memory of its own"] = output.data_ptr() != fresh.data_ptr()
            tolerance = [1e-10, 1e-10] if dtype == torch.float64 else [1e-5, 1e-5]
            yield {"given": f"{_given(fresh, width)}, {str(dtype)[6:]}", "seen": seen, "tolerance": tolerance}
    columns = draw.normal(4, 3).t()
    yield {"given": "a transposed x of shape (3, 4), width = 2", "seen": {"output": plain(answer(columns, 2))}}


def _fake(answer: Callable, draw: Draw) -> Iterator[Case]:
    """On the meta device there are no values, so torch asks register_fake: shape, dtype and device come from x."""
    for x, width in _sizes(draw):
        for dtype in (torch.float64, torch.float32):
            output = answer(x.to("meta", dtype), width)
            seen = f"shape {tuple(output.shape)}, {str(output.dtype)[6:]}, {output.device.type}"
            yield {"given": f"{_given(x, width)}, {str(dtype)[6:]}, on the meta device", "seen": {"output": seen}}


def _gradients(answer: Callable, draw: Draw) -> Iterator[Case]:
    """The vector-Jacobian product under signed upstream gradients, also expanded ones."""
    for x, width in _sizes(draw):
        output = answer(x.requires_grad_(), width)
        g = draw.normal(*output.shape)
        (grad,) = torch.autograd.grad(output, x, g.clone())
        yield {"given": f"{_given(x, width)}, upstream {plain(g)['tensor']}", "seen": {"gradient of x": plain(grad)}}
    x = draw.normal(2, 5)
    (grad,) = torch.autograd.grad(answer(x.requires_grad_(), 2).sum(), x)
    yield {"given": f"{_given(x, 2)}, y.sum().backward()", "seen": {"gradient of x": plain(grad)}}
    single = draw.normal(6, dtype=torch.float32)
    (grad,) = torch.autograd.grad(answer(single.requires_grad_(), 2).sum(), single)
    yield {"given": f"{_given(single, 2)}, float32", "seen": {"gradient of x": plain(grad)}, "tolerance": [1e-5, 1e-5]}


def _upstream_untouched(answer: Callable, draw: Draw) -> Iterator[Case]:
    """backward leaves the upstream gradient as it was: opcheck sees it when torch refuses to write, gradcheck never."""
    for x, width in _sizes(draw)[:3]:
        output = answer(x.requires_grad_(), width)
        g = draw.normal(*output.shape)
        given = f"y.backward(g) for {_given(x, width)}, g = {plain(g)['tensor']}"
        output.backward(g)
        yield {"given": given, "seen": {"g after backward": plain(g)}}


def _calls_apart(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Two calls do not mix: what backward needs is on ctx, one for each call."""
    for first, second in ((2, 3), (4, 1)):
        x, other = draw.normal(6).requires_grad_(), draw.normal(5).requires_grad_()
        outputs = answer(x, first), answer(other, second)
        g = draw.normal(*outputs[0].shape)
        (grad,) = torch.autograd.grad(outputs[0], x, g)
        given = f"f(x, {first}) and f(other, {second}), then backward through the first, upstream {plain(g)['tensor']}"
        yield {"given": given, "seen": {"gradient of x": plain(grad)}}


def _gradcheck(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Against finite differences, and the second derivative too: opcheck looks at no gradient's value."""
    for x, width in _sizes(draw)[:4]:
        for check in (gradcheck, gradgradcheck):
            try:
                said: bool | str = check(answer, (x.requires_grad_(), width), rtol=1e-6, atol=1e-6)
            except GradcheckError as error:
                said = str(error).strip().splitlines()[0]
            yield {"given": _given(x, width), "seen": {check.__name__: said}}


def _opcheck(answer: object, draw: Draw) -> Iterator[Case]:
    """What torch itself asks of an operator: its schema, its fake, its registration, all of it under dynamic shapes."""
    sizes = _sizes(draw)
    for (x, width), asked in ((sizes[0], True), (sizes[0], False), (sizes[1], True), (sizes[3], True)):
        try:
            said = opcheck(answer, (x.detach().clone().requires_grad_(asked), width), raise_exception=False)
        except Exception as error:
            said = {"it": error}
        faults = [f"{name}: {_first_words(fault)}" for name, fault in said.items() if fault != "SUCCESS"]
        note = "" if asked else " (no gradient asked)"
        yield {"given": _given(x, width) + note, "seen": {"opcheck": "; ".join(faults[:1]) or "passes"}}


def _first_words(fault: object) -> str:
    return str(fault).strip().splitlines()[0].replace(" (scroll up for stack trace)", "")


def _compiled(answer: Callable, draw: Draw) -> Iterator[Case]:
    """Within a compiled function: one graph, in which it is a single step, with the values and gradients of eager mode."""
    x = draw.normal(6)
    g = draw.normal(5)
    with in_one_graph(lambda x: 2 * answer(x, 2)) as (call, graphs):
        given = "torch.compile(lambda x: 2 * f(x, 2), fullgraph=True, backend='aot_eager')"
        try:
            output = call(x.requires_grad_())
            (grad,) = torch.autograd.grad(output, x, g)
        except Exception as error:
            yield {"given": given, "seen": {"raised": told(error)}, "accept": {"raised": []}}  # of the reference neither
            return
        steps = sum(node.op == "call_function" for graph in graphs for node in graph.graph.nodes)
        yield {"given": given, "seen": {"output": plain(output), "gradient of x": plain(grad), "steps in the graph": steps}}


def _slips() -> Iterator[Slip]:
    backwards = {
        "opcheck passes a gradient that is 7 times the upstream one: it looks at no gradient's value. Which outputs contain x_i?":
            lambda g, width, n: 7 * pad(g, (0, width - 1)),
        "Each x_i is in several sums, up to width of them: its gradient is the sum of theirs.":
            lambda g, width, n: pad(g, (0, width - 1)),
        "The first x_i lie in fewer sums: pad both ends of the upstream gradient with width - 1 zeros.":
            lambda g, width, n: moving_sum(pad(g, (0, 2 * width - 2)), width),
        "That is a mean: forward sums, and backward must not divide.":
            lambda g, width, n: _spread(g, width) / width,
        "backward ignores the upstream gradient: it counts in how many sums each x_i is.":
            lambda g, width, n: _spread(torch.ones_like(g), width),
        "The upstream gradient is turned round: g_0 belongs to the first width elements of x.":
            lambda g, width, n: _spread(g.flip(-1), width),
    }  # fmt: skip
    for k, (text, backward) in enumerate(backwards.items()):
        yield Slip(_operator(f"slip_backward_{k}", backward=backward), text)
    forwards = {
        "That is the mean of each window; the sum is asked for.": lambda x, width: _in_numpy(x, width) / width,
        "That is a sum from the beginning on, and each window has width elements.":
            lambda x, width: x.cumsum(-1)[..., width - 1 :].clone(),
        "The windows do not overlap in yours: each begins one element after the one before.":
            lambda x, width: x.unfold(-1, width, width).sum(-1),
        "There are zeros at an end: n - width + 1 windows fit whole, and no other counts.":
            lambda x, width: _in_numpy(pad(x, (width - 1, 0)), width),
        "The output has the dtype of x, float32 too: NumPy makes float64 of much, a default or a list.":
            lambda x, width: _in_numpy(x.double(), width),
    }  # fmt: skip
    for k, (text, forward) in enumerate(forwards.items()):
        yield Slip(_operator(f"slip_forward_{k}", forward), text)


_OUTPUT_IS_NEW = (
    r"must not also be an input|may not alias",
    "The output is x, or a view of it, for width 1 perhaps: an operator returns new memory. Copy it.",
)
_NO_FAKE = (
    r"no fake impl|data_ptr|meta tensor|Cannot access data|NotImplementedError.*meta|Meta",
    "torch has no values here and asks register_fake for an empty output: x.new_empty(…) of the right shape.",
)
_NO_AUTOGRAD = (r"no autograd formula", "torch finds no backward: moving_sum.register_autograd(backward, setup_context=…).")

_SHARED = "Two calls share something: what backward needs is kept by setup_context, on ctx."

CUSTOM_OP = Exercise(
    name="custom_op",
    chapter="11_compile",
    probes=(
        Probe("form", _form, "Hand over what @torch.library.custom_op made of your function, without calling it.", gate=True),
        Probe(
            "forward", _forward,
            "The output at i is x_i + … + x_(i + width - 1), for each of the n - width + 1 windows, in new memory.",
        ),
        Probe(
            "fake", _fake,
            "register_fake says what the output is like: n - width + 1 long, with the dtype and the device of x: x.new_empty.",
        ),
        Probe(
            "upstream", _gradients,
            "Each x_i is in up to width sums: its gradient is the sum of their upstream gradients.",
        ),
        Probe("upstream untouched", _upstream_untouched, SLIPS["upstream untouched"]),
        Probe("calls apart", _calls_apart, _SHARED, errors=((r"invalid gradient", _SHARED),)),
        Probe("gradcheck", _gradcheck, "backward is not the derivative of forward, or leaves the graph: torch operations in it."),
        Probe("opcheck", _opcheck, "torch refuses the operator: read its words."),
        Probe("compiled", _compiled, "Within a compiled function it must be one step, with the same values."),
    ),
    reference=_operator("moving_sum"),
    slips=tuple(_slips()),
    errors=(
        _OUTPUT_IS_NEW,
        _NO_FAKE,
        _NO_AUTOGRAD,
        (r"non-functional operator", "Nothing is changed in place, so mutates_args is empty: mutates_args=()."),
        (
            r"requires grad\. Use tensor\.detach",
            "In backward it leaves torch for numpy, and a gradient may need a graph: pad, and call moving_sum again.",
        ),
        (r"has no attribute '(width|length)'", "setup_context(ctx, inputs, output) keeps it: inputs is (x, width)."),
    ),
    hints=(
        "In which sums is x_i? What is its gradient, if the upstream gradient is 1 for the first sum and 0 for the others?",
        "The gradient of x_i is the sum of g_(i - width + 1) … g_i: a moving sum too, over g with width - 1 zeros at both ends.",
        "`padded = torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1))`, `return moving_sum(padded, ctx.width), None`; "
        "the fake is `x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1)`.",
    ),
)  # fmt: skip

EXERCISES = (CUSTOM_OP,)
