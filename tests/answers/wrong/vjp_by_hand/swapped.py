"""The gradients in the wrong order.

Meets: upstream: The two gradients have changed places
"""


def vjp(x, w, upstream):
    a = x * w
    c = a**2 + x
    grad_a = upstream * c + upstream * a * 2 * a
    return grad_a * x, upstream * a + grad_a * w
