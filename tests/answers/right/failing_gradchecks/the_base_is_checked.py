"""The expanded call checks the one number that is expanded; linspace without 0; a generator of its own for the state."""

import torch


def single_precision(gradcheck, square):
    return gradcheck(square, (torch.tensor([0.3, -1.2, 2.0]).double().requires_grad_(),))


def at_the_kink(gradcheck, relu):
    x = torch.linspace(-1, 2, 8, dtype=torch.float64)
    return gradcheck(relu, x[x.abs() > 1e-3].requires_grad_())


def random_forward(gradcheck, dropout):
    x = torch.linspace(1, 3, 8, dtype=torch.float64, requires_grad=True)
    state = torch.get_rng_state()

    def again(x):
        torch.set_rng_state(state)
        return dropout(x)

    return gradcheck(again, x)


def expanded(gradcheck, square):
    x = torch.tensor([1.5], dtype=torch.float64, requires_grad=True)
    return gradcheck(lambda x: square(x.expand(3)), x)
