"""Asks for the slope at 0, where two values are allowed.

Meets: right ones pass: keep your inputs off 0
"""

import torch


def is_relu(fn):
    x = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    fn(x).backward(torch.tensor([2.0, 3.0, -4.0]))
    return x.grad.tolist() == [0.0, 0.0, -4.0]
