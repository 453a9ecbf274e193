"""How many bytes are held: by autograd for backward, seen through saved-tensor hooks, or by whoever, seen by what lives on."""

from collections import Counter

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode


class Kept(torch.autograd.graph.saved_tensors_hooks):
    """A context that counts the storages that autograd holds on to: each once, however many tensors lie in it.

    Attributes:
        sizes: the bytes of each storage that is held now, by its address.
        peak: the most bytes that were held at one time.
    """

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}
        self.peak = 0
        self._holders: Counter[int] = Counter()
        super().__init__(lambda tensor: _Held(tensor, self), lambda held: held.tensor)

    def __enter__(self) -> "Kept":
        super().__enter__()
        return self

    def without(self, *tensors: torch.Tensor) -> int:
        """Bytes held now beside the memory of these tensors, which somebody else keeps anyway."""
        others = {tensor.untyped_storage().data_ptr() for tensor in tensors}
        return sum(size for address, size in self.sizes.items() if address not in others)

    def holds(self, tensor: torch.Tensor) -> bool:
        """Whether the memory of this tensor is held."""
        return tensor.untyped_storage().data_ptr() in self.sizes


class _Held:
    """What a hook gives in place of a tensor; it dies when the graph lets go of it."""

    def __init__(self, tensor: torch.Tensor, kept: Kept) -> None:
        storage = tensor.untyped_storage()
        self.tensor, self.kept, self.address = tensor.detach(), kept, storage.data_ptr()  # an output would hold itself
        kept._holders[self.address] += 1
        kept.sizes[self.address] = storage.nbytes()
        kept.peak = max(kept.peak, sum(kept.sizes.values()))

    def __del__(self) -> None:
        self.kept._holders[self.address] -= 1
        if not self.kept._holders[self.address]:
            self.kept.sizes.pop(self.address, None)


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
