"""Returns what backward returned, whatever it is.

Meets: call: the node makes a tuple of both
"""

from handgrad.engine import Tensor


class Node:
    def __init__(self, function):
        self.function, self.next_functions, self.saved_tensors = function, (), ()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def __call__(self, gradient):
        return self.function.backward(self, gradient)


class Function:
    @classmethod
    def apply(cls, *args):
        ctx = Node(cls)
        ctx.next_functions = tuple(a.gradient_edge if isinstance(a, Tensor) else (None, 0) for a in args)
        output = cls.forward(ctx, *(a.detach() if isinstance(a, Tensor) else a for a in args))
        if any(node is not None for node, _ in ctx.next_functions):
            output.grad_fn = ctx
        return output
