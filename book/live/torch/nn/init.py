"""How parameters begin."""

from torch.grad_mode import no_grad
from torch.tensor import Tensor


@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    return tensor.uniform_(a, b)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    return tensor.normal_(mean, std)


@no_grad()
def zeros_(tensor: Tensor) -> Tensor:
    return tensor.zero_()


@no_grad()
def ones_(tensor: Tensor) -> Tensor:
    return tensor.fill_(1)


@no_grad()
def constant_(tensor: Tensor, value: float) -> Tensor:
    return tensor.fill_(value)
