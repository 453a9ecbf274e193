"""Upstream gradients of one, from sum().

Meets: wrong ones fail: Your upstream gradient is all ones
"""

import torch


def is_relu(fn):
    x = torch.tensor([-1.0, 1.0, 2.0], requires_grad=True)
    fn(x).sum().backward()
    return x.grad.tolist() == [0.0, 1.0, 1.0]
