"""The node is a dataclass that holds backward as a function."""

from dataclasses import dataclass, field
from typing import Any

from handgrad.engine import Tensor


@dataclass(eq=False)
class Node:
    run: Any
    next_functions: list = field(default_factory=list)
    saved_tensors: tuple = ()

    def save_for_backward(self, *saved):
        self.saved_tensors = saved

    def __call__(self, gradient):
        result = self.run(self, gradient)
        return (result,) if result is None or isinstance(result, Tensor) else tuple(result)


class Function:
    @classmethod
    def apply(cls, *args):
        ctx = Node(cls.backward)
        needs = False
        plain = []
        for a in args:
            edge = (None, 0)
            if isinstance(a, Tensor):
                edge, a = a.gradient_edge, Tensor(a.data)
            needs = needs or edge[0] is not None
            ctx.next_functions.append(edge)
            plain.append(a)
        output = cls.forward(ctx, *plain)
        output.grad_fn = ctx if needs else None
        return output
