"""forward gets the arguments as they are; output and gradients are made anew, without a graph."""

from handgrad.engine import Tensor


class Node:
    def __init__(self, function, edges):
        self.function = function
        self.next_functions = edges
        self.saved = []

    def save_for_backward(self, *tensors):
        self.saved = [tensor.detach() for tensor in tensors]

    @property
    def saved_tensors(self):
        return tuple(self.saved)

    def __call__(self, gradient):
        gradients = self.function.backward(self, gradient)
        if isinstance(gradients, Tensor):
            gradients = [gradients]
        return tuple(gradients)


class Function:
    @classmethod
    def apply(cls, *args):
        edges = [getattr(arg, "gradient_edge", (None, 0)) for arg in args]
        ctx = Node(cls, edges)
        output = Tensor(cls.forward(ctx, *args).data)
        if edges.count((None, 0)) < len(edges):
            output.grad_fn = ctx
        return output
