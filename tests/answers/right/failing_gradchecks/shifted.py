"""The kink moved away from the numbers; inputs in a list."""

import torch

def single_precision(gradcheck, square):
    x = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    return gradcheck(square, x)
def at_the_kink(gradcheck, relu):
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
    return gradcheck(lambda x: relu(x + 0.25), x)

def random_forward(gradcheck, dropout):
    x = torch.linspace(1, 4, 4, dtype=torch.float64, requires_grad=True)
    def same_mask(x):
        torch.manual_seed(0)
        return dropout(x)
    return gradcheck(same_mask, x)

def expanded(gradcheck, square):
    x = torch.tensor([1.5], dtype=torch.float64).expand(3)
    return gradcheck(square, [x.clone().requires_grad_()])
