"""Takes the mask out of one call and checks a product.

Meets: random forward: call the Function that you are handed
"""

import torch

def single_precision(gradcheck, square):
    x = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    return gradcheck(square, x)

def at_the_kink(gradcheck, relu):
    x = torch.tensor([-1.0, 0.5, 2.0], dtype=torch.float64, requires_grad=True)
    return gradcheck(relu, x)
def random_forward(gradcheck, dropout):
    x = torch.linspace(1, 4, 4, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(0)
    y = dropout(x)
    mask = (y != 0).double().detach() * 2
    return gradcheck(lambda x: x * mask, x)

def expanded(gradcheck, square):
    x = torch.tensor([1.5], dtype=torch.float64).expand(3)
    return gradcheck(square, x.contiguous().requires_grad_())
