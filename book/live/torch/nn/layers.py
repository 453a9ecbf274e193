"""A few layers."""

import math

from torch.creation import empty, full
from torch.nn import functional, init
from torch.nn.modules.module import Module, Parameter
from torch.tensor import Tensor


class Linear(Module):
    """input · weightᵀ + bias."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return functional.linear(input, self.weight, self.bias)


class ReLU(Module):
    """max(0, input)."""

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu(input)


class PReLU(Module):
    """input where it is positive, weight · input elsewhere; the weight is trained."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device=None, dtype=None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(full((num_parameters,), init, device=device, dtype=dtype))

    def forward(self, input: Tensor) -> Tensor:
        return functional.prelu(input, self.weight)
