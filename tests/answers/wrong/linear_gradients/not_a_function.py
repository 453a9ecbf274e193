"""A Module in place of a Function.

Meets: form: Write `class Name(torch.autograd.Function)`
"""

import torch


class LinearFunction(torch.nn.Module):
    def forward(self, input, weight, bias=None):
        return torch.nn.functional.linear(input, weight, bias)
