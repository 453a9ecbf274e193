"""The engine of chapter 02, finished: torch's autograd in pure Python, for numbers and for lists of them.

The chapter builds it piece by piece under the same names; `tests/test_engine.py` holds the two together.
"""

from collections import Counter
from collections.abc import Callable

Data = float | list


class Tensor:
    """Data, and where its gradient goes.

    Args:
        data: a number, or lists of numbers in lists.
        requires_grad: makes it a leaf that gradients are added to, in `grad`.
    """

    def __init__(self, data: Data, requires_grad: bool = False) -> None:
        self.data, self.grad, self.grad_fn = data, None, None
        self.accumulate_grad = AccumulateGrad(self) if requires_grad else None

    @property
    def gradient_edge(self) -> tuple:
        """`(node, 0)`: who takes the gradient for this tensor; `(None, 0)` where nobody does."""
        return (self.grad_fn or self.accumulate_grad), 0

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient for this tensor is of use to anybody."""
        return self.gradient_edge[0] is not None

    def detach(self) -> "Tensor":
        """The same data, without what lies behind."""
        return Tensor(self.data)

    def tolist(self) -> Data:
        """The data alone."""
        return self.data

    def backward(self, gradient: "Tensor | None" = None) -> None:
        """Add to each leaf's `grad` the vector-Jacobian product of `gradient`, which is 1 for a number."""
        if gradient is None and isinstance(self.data, list):
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        run_backward(self.gradient_edge[0], gradient or Tensor(1.0))

    def __add__(self, other: "Tensor") -> "Tensor":
        return Add.apply(self, other)

    def __mul__(self, other: "Tensor") -> "Tensor":
        return Mul.apply(self, other)

    def __gt__(self, number: float) -> "Tensor":
        return Tensor(each(lambda v: v > number, self.data))

    def clamp(self, min: float) -> "Tensor":
        """Numbers below `min` become `min`."""
        return Clamp.apply(self, min)


class Node:
    """One call of a Function: `ctx` while it runs, and its node in the graph afterwards."""

    def __init__(self, function: "type[Function]") -> None:
        self.function = function
        self.next_functions = self.saved_tensors = ()

    def name(self) -> str:
        """The Function's name, as torch forms it: `MyReLUBackward`."""
        return self.function.__name__ + "Backward"

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for backward, as `saved_tensors`."""
        self.saved_tensors = tensors

    def __call__(self, gradient: Tensor) -> tuple:
        """The gradients for the inputs, given the one for the output."""
        gradients = self.function.backward(self, gradient)
        return gradients if isinstance(gradients, tuple) else (gradients,)


class AccumulateGrad:
    """The node of a leaf, at the end of every path: what arrives is added to `variable.grad`."""

    next_functions = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable

    def name(self) -> str:
        """Its name in torch."""
        return "torch::autograd::AccumulateGrad"

    def __call__(self, gradient: Tensor) -> tuple:
        """Add one gradient; nothing is sent on."""
        leaf = self.variable
        leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient
        return ()


class Function:
    """A computation with its derivative: two static methods, `forward(ctx, *args)` and `backward(ctx, grad_output)`."""

    @classmethod
    def apply(cls, *args: object) -> Tensor:
        """Run forward, and put one node behind its output."""
        ctx = Node(cls)
        ctx.next_functions = tuple(a.gradient_edge if isinstance(a, Tensor) else (None, 0) for a in args)
        values = (a.detach() if isinstance(a, Tensor) else a for a in args)
        output = cls.forward(ctx, *values)
        if any(node for node, _ in ctx.next_functions):
            output.grad_fn = ctx
        return output


def receivers(sender: Node | AccumulateGrad) -> list:
    """The nodes that a node sends to, in the order of the arguments."""
    return [node for node, _ in sender.next_functions if node is not None]


def topological_order(root: Node | AccumulateGrad) -> list:
    """All nodes that gradients reach from `root`, each after all that send to it."""
    missing, found = Counter(), [root]
    for node in found:  # which grows on the way
        found += [n for n in dict.fromkeys(receivers(node)) if n not in missing]
        missing.update(receivers(node))
    order = [root]
    for node in order:  # which grows too
        missing.subtract(receivers(node))
        order += [n for n in dict.fromkeys(receivers(node)) if missing[n] == 0]
    return order


def run_backward(root: Node | AccumulateGrad, gradient: Tensor) -> None:
    """Hand `gradient` to `root`, and what each node sends to those behind it, summed where ways meet."""
    arrived = {root: gradient}
    for node in topological_order(root):
        if node not in arrived:
            continue
        sent = node(arrived.pop(node))
        for (following, _), part in zip(node.next_functions, sent, strict=True):
            if following is not None and part is not None:
                if following in arrived:
                    part = arrived[following] + part
                arrived[following] = part


def each(f: Callable, *data: Data) -> Data:
    """`f` of numbers, or of the numbers that stand at the same place of lists."""
    if any(isinstance(part, list) for part in data):
        return [each(f, *parts) for parts in zip(*data, strict=True)]
    return f(*data)


class Add(Function):
    """a + b."""

    @staticmethod
    def forward(ctx: Node, a: Tensor, b: Tensor) -> Tensor:
        return Tensor(each(lambda p, q: p + q, a.data, b.data))

    @staticmethod
    def backward(ctx: Node, grad_output: Tensor) -> tuple:
        return grad_output, grad_output


class Mul(Function):
    """a * b."""

    @staticmethod
    def forward(ctx: Node, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return Tensor(each(lambda p, q: p * q, a.data, b.data))

    @staticmethod
    def backward(ctx: Node, grad_output: Tensor) -> tuple:
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


class Clamp(Function):
    """input where it is at least min, else min; the slope at min itself is 1, as in torch."""

    @staticmethod
    def forward(ctx: Node, input: Tensor, min: float) -> Tensor:
        is_open = each(lambda v: v >= min, input.data)
        ctx.save_for_backward(Tensor(is_open))
        return Tensor(each(lambda v: v if v >= min else float(min), input.data))

    @staticmethod
    def backward(ctx: Node, grad_output: Tensor) -> tuple:
        (is_open,) = ctx.saved_tensors
        return grad_output * is_open, None
