"""gradcheck raises on a wrong Function.

Meets: values: the answer is False, not an error
"""

from torch.autograd import gradcheck


def my_gradcheck(fn, inputs):
    return gradcheck(fn, inputs, atol=1e-6, rtol=1e-6)
