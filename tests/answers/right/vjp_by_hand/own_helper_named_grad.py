"""A helper of one's own that happens to be called grad."""


def grad(upstream, slope):
    return upstream * slope


def vjp(x, w, upstream):
    a = x * w
    grad_a = grad(upstream, a**2 + x) + grad(grad(upstream, a), 2 * a)
    return grad(upstream, a) + grad(grad_a, w), grad(grad_a, x)
