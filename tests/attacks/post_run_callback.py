# attack: a callback of IPython that runs after each cell
# outcome: refused
import torch
ip = get_ipython()
ip.events.register('post_run_cell', lambda *args: print('done'))


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
