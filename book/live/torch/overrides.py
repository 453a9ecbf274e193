"""Modes that see every call of torch."""

from torch.modes import Mode


class TorchFunctionMode(Mode):
    """Within, each operation is handed to `__torch_function__`, which may call it."""

    handler = "__torch_function__"

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
