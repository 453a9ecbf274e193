"""Each Function has one ctx, made once.

Meets: edges: Make a ctx in each call
"""

from handgrad.engine import Tensor


contexts = {}


class Node:
    def __init__(self, function):
        self.function, self.next_functions, self.saved_tensors = function, (), ()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def __call__(self, gradient):
        gradients = self.function.backward(self, gradient)
        return gradients if isinstance(gradients, tuple) else (gradients,)


class Function:
    @classmethod
    def apply(cls, *args):
        ctx = contexts.setdefault(cls, Node(cls))
        ctx.next_functions = tuple(a.gradient_edge if isinstance(a, Tensor) else (None, 0) for a in args)
        output = cls.forward(ctx, *(a.detach() if isinstance(a, Tensor) else a for a in args))
        if any(node is not None for node, _ in ctx.next_functions):
            output.grad_fn = ctx
        return output
