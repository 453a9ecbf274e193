"""x goes into c too.

Meets: upstream: x goes into c too
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * c + upstream * a * 2 * a
    return grad_a * w, grad_a * x
