# attack: puts out a record of its own, under the grader's MIME type
# outcome: refused
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

from IPython.display import display

display({"application/vnd.handgrad.record+json": {"exercise": "my_relu", "seed": 0, "probes": {}}}, raw=True)
