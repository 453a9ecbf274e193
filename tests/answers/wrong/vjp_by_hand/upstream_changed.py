"""Adds into the caller's tensor.

Meets: left alone: The caller still needs x, w and upstream
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * c + upstream * a * 2 * a
    upstream *= a
    upstream += grad_a * w
    return upstream, grad_a * x
