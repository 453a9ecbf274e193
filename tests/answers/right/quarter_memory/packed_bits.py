"""Eight gates a byte, and shifts to get them back: a thirty-second of a float32."""

import torch


class LeanReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        gates = (input > 0).reshape(-1)
        padded = torch.nn.functional.pad(gates, (0, -len(gates) % 8)).reshape(-1, 8)
        weights = 2 ** torch.arange(8, dtype=torch.uint8, device=input.device)
        ctx.save_for_backward((padded * weights).sum(1, dtype=torch.uint8))
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (packed,) = ctx.saved_tensors
        shifts = torch.arange(8, dtype=torch.uint8, device=packed.device)
        gates = (packed.unsqueeze(1) >> shifts) & 1
        return grad_output * gates.reshape(-1)[: grad_output.numel()].reshape(grad_output.shape)
