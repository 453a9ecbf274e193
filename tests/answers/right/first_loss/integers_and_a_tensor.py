"""Whole numbers, and one of them wrapped in a tensor."""

import torch


def first_loss(N, D_in, H, D_out):
    return torch.tensor(N * D_out * D_in * H / 2) + N * D_out


def rate_for_mean(learning_rate, N, D_out):
    return torch.ones(N, D_out).sum().item() * learning_rate
