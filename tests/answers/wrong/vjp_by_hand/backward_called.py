"""Lets backward do it.

Meets: form: .backward, which does the work for you
"""


def vjp(x, w, upstream):
    x, w = x.detach().requires_grad_(), w.detach().requires_grad_()
    a = x * w
    ((a**2 + x) * a).backward(upstream)
    return x.grad, w.grad
