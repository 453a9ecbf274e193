"""The saved upstream gradient is detached in the second backward.

Meets: third derivative: The second backward is opaque in its turn
"""

import torch


@torch.no_grad()
def cube_kernel(x):
    return x * x * x


@torch.no_grad()
def cube_backward_kernel(grad_output, x):
    return 3 * x * x * grad_output


class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad_output, x):
        ctx.save_for_backward(grad_output, x)
        return cube_backward_kernel(grad_output, x)

    @staticmethod
    def backward(ctx, grad_grad):
        grad_output, x = ctx.saved_tensors
        return 3 * x * x * grad_grad, 6 * x * grad_output.detach() * grad_grad


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return cube_kernel(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_output, x)
