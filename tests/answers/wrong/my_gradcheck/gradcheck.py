"""torch's gradcheck as it comes.

Meets: values: An rtol of 1e-3
"""

import torch


def my_gradcheck(fn, inputs):
    return torch.autograd.gradcheck(fn, inputs, raise_exception=False)
