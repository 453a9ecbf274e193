"""Counts with cumsum."""

import torch


def add_positions(x):
    return x + torch.ones_like(x).cumsum(-1) - 1
