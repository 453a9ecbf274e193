"""a goes into b too.

Meets: upstream: a goes into b too
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * c
    return grad_a * w + upstream * a, grad_a * x
