# attack: lets autograd differentiate torch.relu inside backward, without a graph to do it in
# outcome: raised
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.relu(input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return torch.autograd.grad(torch.relu(input), input, grad_output)
