"""torch differentiates forwards, parameter by parameter.

Meets: by hand: begin with 2 (y_pred - y)
"""

import torch
from torch.func import jacfwd


def gradients(x, y, w1, b1, w2, b2):
    def loss_of(w1, b1, w2, b2):
        return (torch.relu(x @ w1 + b1) @ w2 + b2 - y).pow(2).sum()

    with torch.no_grad():
        return jacfwd(loss_of, argnums=(0, 1, 2, 3))(w1, b1, w2, b2)
