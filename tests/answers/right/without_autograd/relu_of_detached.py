"""Detached parameters, a sign for the gate, and writing into copies."""

import torch
import torch.nn.functional as F


def gradients(x, y, w1, b1, w2, b2):
    w1, b1, w2, b2 = w1.detach(), b1.detach(), w2.detach(), b2.detach()
    pre = F.linear(x, w1.T, b1)
    hid = F.relu(pre)
    g = torch.sub(F.linear(hid, w2.T, b2), y).mul(2)
    back = torch.matmul(g, w2.T)
    back[pre < 0] = 0
    return torch.matmul(x.T, back), back.sum(0), torch.matmul(hid.T, g), g.sum(0)
