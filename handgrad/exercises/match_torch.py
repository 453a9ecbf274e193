"""The exercise `match_torch` of chapter 02: four Functions on the small engine, against torch on random graphs."""

from collections.abc import Callable, Iterator

import torch

from handgrad import engine
from handgrad.audit.draw import Draw, tensor
from handgrad.audit.formats import show
from handgrad.audit.record import Case, described, plain, plain_float
from handgrad.engine import Data, Tensor, each
from handgrad.exercises.exercise import Exercise, Probe, Slip

NAMES = ("Mul", "ReLU", "MatMul", "Sum")
BY_TORCH = {"Mul": torch.mul, "ReLU": torch.relu, "MatMul": torch.matmul, "Sum": torch.sum}
TOLERANCE = [1e-12, 1e-12]
LARGEST = 20.0  # so that rounding stays far below the tolerance
SMALLEST = 0.1  # of a graph's largest gradient, so that there is something to compare
CLOSEST = 0.01  # to the kink of ReLU

Functions = tuple  # of four classes
Step = tuple  # (name of the result, name of the Function, names of its arguments)


def _numbers(draw: Draw, *shape: int, scale: float = 1.0) -> Data:
    return draw.normal(*shape, scale=scale).tolist()


def _run(functions: dict[str, Callable], steps: list[Step], leaves: dict) -> dict:
    """All tensors of a program by name, leaves first."""
    tensors = dict(leaves)
    for name, function, arguments in steps:
        tensors[name] = functions[function](*(tensors[argument] for argument in arguments))
    return tensors


def _by_torch(steps: list[Step], data: dict[str, Data], upstream: Data | None) -> tuple[dict, dict[str, Data]]:
    """torch's tensors of a program, and its gradients for the leaves."""
    leaves = {name: tensor(value).requires_grad_() for name, value in data.items()}
    tensors = _run(BY_TORCH, steps, leaves)
    last = list(tensors.values())[-1]
    if upstream is not None:
        last.backward(tensor(upstream))
    return tensors, {name: None if leaf.grad is None else leaf.grad.tolist() for name, leaf in leaves.items()}


def _case(answer: Functions, steps: list[Step], data: dict[str, Data], upstream: Data) -> Case:
    """A program on the learner's Functions; what is accepted is what torch gives."""
    functions = {name: function.apply for name, function in zip(NAMES, answer, strict=True)}
    leaves = {name: Tensor(value, requires_grad=True) for name, value in data.items()}
    tensors = _run(functions, steps, leaves)
    last = steps[-1][0]
    seen = {last: _data(tensors[last])}
    tensors[last].backward(Tensor(upstream))
    seen |= {f"{name}.grad": _data(leaf.grad) for name, leaf in leaves.items()}
    expected, grads = _by_torch(steps, data, upstream)
    accept = {last: [expected[last].tolist()]} | {f"{name}.grad": [grad] for name, grad in grads.items()}
    program = ", ".join(f"{name} = {function}({', '.join(arguments)})" for name, function, arguments in steps)
    inputs = ", ".join(f"{name} = {show(value)}" for name, value in data.items())
    given = f"{program}; {inputs}, upstream {show(upstream)}"
    return {"given": given, "seen": seen, "accept": accept, "tolerance": TOLERANCE}


def _data(value: object) -> object:
    if not isinstance(value, Tensor):
        return described(value)
    try:
        return each(lambda number: plain_float(float(number)), value.data)
    except (TypeError, ValueError):
        return plain(value.data)


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    given, expected = "the answer itself", "four classes (Mul, ReLU, MatMul, Sum), each a subclass of the engine's Function"
    seen = expected
    if not (isinstance(answer, tuple) and len(answer) == len(NAMES)):
        seen = described(answer)
    else:
        odd = [part for part in answer if not (isinstance(part, type) and issubclass(part, engine.Function))]
        ours = [part for part in answer if part in (engine.Add, engine.Mul, engine.Clamp)]
        if odd:
            seen = f"the class {odd[0].__name__}, no subclass of it" if isinstance(odd[0], type) else described(odd[0])
        elif ours:
            seen = f"the engine's own {ours[0].__name__}"
        elif any("forward" not in vars(part) or "backward" not in vars(part) for part in answer):
            seen = "a class without a forward and a backward of its own"
    yield {"given": given, "seen": {"what it is": seen}}


def _alone(function: str, *shapes: tuple[tuple[int, ...], ...]) -> Callable[[Functions, Draw], Iterator[Case]]:
    """One Function alone, under a signed upstream gradient."""

    def observe(answer: Functions, draw: Draw) -> Iterator[Case]:
        for arguments in shapes:
            data = {name: _numbers(draw, *shape) for name, shape in zip("ab", arguments, strict=False)}
            steps = [("y", function, tuple(data))]
            tensors, _ = _by_torch(steps, data, None)
            yield _case(answer, steps, data, _numbers(draw, *tensors["y"].shape, scale=100.0))

    return observe


def _relu_alone(answer: Functions, draw: Draw) -> Iterator[Case]:
    """Also close to the kink and far from it, where a threshold that is off or a gradient that is clipped shows."""
    yield from _alone("ReLU", ((),), ((4,),), ((2, 3),))(answer, draw)
    extremes = [1e-9, -1e-9, 1e6, -1e6]
    yield _case(answer, [("y", "ReLU", ("a",))], {"a": extremes}, _numbers(draw, 4, scale=100.0))


def _same_argument(answer: Functions, draw: Draw) -> Iterator[Case]:
    """A tensor that stands for both arguments, and a call of each Function on the result of another call of it."""
    square = _numbers(draw, 2, 2)
    for steps in (
        [("y", "Mul", ("a", "a"))],
        [("y", "MatMul", ("a", "a"))],
        [("p", "MatMul", ("a", "a")), ("y", "MatMul", ("p", "a"))],
        [("p", "Mul", ("a", "a")), ("q", "ReLU", ("a",)), ("r", "ReLU", ("p",)), ("y", "Mul", ("q", "r"))],
        [("s", "Sum", ("a",)), ("p", "Mul", ("a", "a")), ("t", "Sum", ("p",)), ("y", "Mul", ("s", "t"))],
    ):
        tensors, _ = _by_torch(steps, {"a": square}, None)
        yield _case(answer, steps, {"a": square}, _numbers(draw, *tensors["y"].shape))


def _untouched(answer: Functions, draw: Draw) -> Iterator[Case]:
    """What was handed in is afterwards what it was: inputs, and the upstream gradient, which other nodes hold too."""
    for name, function, shapes in zip(NAMES, answer, (((2, 2),) * 2, ((2, 2),), ((2, 2),) * 2, ((2, 2),)), strict=True):
        data = [_numbers(draw, *shape) for shape in shapes]
        upstream = _numbers(draw) if name == "Sum" else _numbers(draw, 2, 2)
        given = f"{name} of {' and '.join(map(show, data))}, upstream {show(upstream)}"
        leaves = [Tensor(each(float, part), requires_grad=True) for part in data]
        handed = Tensor(each(float, upstream))
        output = function.apply(*leaves)
        node, first = output.grad_fn, _data(output)
        node(handed)
        seen = {
            "inputs": [_data(leaf) for leaf in leaves],
            "upstream after backward": _data(handed),
            "output after backward": _data(output),
            "gradients, second call of backward": [_data(part) for part in node(Tensor(each(float, upstream)))],
        }
        yield {"given": given, "seen": seen, "accept": {"output after backward": [first]}, "tolerance": TOLERANCE}


def _program(draw: Draw) -> tuple[list[Step], dict[str, Data]]:
    """A random program: each step takes the tensor before, and where it needs a second one that fits, any that is there."""
    rows, columns = draw.integer(2, 3), draw.integer(2, 3)
    sizes = {"x": (rows, columns), "w": (columns, draw.integer(1, 3)), "v": (rows, columns)}
    data = {name: _numbers(draw, *size) for name, size in sizes.items()}
    shapes: dict[str, tuple[int, ...]] = dict(sizes)
    steps: list[Step] = []
    for name in "abcdefg"[: draw.integer(4, 7)]:
        last = steps[-1][0] if steps else "x"
        steps.append((name, *_step(draw, last, shapes)))
        shapes[name] = _shape(*steps[-1][1:], shapes)
    return steps, data


def _step(draw: Draw, last: str, shapes: dict[str, tuple[int, ...]]) -> tuple[str, tuple[str, ...]]:
    matrix = shapes[last]
    same = [name for name, shape in shapes.items() if shape == matrix]
    possible = [("Mul", (last, draw.choice(same))), ("Mul", (draw.choice(same), last)), ("ReLU", (last,))]
    if matrix:
        possible.append(("Sum", (last,)))
        right = [name for name, shape in shapes.items() if shape and shape[0] == matrix[1]]
        left = [name for name, shape in shapes.items() if shape and shape[1] == matrix[0]]
        possible += [("MatMul", (last, draw.choice(right)))] * 2 if right else []
        possible += [("MatMul", (draw.choice(left), last))] * 2 if left else []
    return draw.choice(possible)


def _shape(function: str, arguments: tuple[str, ...], shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    if function == "Sum":
        return ()
    if function == "MatMul":
        return shapes[arguments[0]][0], shapes[arguments[1]][1]
    return shapes[arguments[0]]


def _is_tame(steps: list[Step], data: dict[str, Data], upstream: Data) -> bool:
    """Whether no number is large, none so close to ReLU's kink that rounding decides, and some gradient of a fair size."""
    tensors, grads = _by_torch(steps, data, upstream)
    kinks = [tensors[arguments[0]] for _, function, arguments in steps if function == "ReLU"]
    sizes = [value.abs().max().item() for value in tensors.values()]
    slopes = [tensor(grad).abs().max().item() for grad in grads.values() if grad is not None]
    return max(sizes + slopes) < LARGEST and all(value.abs().min() > CLOSEST for value in kinks) and max(slopes) > SMALLEST


def _twenty(answer: Functions, draw: Draw) -> Iterator[Case]:
    for _ in range(20):
        while True:
            steps, data = _program(draw)
            tensors, _ = _by_torch(steps, data, None)
            upstream = _numbers(draw, *tensors[steps[-1][0]].shape)
            if len({function for _, function, _ in steps}) >= 3 and _is_tame(steps, data, upstream):
                break
        used = {name for step in steps for name in step[2]}
        yield _case(answer, steps, {name: value for name, value in data.items() if name in used}, upstream)


def _known(forward: Callable, backward: Callable) -> type[engine.Function]:
    """A Function from what it does with data: `forward(*data)`, and `backward(upstream, *data)` with a tuple of gradients."""

    class Known(engine.Function):
        @staticmethod
        def forward(ctx, *args):
            ctx.save_for_backward(*args)
            return Tensor(forward(*(a.data for a in args)))

        @staticmethod
        def backward(ctx, grad_output):
            return tuple(map(Tensor, backward(grad_output.data, *(a.data for a in ctx.saved_tensors))))

    return Known


def _times(p: Data, q: Data) -> Data:
    return each(lambda left, right: left * right, p, q)


def _product(p: list, q: list) -> list:
    return [[sum(map(_times, row, column)) for column in zip(*q, strict=True)] for row in p]


def _t(p: list) -> list:
    return [list(column) for column in zip(*p, strict=True)]


def _total(p: Data) -> float:
    return sum(map(_total, p)) if isinstance(p, list) else p


def _relu(p: Data) -> Data:
    return each(lambda value: max(value, 0.0), p)


def _open(p: Data) -> Data:
    return each(lambda value: value > 0, p)


def _filled(p: Data, value: float) -> Data:
    return each(lambda _: value, p)


_RIGHT = {
    "Mul": (_times, lambda g, a, b: (_times(g, b), _times(g, a))),
    "ReLU": (_relu, lambda g, a: (_times(g, _open(a)),)),
    "MatMul": (_product, lambda g, a, b: (_product(g, _t(b)), _product(_t(a), g))),
    "Sum": (_total, lambda g, a: (_filled(a, g),)),
}


def _four(**backward: Callable) -> Functions:
    """The four Functions; with other backwards than the right ones."""
    return tuple(_known(_RIGHT[name][0], backward.get(name, _RIGHT[name][1])) for name in NAMES)


_FORGOTTEN = (
    "backward forgets grad_output: right under an upstream gradient of ones, and nowhere else. Multiply by it, with its sign."
)
_SHAPES = "With G for grad_output, A's gradient is G Bᵀ and B's is Aᵀ G: no other products fit for all shapes."

_NOT_SQUARE = ((r"IndexError|zip\(\)", f"Not every matrix is square: A is (n, k), and B is (k, m). {_SHAPES}"),)

MATCH_TORCH = Exercise(
    name="match_torch",
    chapter="02_engine",
    probes=(
        Probe("form", _form, "Hand check (Mul, ReLU, MatMul, Sum), each a subclass of the engine's Function.", gate=True),
        Probe(
            "mul",
            _alone("Mul", ((), ()), ((3,), (3,)), ((2, 3), (2, 3))),
            "The derivative for one factor is the other factor, times grad_output, number by number.",
        ),
        Probe(
            "relu",
            _relu_alone,
            "grad_output goes through where the input is positive, unchanged, and nowhere else.",
        ),
        Probe(
            "matmul",
            _alone("MatMul", ((2, 2), (2, 2)), ((2, 3), (3, 4)), ((1, 3), (3, 1)), ((3, 1), (1, 2))),
            _SHAPES,
            errors=_NOT_SQUARE,
        ),
        Probe(
            "sum",
            _alone("Sum", ((3,),), ((2, 3),), ((3, 1),)),
            "The output is one number, and each number of the input has slope 1: grad_output goes back to every place.",
        ),
        Probe(
            "together",
            _same_argument,
            "Alone each one is right, so a call overwrites what another has kept: save on ctx, not on the class.",
        ),
        Probe("untouched", _untouched, "Write into no list that you were given: the input and grad_output belong to others too."),
        Probe("20 graphs", _twenty, "Alone each one is right: something in it holds for some shapes or numbers only."),
    ),
    reference=_four(),
    slips=(
        Slip(_four(Mul=lambda g, a, b: (b, a)), _FORGOTTEN),
        Slip(_four(Mul=lambda g, a, b: (_times(g, a), _times(g, b))), "The factors are swapped: a's gradient has b in it."),
        Slip(_four(ReLU=lambda g, a: (_open(a),)), _FORGOTTEN),
        Slip(_four(ReLU=lambda g, a: (g,)), "Every gradient goes through; where the input is negative, the slope is 0."),
        Slip(_four(ReLU=lambda g, a: (_relu(g),)), "The mask asks the gradient for its sign; it must ask the input."),
        Slip(
            _four(ReLU=lambda g, a: (_times(g, _relu(a)),)), "The slope is 1 where the input is positive, not the input itself."
        ),
        Slip(_four(MatMul=lambda g, a, b: (_product(_filled(g, 1.0), _t(b)), _product(_t(a), _filled(g, 1.0)))), _FORGOTTEN),
        Slip(_four(MatMul=lambda g, a, b: (_product(g, b), _product(a, g))), f"A transpose is missing. {_SHAPES}"),
        Slip(_four(MatMul=lambda g, a, b: (_product(_t(b), g), _product(g, _t(a)))), f"The order is turned round. {_SHAPES}"),
        Slip(_four(MatMul=lambda g, a, b: (_product(_t(a), g), _product(g, _t(b)))), f"The two gradients are swapped. {_SHAPES}"),
        Slip(_four(Sum=lambda g, a: (_filled(a, 1.0),)), _FORGOTTEN),
        Slip(_four(Sum=lambda g, a: (g,)), "The gradient is a single number: give it the shape of the input."),
        Slip(
            _four(Sum=lambda g, a: (_times(_filled(a, g), a),)),
            "The input does not matter for a sum: each number of it has slope 1.",
        ),
    ),
    errors=(
        (
            r"for \*: 'Tensor' and '(int|float)'|'(int|float)' object has no attribute 'data'",
            "The engine's Tensors multiply Tensors only: for a number, work on the data with each.",
        ),
        (r"'list' object has no attribute|'Tensor' object is not (iterable|subscriptable)", "A Tensor's lists are in .data."),
        (
            r"zip\(\) argument 2 is (shorter|longer)",
            "backward returns one gradient for each argument of forward, and shapes must fit.",
        ),
        (
            r"object is not iterable|can't multiply sequence",
            "Data may be a number, or lists in lists: use each, which goes through all.",
        ),
        (r"has no attribute 'grad_fn'", "forward returns a Tensor: put one around the data, Tensor(…)."),
        (
            r"has no attribute '(matmul|relu|sum|T|mm|t|shape|clone)'",
            "The engine has no such method: work on the lists in .data.",
        ),
    ),
    hints=(
        "What does each number of the output do when one number of the input grows a little? Which inputs must backward know?",
        "With G for grad_output: Mul (G b, G a); ReLU G where the input is positive, else 0; MatMul (G Bᵀ, Aᵀ G); "
        "Sum G in each place of the input.",
        "MatMul: `grad_a = product(grad_output.data, transposed(b.data))`, and so for b; each in a `Tensor(…)`. "
        "Sum: `return Tensor(each(lambda _: grad_output.data, input.data))`.",
    ),
)

EXERCISES = (MATCH_TORCH,)
