"""forward and backward as class methods; both gradients of MatMul through one product of rows with rows."""

from handgrad.engine import Function, Tensor, each


def dot(u, v):
    return sum(p * q for p, q in zip(u, v))


def rows_with_rows(p, q):
    """P Q^T."""
    return [[dot(u, v) for v in q] for u in p]


def columns(p):
    return [list(column) for column in zip(*p)]


class Mul(Function):
    @classmethod
    def forward(cls, ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @classmethod
    def backward(cls, ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = each(lambda g, v: g * v, grad_output.data, b.data)
        grad_b = each(lambda g, u: g * u, grad_output.data, a.data)
        return Tensor(grad_a), Tensor(grad_b)


class ReLU(Function):
    @classmethod
    def forward(cls, ctx, input):
        ctx.save_for_backward(input > 0)
        return input * (input > 0)

    @classmethod
    def backward(cls, ctx, grad_output):
        return grad_output * ctx.saved_tensors[0]


class MatMul(Function):
    @classmethod
    def forward(cls, ctx, a, b):
        ctx.save_for_backward(a, b)
        return Tensor(rows_with_rows(a.data, columns(b.data)))

    @classmethod
    def backward(cls, ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = rows_with_rows(grad_output.data, b.data)
        grad_b = rows_with_rows(columns(a.data), columns(grad_output.data))
        return Tensor(grad_a), Tensor(grad_b)


class Sum(Function):
    @classmethod
    def forward(cls, ctx, input):
        ctx.save_for_backward(input)
        numbers = []
        each(numbers.append, input.data)
        return Tensor(sum(numbers))

    @classmethod
    def backward(cls, ctx, grad_output):
        (input,) = ctx.saved_tensors
        return Tensor(each(lambda _: grad_output.data, input.data))
