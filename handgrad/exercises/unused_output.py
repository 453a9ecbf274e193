"""The exercise `unused_output` of chapter 05: two outputs, of which a caller may use one, and None for what nobody used."""

from collections.abc import Callable, Iterator

import torch

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, numbers
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
NAMES = ("a", "b")


class _Nothing(torch.autograd.Function):
    """Sends no gradient on."""

    @staticmethod
    def forward(ctx, input):
        return input.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return None


def _pairs(draw: Draw) -> list[tuple[torch.Tensor, torch.Tensor]]:
    pairs = [(draw.normal(*shape), draw.normal(*shape)) for shape in ((3,), (2, 2), (1,), (), (2, 1, 3))]
    return [*pairs, (draw.normal(3, 2).t(), draw.normal(2, 3))]


def _leaves(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [tensor.clone().requires_grad_() for tensor in tensors]


def _grad(leaf: torch.Tensor) -> object:
    return "None" if leaf.grad is None else plain(leaf.grad)


def _outputs(answer: Function, draw: Draw) -> Iterator[Case]:
    """Values, and that both outputs ask for gradients."""
    for a, b in _pairs(draw):
        outputs = answer.apply(*_leaves(a, b))
        many = isinstance(outputs, tuple) and len(outputs) == 2
        seen: dict = {"what forward returns": "two outputs" if many else described(outputs)}
        if many:
            for name, output in zip(("sine", "product"), outputs, strict=True):
                seen[name] = plain(output)
                seen[f"{name} requires grad"] = getattr(output, "requires_grad", described(output))
        yield {"given": f"a = {numbers(a)}, b = {numbers(b)}", "seen": seen}


def _used(*places: int) -> Callable[[Function, Draw], Iterator[Case]]:
    """The gradients of a and b when the outputs at these places are used, under signed upstream gradients."""

    def observe(answer: Function, draw: Draw) -> Iterator[Case]:
        for a, b in _pairs(draw):
            one, other = _leaves(a, b)
            outputs = answer.apply(one, other)
            upstream = [draw.normal(*a.shape) for _ in places]
            torch.autograd.backward([outputs[k] for k in places], upstream)
            sent = " and ".join(
                f"{('sine', 'product')[k]} with upstream {numbers(g)}" for k, g in zip(places, upstream, strict=True)
            )
            given = f"a = {numbers(a)}, b = {numbers(b)}; used: {sent}"
            yield {"given": given, "seen": {"gradient of a": _grad(one), "gradient of b": _grad(other)}}

    return observe


def _zeros(answer: Function, draw: Draw) -> Iterator[Case]:
    """An upstream gradient of zeros is a gradient: what belongs to it is zeros, and not None."""
    a, b = draw.normal(3), draw.normal(3)
    one, other = _leaves(a, b)
    sine, product = answer.apply(one, other)
    torch.autograd.backward([sine, product], [torch.ones_like(a), torch.zeros_like(a)])
    given = f"loss = (sine + 0 * product).sum() for a = {numbers(a)}, b = {numbers(b)}"
    yield {"given": given, "seen": {"gradient of a": _grad(one), "gradient of b": _grad(other)}}


def _neither(answer: Function, draw: Draw) -> Iterator[Case]:
    """The walk may come by with nothing for either output, when what follows sends no gradient on."""
    a, b = draw.normal(2), draw.normal(2)
    one, other = _leaves(a, b)
    sine, product = answer.apply(one, other)
    (_Nothing.apply(sine) + _Nothing.apply(product)).sum().backward()
    seen = {f"gradient of {name}": _grad(leaf) for name, leaf in (("a", one), ("b", other))}
    accept = {label: ["None", plain(torch.zeros_like(a))] for label in seen}
    yield {"given": "both outputs go into a Function whose backward returns None", "seen": seen, "accept": accept}


def _frozen(answer: Function, draw: Draw) -> Iterator[Case]:
    """One of the inputs is data, and one of the outputs is used."""
    for a_asks, b_asks, place in ((True, False, 0), (True, False, 1), (False, True, 1)):
        a, b = draw.normal(2), draw.normal(2)
        one, other = a.clone().requires_grad_(a_asks), b.clone().requires_grad_(b_asks)
        g = draw.normal(2)
        answer.apply(one, other)[place].backward(g)
        given = f"a = {numbers(a)}, b = {numbers(b)}, only {'a' if a_asks else 'b'} requires grad; "
        given += f"used: {('sine', 'product')[place]} with upstream {numbers(g)}"
        yield {"given": given, "seen": {"gradient of a": _grad(one), "gradient of b": _grad(other)}}


def _right(g_sine: torch.Tensor | None, g_product: torch.Tensor | None, a: torch.Tensor, b: torch.Tensor) -> tuple:
    parts = [None if g_sine is None else g_sine * a.cos(), None if g_product is None else g_product * b]
    there = [part for part in parts if part is not None]
    return sum(there) if there else None, None if g_product is None else g_product * a


def two_outputs(backward: Callable = _right, materialize: bool = False) -> Function:
    """(sin a, a·b) with a backward of its own, `(g_sine, g_product, a, b) -> gradients`."""

    class SineAndProduct(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.set_materialize_grads(materialize)
            ctx.save_for_backward(a, b)
            return a.sin(), a * b

        @staticmethod
        def backward(ctx, g_sine, g_product):
            return backward(g_sine, g_product, *ctx.saved_tensors)

    return SineAndProduct


def _with_zeros(g_sine: torch.Tensor | None, g_product: torch.Tensor | None, a: torch.Tensor, b: torch.Tensor) -> tuple:
    return _right(*(torch.zeros_like(a) if g is None else g for g in (g_sine, g_product)), a, b)


ZEROS = (
    "b has no part in sin(a), and gets zeros instead of None: an optimizer with momentum or weight decay would move it. "
    "Call ctx.set_materialize_grads(False) in forward, and leave None what nobody used."
)

UNUSED_OUTPUT = Exercise(
    name="unused_output",
    chapter="05_context",
    probes=(
        *function_probes(Subject(NAMES, lambda draw: [])),
        Probe("outputs", _outputs, "forward returns (sin a, a·b), two tensors in a tuple."),
        Probe(
            "both", _used(0, 1), "a gets a part from each output: grad_sine · cos a + grad_product · b; b gets grad_product · a."
        ),
        Probe("product alone", _used(1), "Of sin(a) nothing comes back here: a gets grad_product · b, b gets grad_product · a."),
        Probe("sine alone", _used(0), "Of a·b nothing comes back here: a gets grad_sine · cos a, and b gets None."),
        Probe(
            "zeros",
            _zeros,
            "The product was used, with an upstream gradient of zeros. Ask whether a gradient is None, not what is in it.",
        ),
        Probe("neither", _neither, "Both gradients can be None at once: then there is nothing to add, and None to return."),
        Probe("frozen", _frozen, "What nobody needs is None; what is needed does not depend on it."),
        *audit_probes(
            lambda draw: (draw.normal(2, 3).requires_grad_(), draw.normal(2, 3).requires_grad_()),
            NAMES,
            *("gradcheck", "returned", "linear", "second order", "upstream untouched", "stale", "calls apart", "other dtype"),
            *("device", "saved"),
            advice=("saved",),
        ),
    ),
    reference=two_outputs(),
    slips=(
        Slip(two_outputs(materialize=True), ZEROS),
        Slip(two_outputs(_with_zeros), ZEROS),
        Slip(
            two_outputs(lambda g, h, a, b: (None if g is None else g * a.cos(), None if h is None else h * a)),
            "a has a part in the product too: add grad_product · b to its gradient.",
        ),
        Slip(
            two_outputs(lambda g, h, a, b: (None if h is None else h * b, None if h is None else h * a)),
            "The sine's part is missing in the gradient of a: grad_sine · cos a.",
        ),
        Slip(
            two_outputs(lambda g, h, a, b: (None, None) if g is None or h is None else _right(g, h, a, b)),
            "One None makes both gradients None: each output sends its own part, whether the other is used or not.",
        ),
        Slip(
            two_outputs(lambda g, h, a, b: _right(g, h, a, b) if h is None or g is not None else (None, h * a)),
            "Where the sine is unused, the product's part for a is lost.",
        ),
        Slip(
            two_outputs(lambda g, h, a, b: _right(g, h, a, b) if g is None or h is None else (g * a.cos(), None)),
            "Where both are used, only one of the two parts is sent (elif?): add them.",
        ),
        Slip(
            two_outputs(lambda g, h, a, b: _right(h, g, a, b)),
            "The upstream gradients are swapped: they come in the order in which forward returns the outputs, grad_sine first.",
        ),
        Slip(
            two_outputs(lambda g, h, a, b: _right(None if g is None else g * a.tan(), h, a, b)),
            "The slope of the sine is the cosine.",
        ),
        Slip(two_outputs(lambda g, h, a, b: _right(g, h, a, b)[::-1]), "The two gradients are swapped: a first, as in forward."),
    ),
    errors=(
        (
            r"NoneType",
            "A gradient of an output that nobody used is None here: ask `is not None` before you multiply or add.",
        ),
        (r"Boolean value of Tensor", "Ask `grad is not None`: a tensor of several numbers is neither true nor false."),
        (r"Boolean value of", "Ask `grad is not None`: a tensor is no yes or no."),
        (
            r"backward\(\) takes \d positional arguments? but \d were given",
            "backward gets one gradient for each output: (ctx, grad_sine, grad_product).",
        ),
    ),
    rules=(not_instantiated("SineAndProduct"), forward_not_called("SineAndProduct")),
    hints=(
        "Which of the two inputs has no part in the first output? What should become of its gradient if only that one is used?",
        "With set_materialize_grads(False) an unused output sends None; begin with None for both inputs, and add what is there.",
        "`if grad_sine is not None: grad_a = grad_sine * a.cos()`, and under `if grad_product is not None:` the other two parts.",
    ),
)

EXERCISES = (UNUSED_OUTPUT,)
