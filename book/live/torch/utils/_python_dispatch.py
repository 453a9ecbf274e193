"""Modes that see every operation that computes."""

from torch.modes import Mode


class TorchDispatchMode(Mode):
    """Within, each operation is handed to `__torch_dispatch__`, which may call it."""

    handler = "__torch_dispatch__"

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
