"""Modes that see every operation that computes."""

from torch.nodes import watchers


class _Overload:
    """An operation as a mode is handed it."""

    def __init__(self, operation: type) -> None:
        from torch.views import ViewOperation

        self._operation = operation
        self.is_view = issubclass(operation, ViewOperation)
        self.__name__ = operation.operation.lower()

    def name(self) -> str:
        return f"aten::{self.__name__}"

    def __call__(self, *inputs: object, **options: object) -> object:
        return self._operation.apply(*inputs, **options)


class TorchDispatchMode:
    """Within, each operation is handed to `__torch_dispatch__`, which may call it."""

    def __enter__(self) -> "TorchDispatchMode":
        watchers.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        watchers.remove(self)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))

    def see(self, operation: type, inputs: tuple, options: dict) -> object:
        place = watchers.index(self)
        above, watchers[place:] = watchers[place:], []  # what the mode itself computes is its own affair
        try:
            return self.__torch_dispatch__(_Overload(operation), (), inputs, options)
        finally:
            watchers[place:] = above
