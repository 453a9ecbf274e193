"""The exercise `seed_bugs` of chapter 06: find and repair the four faults of a LinearFunction that was copied for years."""

import ast
import re
from collections.abc import Callable, Iterator

import torch
from torch import nn
from torch.nn.functional import linear

from handgrad.audit import layers
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described, plain
from handgrad.audit.subject import leaves, oracle
from handgrad.exercises.exercise import Exercise, Probe, Slip
from handgrad.exercises.linear import LINEAR_ANY_SHAPE, linear_args


class _SeedFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_bias = None if bias is None else grad_output.sum(0).squeeze(0)
        return grad_output.mm(weight), grad_output.t().mm(input), grad_bias


class _SeedLinear(nn.Module):
    def __init__(self, input_features: int, output_features: int, bias: bool = True) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.Tensor(output_features, input_features))
        if bias:
            self.bias = nn.Parameter(torch.Tensor(output_features))
        else:
            self.register_parameter("bias", None)
        self.weight.data.uniform_(-0.1, 0.1)
        if bias is not None:
            self.bias.data.uniform_(-0.1, 0.1)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return _SeedFunction.apply(input, self.weight, self.bias)


# each fault, and the error by which it shows
FAULTS = {
    "import": r"NameError: name 'nn' is not defined",
    "bias=False": r"AttributeError: 'NoneType' object has no attribute 'data'",
    "one output": r"RuntimeError: .*invalid gradient at index 2 - got \[\]",
    "2-D only": r"RuntimeError: .*(must be a matrix|2D|2-D)",
}


def _meets(line: object, world: dict) -> str:
    """The fault that a line of Python meets in a world, else what happens instead."""
    if not isinstance(line, str):
        return f"no text, but {described(line)}"
    if len(line.strip().splitlines()) != 1:
        return "not one line"
    try:
        exec(line.strip(), dict(world))
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return next((fault for fault, pattern in FAULTS.items() if re.search(pattern, text, re.DOTALL)), text.splitlines()[0])
    return "no error"


def _failing_lines(answer: tuple, draw: Draw) -> Iterator[Case]:
    """Each line fails on the seed's program by its own fault."""
    lines = answer[0]()
    for fault in FAULTS:
        world = {"torch": torch, "LinearFunction": _SeedFunction}
        if fault != "import":
            world |= {"nn": nn, "Linear": _SeedLinear}
        seen = _meets(lines.get(fault), world) if isinstance(lines, dict) else f"no dict, but {described(lines)}"
        yield {"given": f'the line for "{fault}", run on the seed\'s program', "seen": {"the fault it meets": seen}}


def _lines_pass(answer: tuple, draw: Draw) -> Iterator[Case]:
    """The same lines run on the repaired program."""
    lines, (function, layer) = answer[0](), answer[1]()
    world = {"torch": torch, "nn": nn, "LinearFunction": function, "Linear": layer}
    for fault in FAULTS:
        yield {"given": f'the line for "{fault}", run on your program', "seen": {"what happens": _meets(lines[fault], world)}}


def _one_output(answer: tuple, draw: Draw) -> Iterator[Case]:
    yield from layers.forward_backward(answer[1]()[1], draw, draw.normal(3, 4).requires_grad_(), 1)
    args = linear_args(draw, (3,), 4, 1)
    grads = answer[1]()[0].apply(*leaves(args)).grad_fn.apply(draw.normal(3, 1))
    yield {"given": "y.grad_fn.apply(upstream), one output", "seen": {"gradient of bias": plain(grads[2])}}


def _any_leading(answer: tuple, draw: Draw) -> Iterator[Case]:
    for leading in ((5,), (), (2, 3), (2, 1, 2)):
        yield from layers.forward_backward(answer[1]()[1], draw, draw.normal(*leading, 4).requires_grad_(), 3)


def _of_the_layer(probe: Callable) -> Callable:
    return lambda answer, draw: probe(answer[1]()[1], draw)


def _imports_nn(source: str) -> str | None:
    """`nn` may be there because another cell imported it: only the text tells."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    if "raise NotImplementedError" in source:
        return None  # not started yet
    used = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "nn"]
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    assigned = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    if used and "nn" not in imported | assigned:
        return f"line {min(used)} uses nn, which this cell never imports. Write `from torch import nn` at its top."
    return None


def _hides_nothing(source: str) -> str | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    caught = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Try)]
    return f"line {caught[0]} catches errors: repair the line that raises instead." if caught else None


def _form(answer: object, draw: Draw) -> Iterator[Case]:
    pair = isinstance(answer, tuple) and len(answer) == 2 and all(map(callable, answer))
    yield {"given": "the answer itself", "seen": {"what it is": "two functions" if pair else described(answer)}}


def reference_lines() -> dict[str, str]:
    """One line for each fault."""
    return {
        "import": "nn.Module",
        "bias=False": "Linear(4, 3, bias=False)",
        "one output": "Linear(4, 1)(torch.ones(2, 4)).sum().backward()",
        "2-D only": "Linear(4, 3)(torch.ones(5, 2, 4))",
    }


REFERENCE = oracle(linear)

SEED_BUGS = Exercise(
    name="seed_bugs",
    chapter="06_linear",
    probes=(
        Probe("form", _form, "Hand check both functions, (failing_lines, repaired).", gate=True),
        Probe("failing lines", _failing_lines, "On the seed's program this line must fail, and by this fault."),
        Probe("bias=False", _of_the_layer(layers.without_bias), "The flag `bias` is never None: ask whether self.bias is."),
        Probe("one output", _one_output, "The sum over the batch has shape (out,) already: squeeze takes the 1 out of (1,)."),
        Probe("leading dimensions", _any_leading, "matmul takes any leading dimensions; flatten them for weight and bias."),
        Probe("numbers", _of_the_layer(layers.numbers), "The repair changed what was right: compare with the three formulas."),
        Probe("parameters", _of_the_layer(layers.parameters), "The parameters are weight (out, in) and bias (out,), as before."),
        Probe("initialised", _of_the_layer(layers.initialised), "A parameter is never filled: keep the seed's uniform_."),
        Probe("lines pass", _lines_pass, "The line still fails on your repaired program."),
    ),
    reference=(reference_lines, lambda: (REFERENCE, layers.layer_of(REFERENCE))),
    slips=tuple(
        Slip((reference_lines, lambda slip=slip: (slip.answer, layers.layer_of(slip.answer))), slip.text)
        for slip in LINEAR_ANY_SHAPE.slips
    ),
    errors=(
        (r"object has no attribute 'data'", "`if bias is not None` asks the flag, which is never None: ask self.bias."),
        (r"name 'nn' is not defined", "The program never imports nn: `from torch import nn` at its top."),
        *LINEAR_ANY_SHAPE.errors,
    ),
    rules=(_imports_nn, _hides_nothing),
    hints=(
        "Run the program part by part in a fresh kernel: which line stops, and what does torch say?",
        "nn is never imported; `bias` is a flag and never None; squeeze eats the 1 of (1,); mm takes matrices only.",
        "`from torch import nn`, `if self.bias is not None`, no squeeze, and `@` with `reshape(-1, features)` in place of mm.",
    ),
)  # fmt: skip

EXERCISES = (SEED_BUGS,)
