"""How many bytes of results live at one time, whoever holds them, seen by a weak reference to each."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode


class Alive(TorchDispatchMode):
    """Counts the bytes of all results of operations that live at one time, whoever holds them.

    It sees what hooks cannot: torch.func refuses to work under them.
    """

    EVERY = 16  # operations

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self._operations = 0
        self._results: dict[StorageWeakRef, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(part, torch.Tensor):
                self._results[StorageWeakRef(part.untyped_storage())] = part.untyped_storage().nbytes()
        self._operations += 1
        if self._operations % self.EVERY == 0:
            self._results = {ref: size for ref, size in self._results.items() if not ref.expired()}
            self.peak = max(self.peak, sum(self._results.values()))
        return result
