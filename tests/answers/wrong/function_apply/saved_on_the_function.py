"""What is saved sits on the class of the Function.

Meets: calls apart: The second call has overwritten
"""

from handgrad.engine import Tensor


class Node:
    def __init__(self, function):
        self.function, self.next_functions = function, ()

    def save_for_backward(self, *tensors):
        self.function.saved = tensors

    @property
    def saved_tensors(self):
        return self.function.saved

    def __call__(self, gradient):
        gradients = self.function.backward(self, gradient)
        return gradients if isinstance(gradients, tuple) else (gradients,)


class Function:
    @classmethod
    def apply(cls, *args):
        ctx = Node(cls)
        ctx.next_functions = tuple(a.gradient_edge if isinstance(a, Tensor) else (None, 0) for a in args)
        output = cls.forward(ctx, *(a.detach() if isinstance(a, Tensor) else a for a in args))
        if any(node is not None for node, _ in ctx.next_functions):
            output.grad_fn = ctx
        return output
