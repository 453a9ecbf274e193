"""The second gradient of a replaces the first.

Meets: upstream: a goes into y directly too
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * c
    grad_a = upstream * a * 2 * a
    return upstream * a + grad_a * w, grad_a * x
