"""Gradients by Hand: a course on writing PyTorch's backward passes, and the checks of its exercises."""

# These modules import torch when they are called, so that the command line and pytest start at once.
from handgrad.check import NotDone, check, hint
from handgrad.device import device
from handgrad.progress import progress

__all__ = ["NotDone", "check", "device", "hint", "progress"]
