"""Column by column, put together by zip; a 0-d tensor in the place of a number."""

import torch


def leaf_table():
    names = ["x", "w", "c", "p", "d", "s", "y", "new"]
    leaves = [name not in ("p", "s", "y") for name in names]
    grads_wanted = [name not in ("c", "d", "new") for name in names]
    nodes = [{"p": "MulBackward0", "s": "AddBackward0", "y": "MulBackward0"}.get(name) for name in names]
    kept = {"x": torch.tensor(4.0), "w": torch.tensor(8.0), "s": torch.tensor(1.0)}
    return dict(zip(names, zip(leaves, grads_wanted, nodes, map(kept.get, names))))
