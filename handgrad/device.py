"""CPU or GPU: the one place that decides it."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

NO_CUDA = (
    "CUDA is asked for, but torch finds no CUDA device on this machine. "
    "Take the kernel handgrad-cpu (HANDGRAD_DEVICE=cpu), or install a CUDA build of torch: https://pytorch.org/get-started/locally"
)


def device() -> "torch.device":
    """The device that the course runs on: what HANDGRAD_DEVICE says, else CUDA where there is one, else the CPU.

    Raises:
        RuntimeError: HANDGRAD_DEVICE asks for CUDA where there is none: never a silent run on the CPU.
        ValueError: HANDGRAD_DEVICE is neither `cpu` nor `cuda`.
    """
    import torch

    wanted = os.environ.get("HANDGRAD_DEVICE", "")
    if wanted not in ("", "cpu", "cuda"):
        raise ValueError(f"HANDGRAD_DEVICE is {wanted!r}, expected 'cpu' or 'cuda'. Unset it to let the course choose.")
    if wanted == "cuda" and not torch.cuda.is_available():
        raise RuntimeError(NO_CUDA)
    return torch.device(wanted or ("cuda" if torch.cuda.is_available() else "cpu"))
