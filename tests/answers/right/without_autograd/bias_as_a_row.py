"""A column of ones, the bias as the last row of the weight; in inference mode."""

import torch


@torch.inference_mode()
def gradients(x, y, w1, b1, w2, b2):
    ones = x.new_ones(len(x), 1)
    x1 = torch.cat([x, ones], 1)
    v1, v2 = torch.cat([w1, b1[None]]), torch.cat([w2, b2[None]])
    h1 = torch.cat([(x1 @ v1).relu(), ones], 1)
    g = 2 * (h1 @ v2 - y)
    g2 = h1.t() @ g
    g1 = x1.t() @ ((g @ w2.t()) * h1[:, :-1].sign())
    return g1[:-1], g1[-1], g2[:-1], g2[-1]
