"""Layers as functions."""

from torch import arrangement, operations
from torch.tensor import Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input · weightᵀ + bias, for any number of leading dimensions."""
    if weight.dim() == 2 and input.dim() and input.shape[-1] != weight.shape[1]:
        rows = input.numel() // input.shape[-1] if input.shape[-1] else 0
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{input.shape[-1]} and {weight.shape[1]}x{weight.shape[0]})"
        )
    output = arrangement.matmul(input, weight.t())
    return output if bias is None else output + bias


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    return input.relu_() if inplace else operations.relu(input)


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    return operations.threshold(input, threshold, value)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    return operations.where(input > 0, input, negative_slope * input)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    channels = weight if weight.numel() == 1 or input.dim() < 2 else weight.view(1, -1, *[1] * (input.dim() - 2))
    return operations.where(input > 0, input, channels * input)


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    squares = (input - target).pow(2)
    return {"mean": squares.mean, "sum": squares.sum, "none": lambda: squares}[reduction]()
