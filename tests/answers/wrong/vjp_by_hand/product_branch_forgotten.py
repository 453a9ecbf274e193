"""a goes into y too.

Meets: upstream: a goes into y directly too
"""


def vjp(x, w, upstream):
    a = x * w
    grad_a = upstream * a * 2 * a
    return grad_a * w + upstream * a, grad_a * x
