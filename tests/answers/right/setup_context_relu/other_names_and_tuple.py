"""Other parameter names, keyword for the rule last, gradient in a tuple."""

import torch


class FuncReLU(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return torch.nn.functional.relu(x)

    @staticmethod
    def setup_context(c, args, y):
        x = args[0]
        c.save_for_backward(x)

    @staticmethod
    def backward(c, g):
        (x,) = c.saved_tensors
        return (g * torch.heaviside(x, torch.zeros_like(x)),)

    generate_vmap_rule = True
