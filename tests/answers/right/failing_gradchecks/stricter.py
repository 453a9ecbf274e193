"""Tighter tolerances, keyword arguments, asserts and no return."""

import torch


def single_precision(gradcheck, square):
    x = torch.tensor([0.3, -1.2, 2.0], dtype=torch.double, requires_grad=True)
    assert gradcheck(func=square, inputs=x, atol=1e-7, rtol=1e-6)


def at_the_kink(gradcheck, relu):
    for values in ([-1.0, 2.0], [-0.01, 0.01]):
        assert gradcheck(relu, torch.tensor(values, dtype=torch.double, requires_grad=True), eps=1e-7, raise_exception=True)


def random_forward(gradcheck, dropout):
    def fixed(x):
        with torch.random.fork_rng():
            torch.manual_seed(1)
            return dropout(x)

    assert gradcheck(fixed, torch.linspace(1, 3, 8, dtype=torch.double, requires_grad=True), nondet_tol=0.0)


def expanded(gradcheck, square):
    x = torch.tensor([1.5], dtype=torch.double).expand(3).clone().requires_grad_()
    assert gradcheck(square, x, fast_mode=False)
