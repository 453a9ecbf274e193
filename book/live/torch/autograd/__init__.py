"""Derivatives: `backward`, `grad`, and Functions that bring their own."""

from torch.autograd import function, graph
from torch.autograd.function import Function
from torch.autograd.gradcheck import gradcheck, gradgradcheck
from torch.autograd.run import backward, grad
from torch.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from torch.nodes import Node
from torch.tensor import Tensor

__all__ = [
    "Function", "Variable", "backward", "enable_grad", "function", "grad", "gradcheck", "gradgradcheck", "graph",
    "inference_mode", "no_grad", "set_grad_enabled",
]  # fmt: skip


def _get_sequence_nr() -> int:
    """The number that the next node will get."""
    return Node()._sequence + 1


class _IsTensor(type):
    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_IsTensor):
    """The old name: it hands out tensors."""

    def __new__(cls, data: Tensor, requires_grad: bool = False, volatile: bool = False) -> Tensor:
        return data.detach().requires_grad_(requires_grad)
