"""torch.library.define and its functions, by name."""

import numpy
import torch

LIBRARY = torch.library.Library("practice_library", "FRAGMENT")
if not hasattr(torch.ops.practice_library, "moving_sum"):
    LIBRARY.define("moving_sum(Tensor x, int width) -> Tensor")

    def compute(x, width):
        windows = numpy.lib.stride_tricks.sliding_window_view(x.detach().cpu().numpy(), width, axis=-1)
        return torch.from_numpy(windows.sum(-1)).to(x.device)

    for key in ("CPU", "CUDA"):
        LIBRARY.impl("moving_sum", compute, key)

    def fake(x, width):
        return x.new_empty(*x.shape[:-1], x.shape[-1] - width + 1)

    torch.library.register_fake("practice_library::moving_sum", fake, lib=LIBRARY)

    def setup(ctx, inputs, output):
        ctx.width = inputs[1]

    def derivative(ctx, g):
        return torch.ops.practice_library.moving_sum(torch.nn.functional.pad(g, (ctx.width - 1, ctx.width - 1)), ctx.width), None

    torch.library.register_autograd("practice_library::moving_sum", derivative, setup_context=setup, lib=LIBRARY)
    KEEP = torch.library.__dict__.setdefault("_practice_libraries", [])
    KEEP.append(LIBRARY)
moving_sum = torch.ops.practice_library.moving_sum
