"""How many bytes autograd holds for backward, seen through saved-tensor hooks."""

from collections import Counter

import torch


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
