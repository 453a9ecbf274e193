"""A numpy copy on ctx is no tensor, and hooks do not see it.

Meets: hooks: did not come through ctx.saved_tensors
"""

import torch


class XTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.array = input.detach().cpu().numpy().copy()
        return input * input.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        input = torch.from_numpy(ctx.array).to(grad_output.device)
        t = input.tanh()
        return grad_output * (t + input * (1 - t * t))
