"""torch's gradcheck with small tolerances.

Meets: upstream: it sends a single 1 at a time
"""

from torch.autograd import gradcheck


def my_gradcheck(fn, inputs):
    return gradcheck(fn, inputs, eps=1e-6, atol=1e-6, rtol=1e-6, raise_exception=False)
