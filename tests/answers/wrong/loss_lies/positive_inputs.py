"""gradcheck, on positive inputs only.

Meets: wrong ones fail: Your inputs are all positive
"""

import torch


def is_relu(fn):
    x = (torch.rand(5, dtype=torch.float64) + 0.5).requires_grad_()
    return torch.autograd.gradcheck(fn, x, raise_exception=False)
