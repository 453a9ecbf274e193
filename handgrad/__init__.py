"""Gradients by Hand: a course on writing PyTorch's backward passes, the checks of its exercises, and the audit."""

# These modules import torch when they are called, so that the command line and pytest start at once.
from handgrad.audit import audit
from handgrad.check import NotDone, check, hint
from handgrad.device import device
from handgrad.progress import progress

__all__ = ["NotDone", "audit", "check", "device", "hint", "progress"]
