"""Index loops, and shapes kept on ctx in place of inputs."""

from handgrad.engine import Function, Tensor, each


class Mul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return tuple(grad_output * other for other in (b, a))


class ReLU(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.is_open = each(lambda value: value >= 0, input.data)
        return Tensor(each(lambda value, is_open: value * is_open, input.data, ctx.is_open))

    @staticmethod
    def backward(ctx, grad_output):
        return Tensor(each(lambda g, is_open: g if is_open else 0, grad_output.data, ctx.is_open))


class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        n, k, m = len(a.data), len(b.data), len(b.data[0])
        result = [[0.0] * m for _ in range(n)]
        for i in range(n):
            for j in range(m):
                for l in range(k):
                    result[i][j] += a.data[i][l] * b.data[l][j]
        return Tensor(result)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = (tensor.data for tensor in ctx.saved_tensors)
        g = grad_output.data
        n, k, m = len(a), len(b), len(b[0])
        grad_a = [[0.0] * k for _ in range(n)]
        grad_b = [[0.0] * m for _ in range(k)]
        for i in range(n):
            for j in range(m):
                for l in range(k):
                    grad_a[i][l] += g[i][j] * b[l][j]
                    grad_b[l][j] += a[i][l] * g[i][j]
        return Tensor(grad_a), Tensor(grad_b)


class Sum(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.zeros = each(lambda _: 0.0, input.data)
        rest, result = [input.data], 0.0
        while rest:
            part = rest.pop()
            if isinstance(part, list):
                rest.extend(part)
            else:
                result += part
        return Tensor(result)

    @staticmethod
    def backward(ctx, grad_output):
        return Tensor(each(lambda zero: zero + grad_output.data, ctx.zeros))
