"""Never uses upstream.

Meets: upstream: upstream is not used
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = c + 2 * a * a
    return grad_a * w + a, grad_a * x
