"""Loses the sign.

Meets: upstream: The sign of upstream is lost
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    g = upstream.abs()
    grad_a = g * c + g * a * 2 * a
    return g * a + grad_a * w, grad_a * x
