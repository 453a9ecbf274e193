"""A tolerance of 0.02 lets a small leak through.

Meets: wrong ones fail: your test accepts it
"""

import torch


def is_relu(fn):
    x = torch.tensor([-2.0, 3.0], requires_grad=True)
    fn(x).backward(torch.tensor([0.5, -0.3]))
    return torch.allclose(x.grad, torch.tensor([0.0, -0.3]), atol=0.02)
