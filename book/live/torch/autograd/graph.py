"""The graph's own names: its nodes, and hooks on what they save."""

from torch.nodes import Node, saved_tensor_hooks

__all__ = ["Node", "saved_tensors_hooks"]


class saved_tensors_hooks:
    """Within, `pack_hook` gets each tensor that is saved, and `unpack_hook` must give it back."""

    def __init__(self, pack_hook, unpack_hook) -> None:
        self.hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        saved_tensor_hooks.append(self.hooks)

    def __exit__(self, *error: object) -> None:
        saved_tensor_hooks.pop()
