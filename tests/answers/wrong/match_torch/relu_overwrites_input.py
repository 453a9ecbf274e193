"""ReLU's forward writes into its input's lists.

Meets: relu: grad_output goes through
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

        def clip(data):
            for i, value in enumerate(data):
                if isinstance(value, list):
                    clip(value)
                elif value < 0:
                    data[i] = 0.0

        if isinstance(input.data, list):
            clip(input.data)
            return input.detach()
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return Tensor(each(lambda g, v: g if v > 0 else 0.1 * g, grad_output.data, input.data))


class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return Tensor(product(a.data, b.data))

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
