"""Modules: what keeps parameters."""

from torch.nn import functional, init
from torch.nn.module import Module, Parameter, Sequential
from torch.nn.layers import Linear, PReLU, ReLU

__all__ = ["Linear", "Module", "PReLU", "Parameter", "ReLU", "Sequential", "functional", "init"]
