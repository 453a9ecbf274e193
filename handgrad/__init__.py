"""Gradients by Hand: a course on writing PyTorch's backward passes, and the checks of its exercises.

Names are imported on first use, so that the command line and pytest start without waiting for torch.
"""

from importlib import import_module

_HOME = {
    "check": "handgrad.check",
    "hint": "handgrad.check",
    "NotDone": "handgrad.check",
    "progress": "handgrad.progress",
    "device": "handgrad.device",
}
__all__ = ["NotDone", "check", "device", "hint", "progress"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'handgrad' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
