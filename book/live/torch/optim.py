"""Optimizers."""

from collections.abc import Iterable

from torch.grad_mode import no_grad
from torch.tensor import Tensor


class SGD:
    """Each step takes the learning rate times the gradient from each parameter."""

    def __init__(self, params: Iterable[Tensor], lr: float = 1e-3) -> None:
        self.param_groups = [{"params": list(params), "lr": lr}]

    def step(self) -> None:
        with no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        parameter.sub_(parameter.grad, alpha=group["lr"])

    def zero_grad(self, set_to_none: bool = True) -> None:
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad = None if set_to_none or parameter.grad is None else parameter.grad * 0
