"""needs_input_grad is read in the wrong order.

Meets: frozen, CubeBackward: look at the order of ctx.needs_input_grad
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
        to_grad = 3 * x * x * grad_grad if ctx.needs_input_grad[1] else None
        to_x = 6 * x * grad_output * grad_grad if ctx.needs_input_grad[0] else None
        return to_grad, to_x


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return cube_kernel(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return CubeBackward.apply(grad_output, x)
