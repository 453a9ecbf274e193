"""Modules: what keeps parameters."""

from torch.nn import functional, init
from torch.nn.layers import Linear, PReLU, ReLU
from torch.nn.modules.module import Module, Parameter, Sequential

__all__ = ["Linear", "Module", "PReLU", "Parameter", "ReLU", "Sequential", "functional", "init"]
