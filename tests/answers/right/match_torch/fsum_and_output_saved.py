"""Sums by math.fsum, ReLU from its output, a tuple of one."""

from math import fsum

from handgrad.engine import Function, Tensor, each


def matmul(p, q):
    return [[fsum(u * v for u, v in zip(row, column)) for column in zip(*q)] for row in p]


def flat(data):
    if not isinstance(data, list):
        yield data
        return
    for part in data:
        yield from flat(part)


class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return Tensor(each(float.__mul__, a.data, b.data))

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return b * grad_output, a * grad_output


class ReLU(Function):
    @staticmethod
    def forward(ctx, input):
        output = Tensor(each(lambda v: (v + abs(v)) / 2, input.data))
        ctx.save_for_backward(output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output * (ctx.saved_tensors[0] > 0),)


class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a, ctx.b = a.data, b.data
        return Tensor(matmul(a.data, b.data))

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.data
        return Tensor(matmul(g, list(zip(*ctx.b)))), Tensor(matmul(zip(*ctx.a), g))


class Sum(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return Tensor(fsum(flat(input.data)))

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return Tensor(each(lambda value: grad_output.data + 0 * value, input.data))
