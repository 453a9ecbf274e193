"""torch, small: what the cells of this book need of it, in Python that can be read.

It has torch's names, rules and messages, and runs where torch cannot, in a web page. Begin with `pointwise`, where each
operation stands beside its derivative; `nodes` is what the graph is made of, and `engine` walks it.
Each cell that the book runs here gives the same text on torch itself; a test compares them.
"""

# ruff: noqa: F401  (a module that hands out names)
from contextlib import nullcontext
from math import inf, nan, pi
from types import SimpleNamespace

from torch import arrangement, methods, operations  # methods first: all that follows computes with tensors

from torch import autograd, nn, optim, overrides, random, utils  # isort: skip
from torch.creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    tensor,
    zeros,
    zeros_like,
)
from torch.devices import device, get_default_device, set_default_device
from torch.dtypes import (
    bfloat16,
    bool_,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    result_type,
    set_default_dtype,
    uint8,
)  # fmt: skip
from torch.functions import threshold_backward
from torch.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from torch.layout import Size, strided
from torch.random import (
    Generator,
    get_rng_state,
    manual_seed,
    normal,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    set_rng_state,
)
from torch.tensor import Tensor

__version__ = "small"
bool, float, double, half, int, long = bool_, float32, float64, float16, int32, int64
contiguous_format, preserve_format = "rows", "preserve"
ops = SimpleNamespace(aten=SimpleNamespace(threshold_backward=threshold_backward))
_C = SimpleNamespace(DisableTorchFunctionSubclass=nullcontext)
cuda = SimpleNamespace(is_available=lambda: False, is_initialized=lambda: False)


def __getattr__(name: str) -> object:
    for place in (operations, arrangement):
        if not name.startswith("_") and hasattr(place, name):
            return getattr(place, name)
    raise AttributeError(
        f"module 'torch' has no attribute '{name}' in this page, which has a small torch; use the notebook for it"
    )
