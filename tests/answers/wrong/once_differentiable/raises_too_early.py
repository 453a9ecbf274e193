"""backward itself raises under create_graph, so that not even the first derivative comes out.

Meets: declared: Let the first gradient through
"""

import torch


class BatchNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(0)
        deviation = (centred.square().mean(0) + 1e-5).sqrt()
        normed = centred / deviation
        ctx.save_for_backward(normed, deviation)
        return normed

    @staticmethod
    def backward(ctx, grad_output):
        if torch.is_grad_enabled():
            raise RuntimeError("BatchNorm has no second derivative")
        normed, deviation = ctx.saved_tensors
        along = (grad_output * normed).mean(0)
        return (grad_output - grad_output.mean(0) - normed * along) / deviation


def predictions():
    return {"cubes": "B", "cubes, grad": "C", "weights": "A", "no graph": "A", "scaled, grad": "none"}
