"""Derivative of the square without its 2.

Meets: upstream: The derivative of a ** 2 is 2 * a
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * c + upstream * a * a
    return upstream * a + grad_a * w, grad_a * x
