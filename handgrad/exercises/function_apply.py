"""The exercise `function_apply` of chapter 02: what `Function.apply` and `ctx` do for one call."""

from collections.abc import Iterator

from handgrad import engine
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.engine import Tensor, each, run_backward
from handgrad.exercises.exercise import Exercise, Probe, Slip

Answer = type


def _number(draw: Draw) -> float:
    return float(draw.integer(2, 9) * draw.choice([-1, 1]))


def _scale(base: Answer) -> type:
    """k times input, where k is a plain number that sits on ctx."""

    class Scale(base):
        @staticmethod
        def forward(ctx, input, k):
            ctx.k = k
            return Tensor(each(lambda value: k * value, input.data))

        @staticmethod
        def backward(ctx, grad_output):
            return Tensor(each(lambda value: ctx.k * value, grad_output.data)), None

    return Scale


def _sum(base: Answer) -> type:
    """a plus b, which saves nothing."""

    class Sum(base):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output, grad_output

    return Sum


def _product(base: Answer, contexts: list | None = None) -> type:
    """a times b, which saves both; it shows its contexts to whoever asks."""

    class Product(base):
        @staticmethod
        def forward(ctx, a, b):
            if contexts is not None:
                contexts.append(ctx)
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad_output):
            a, b = ctx.saved_tensors
            return grad_output * b, grad_output * a

    return Product


def _relu(base: Answer) -> type:
    """Chapter 03's class, word for word."""

    class MyReLU(base):
        @staticmethod
        def forward(ctx, input):
            ctx.save_for_backward(input)
            return input.clamp(min=0)

        @staticmethod
        def backward(ctx, grad_output):
            (input,) = ctx.saved_tensors
            return grad_output * (input > 0)

    return MyReLU


def _identity(base: Answer) -> type:
    class Identity(base):
        @staticmethod
        def forward(ctx, input):
            return input

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output

    return Identity


def _fourth(base: Answer) -> type:
    """The square of a square, whose forward calls a Function in its turn."""
    product = _product(base)

    class Fourth(base):
        @staticmethod
        def forward(ctx, input):
            ctx.save_for_backward(input)
            square = product.apply(input, input)
            return product.apply(square, square)

        @staticmethod
        def backward(ctx, grad_output):
            (input,) = ctx.saved_tensors
            return Tensor(4 * input.data**3 * grad_output.data)

    return Fourth


def _leaves(draw: Draw, *names: str) -> tuple[str, list[Tensor]]:
    leaves = [Tensor(_number(draw), requires_grad=True) for _ in names]
    return ", ".join(f"{name} = {leaf.data}" for name, leaf in zip(names, leaves, strict=True)), leaves


def _data(value: object) -> object:
    return plain(value.data) if isinstance(value, Tensor) else described(value)


def _called(node: object, upstream: float) -> object:
    """What a node gives when it is called with a gradient."""
    gradients = node(Tensor(upstream))
    return [_data(gradient) for gradient in gradients] if isinstance(gradients, tuple) else described(gradients)


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    own = "a class of your own with an apply"
    if not isinstance(answer, type):
        seen = described(answer)
    elif not hasattr(answer, "apply"):
        seen = f"the class {answer.__name__}, without an apply"
    else:
        ours = getattr(answer.apply, "__func__", None) is engine.Function.apply.__func__
        seen = "the engine's own Function" if ours else own
    yield {"given": "the answer itself", "seen": {"what it is": seen}}
    if seen == own:
        words, (a,) = _leaves(draw, "a")
        seen = described(_identity(answer).apply(a))
        yield {"given": f"apply(a) of an identity, {words}", "seen": {"what apply returns": seen}}


def _output(answer: Answer, draw: Draw) -> Iterator[Case]:
    """Values, and a graph where one is of use: an output requires a gradient when an argument does."""
    words, (a, b) = _leaves(draw, "a", "b")
    c, k = Tensor(_number(draw)), _number(draw)
    calls = {
        "Sum.apply(a, b)": _sum(answer).apply(a, b),
        f"Scale.apply(a, {k})": _scale(answer).apply(a, k),
        "Sum.apply(c, b)": _sum(answer).apply(c, b),
        "Sum.apply(c, c)": _sum(answer).apply(c, c),
    }
    for call, output in calls.items():
        grad_fn = "None" if output.grad_fn is None else "a node"
        seen = {"output": _data(output), "output.requires_grad": output.requires_grad, "output.grad_fn": grad_fn}
        yield {"given": f"{call}, {words}, c = {c.data}, where c is a constant", "seen": seen}


def _node(answer: Answer, draw: Draw) -> Iterator[Case]:
    """The node is the ctx that forward had, and the one that backward gets."""
    contexts: list = []
    words, (a, b) = _leaves(draw, "a", "b")
    output = _product(answer, contexts).apply(a, b)
    yield {"given": f"Product.apply(a, b), {words}", "seen": {"its grad_fn is the ctx of forward": output.grad_fn is contexts[0]}}
    saved = output.grad_fn.saved_tensors
    seen = [_data(tensor) for tensor in saved] if isinstance(saved, tuple) else described(saved)
    yield {"given": f"ctx.save_for_backward(a, b), {words}", "seen": {"saved_tensors": seen}}
    relu = _relu(answer).apply(a)
    saved = relu.grad_fn.saved_tensors
    seen = [_data(tensor) for tensor in saved] if isinstance(saved, tuple) else described(saved)
    yield {"given": f"ctx.save_for_backward(input), input = {a.data}", "seen": {"saved_tensors": seen}}


def _edges(answer: Answer, draw: Draw) -> Iterator[Case]:
    """One entry for each argument of forward, ctx left out, in the order of the call."""
    _, (a, b) = _leaves(draw, "a", "b")
    add, scale, c = _sum(answer), _scale(answer), Tensor(_number(draw))
    p = add.apply(a, b)
    known = {a.accumulate_grad: "AccumulateGrad of a", b.accumulate_grad: "AccumulateGrad of b", p.grad_fn: "the node of p"}
    calls = {
        "Sum.apply(a, b)": p,
        "Sum.apply(b, p), where p = Sum.apply(a, b)": add.apply(b, p),
        "Sum.apply(c, a), where c is a constant": add.apply(c, a),
        "Sum.apply(a, a)": add.apply(a, a),
        "Scale.apply(b, 3.0)": scale.apply(b, 3.0),
    }
    for call, output in calls.items():
        entries = output.grad_fn.next_functions
        seen = [_entry(entry, known) for entry in entries] if isinstance(entries, (list, tuple)) else described(entries)
        yield {"given": call, "seen": {"next_functions": seen}}


def _entry(entry: object, known: dict) -> str:
    if not (isinstance(entry, tuple) and len(entry) == 2):
        return described(entry)
    node, number = entry
    return f"({'None' if node is None else known.get(node, described(node))}, {number})"


def _call(answer: Answer, draw: Draw) -> Iterator[Case]:
    """A node that is called with a gradient runs backward, and gives a tuple, whatever backward returned."""
    words, (a, b) = _leaves(draw, "a", "b")
    upstream = _number(draw)
    given = f"{words}, upstream {upstream}"
    node = _product(answer).apply(a, b).grad_fn
    yield {"given": f"node(upstream) for Product.apply(a, b), {given}", "seen": {"gradients": _called(node, upstream)}}
    node = _identity(answer).apply(a).grad_fn
    yield {
        "given": f"node(upstream) for a backward that returns one gradient, {given}",
        "seen": {"gradients": _called(node, upstream)},
    }
    node = _scale(answer).apply(a, 3.0).grad_fn
    yield {
        "given": f"node(upstream) for a backward that returns (gradient, None), {given}",
        "seen": {"gradients": _called(node, upstream)},
    }


def _calls_apart(answer: Answer, draw: Draw) -> Iterator[Case]:
    """Two calls of one class, both backwards after both forwards; in either order, and of two classes."""
    words, (a, b, c, d) = _leaves(draw, "a", "b", "c", "d")
    product, scale, relu, upstream = _product(answer), _scale(answer), _relu(answer), _number(draw)
    first, second = product.apply(a, b).grad_fn, product.apply(c, d).grad_fn
    for node, call in ((first, "the first"), (second, "the second"), (first, "the first, again")):
        given = f"p = Product.apply(a, b), q = Product.apply(c, d), then the backward of {call}; {words}, upstream {upstream}"
        yield {"given": given, "seen": {"gradients": _called(node, upstream)}}
    first, second = scale.apply(a, 2.0).grad_fn, scale.apply(a, 3.0).grad_fn
    for node, call in ((first, "the first"), (second, "the second")):
        given = f"Scale.apply(a, 2.0), Scale.apply(a, 3.0), then the backward of {call}; upstream {upstream}"
        yield {"given": given, "seen": {"gradients": _called(node, upstream)}}
    first, second = product.apply(a, b).grad_fn, relu.apply(c).grad_fn
    for node, call in ((second, "MyReLU"), (first, "Product")):
        given = f"Product.apply(a, b), MyReLU.apply(c), then the backward of {call}; {words}, upstream {upstream}"
        yield {"given": given, "seen": {"gradients": _called(node, upstream)}}


def _not_recorded(answer: Answer, draw: Draw) -> Iterator[Case]:
    """What happens inside forward and backward leaves no trace: no second graph, and no mark on the arguments."""
    words, (a, b) = _leaves(draw, "a", "b")
    upstream = _number(draw)
    output = _identity(answer).apply(a)
    seen = {"a.grad_fn": "None" if a.grad_fn is None else "a node", "output is a itself": output is a}
    yield {"given": f"forward returns its input, {words}", "seen": seen}
    output = _fourth(answer).apply(a)
    inner = [described(node) for node, _ in output.grad_fn.next_functions if node is not a.accumulate_grad]
    seen = {"output": _data(output), "edges that do not lead to a": inner, "gradients": _called(output.grad_fn, upstream)}
    yield {"given": f"forward calls another Function, {words}, upstream {upstream}", "seen": seen}
    gradients = _product(answer).apply(a, b).grad_fn(Tensor(upstream))
    seen = {"gradients that have a graph of their own": sum(gradient.requires_grad for gradient in gradients)}
    yield {"given": f"the gradients of Product.apply(a, b), {words}", "seen": seen}


def _whole(answer: Answer, draw: Draw) -> Iterator[Case]:
    """The engine's backward goes through it, numbers and lists, beside the engine's own operations."""
    product, scale, relu = _product(answer), _scale(answer), _relu(answer)
    for data in (lambda: _number(draw), lambda: [[_number(draw) for _ in range(3)] for _ in range(2)]):
        x, w, upstream = Tensor(data(), requires_grad=True), Tensor(data(), requires_grad=True), Tensor(data())
        a = product.apply(x, w)
        b = relu.apply(a) + scale.apply(x, -3.0)
        y = product.apply(b, a)
        run_backward(y.gradient_edge[0], upstream)
        given = f"a = Product(x, w), b = MyReLU(a) + Scale(x, -3), y = Product(b, a); x = {x.data}, w = {w.data}"
        seen = {"y": _data(y), "x.grad": _data(x.grad), "w.grad": _data(w.grad)}
        yield {"given": f"{given}, upstream {upstream.data}", "seen": seen}


def function(node: type = engine.Node, detach: bool = True, constants: bool = True, always: bool = False) -> type:
    """The class; with other arguments than the defaults one that is wrong in a known way."""

    class Function:
        @classmethod
        def apply(cls, *args):
            ctx = node(cls)
            edges = [a.gradient_edge if isinstance(a, Tensor) else (None, 0) for a in args]
            ctx.next_functions = tuple(edge for edge in edges if constants or edge[0] is not None)
            output = cls.forward(ctx, *(a.detach() if detach and isinstance(a, Tensor) else a for a in args))
            if always or any(edge[0] for edge in edges):
                output.grad_fn = ctx
            return output

    return Function


class _OnClass(engine.Node):
    """What is saved sits on the class of the Function, one place for all calls."""

    @property
    def saved_tensors(self) -> tuple:
        return self.function.kept

    @saved_tensors.setter
    def saved_tensors(self, tensors: tuple) -> None:
        self.function.kept = tensors


class _OneForAll(engine.Node):
    """What is saved sits in one place for all Functions."""

    saved_tensors = ()

    def __init__(self, function: type) -> None:
        self.function, self.next_functions = function, ()

    def save_for_backward(self, *tensors: Tensor) -> None:
        _OneForAll.saved_tensors = tensors


class _Same(engine.Node):
    """One ctx for all calls of a Function."""

    def __new__(cls, function: type) -> "_Same":
        if "ctx" not in vars(function):
            function.ctx = super().__new__(cls)
        return function.ctx


class _OneCtx(engine.Node):
    """One ctx for all calls of all Functions."""

    only = None

    def __new__(cls, function: type) -> "_OneCtx":
        cls.only = cls.only or super().__new__(cls)
        return cls.only


class _Bare(engine.Node):
    """What backward returned, as it is."""

    def __call__(self, gradient: Tensor) -> object:
        return self.function.backward(self, gradient)


_SHARED = (
    "The second call has overwritten what the first one kept: it sits on a class. "
    "Make a ctx in each call of apply, and keep things on it, under self."
)

FUNCTION_APPLY = Exercise(
    name="function_apply",
    chapter="02_engine",
    probes=(
        Probe("form", _form, "Hand check your class Function itself; its apply returns the Tensor that forward made.", gate=True),
        Probe("output", _output, "apply returns what forward returned, with a grad_fn where an argument requires a gradient."),
        Probe("edges", _edges, "One entry for each argument: a Tensor's gradient_edge, (None, 0) for everything else."),
        Probe("node", _node, "ctx is the node: forward and backward get it, the output has it as grad_fn."),
        Probe("call", _call, "node(gradient) returns what backward(ctx, gradient) gives, as a tuple."),
        Probe("calls apart", _calls_apart, _SHARED),
        Probe("not recorded", _not_recorded, "forward gets arguments without a graph: a.detach() for each Tensor."),
        Probe("whole graph", _whole, "Each part is right, and together they are not: what does one call change for another?"),
    ),
    reference=function(),
    slips=(
        Slip(function(always=True), "Where no argument requires a gradient there is nothing to go back to: grad_fn stays None."),
        Slip(
            function(constants=False),
            "Constants and numbers have dropped out of next_functions: (None, 0) keeps the others in their places.",
        ),
        Slip(function(node=_Bare), "backward may return one gradient or a tuple of them: the node makes a tuple of both."),
        Slip(function(node=_OnClass), _SHARED),
        Slip(function(node=_OneForAll), _SHARED),
        Slip(function(node=_Same), _SHARED),
        Slip(function(node=_OneCtx), _SHARED),
        Slip(
            function(detach=False),
            "forward computes on the arguments themselves: what it does is recorded too, and an input that it returns is marked "
            "as made by it. Hand it a.detach() for each Tensor.",
        ),
    ),
    errors=(
        (r"'requires_grad'|no setter|can't set", "requires_grad follows from grad_fn: give the output its grad_fn alone."),
        (r"has no attribute '(gradient_edge|detach)'", "Not every argument is a Tensor: ask isinstance(a, Tensor) first."),
        (r"has no attribute 'next_functions'", "The node has no next_functions: give ctx one entry for each argument."),
        (r"has no attribute 'saved_tensors'", "What save_for_backward gets must be there as ctx.saved_tensors."),
        (
            r"object is not callable",
            "The engine calls a node with a gradient: write __call__, which runs backward.",
        ),
        (r"has no attribute 'grad_fn'", "apply returns something that is no Tensor: return what forward returned."),
        (r"must implement|NotImplemented\b", "apply runs cls.forward, which is the subclass's."),
    ),
    hints=(
        "What does a call of forward know that its backward will need, and where does it lie so that no other call can reach it?",
        "apply: a new ctx; its next_functions, an entry for each argument; output = forward(ctx, *arguments without a graph); "
        "output.grad_fn = ctx if a node stands in next_functions.",
        "`ctx.next_functions = tuple(a.gradient_edge if isinstance(a, Tensor) else (None, 0) for a in args)`, and in `__call__` "
        "`gradients = self.function.backward(self, gradient)`.",
    ),
)

EXERCISES = (FUNCTION_APPLY,)
