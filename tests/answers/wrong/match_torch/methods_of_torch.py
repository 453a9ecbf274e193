"""Writes as if the engine had torch's methods.

Meets: matmul: The engine has no such method
"""

from handgrad.engine import Function, Tensor, each


def product(p, q):
    return [[sum(u * v for u, v in zip(row, column)) for column in zip(*q)] for row in p]


def transposed(p):
    return [list(column) for column in zip(*p)]


def total(data):
    return sum(map(total, data)) if isinstance(data, list) else data


class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return Tensor(each(lambda u, v: u * v, a.data, b.data))

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


class ReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)


class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a.matmul(b)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = product(grad_output.data, transposed(b.data))
        grad_b = product(transposed(a.data), grad_output.data)
        return Tensor(grad_a), Tensor(grad_b)


class Sum(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return Tensor(total(input.data))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return Tensor(each(lambda _: grad_output.data, input.data))
