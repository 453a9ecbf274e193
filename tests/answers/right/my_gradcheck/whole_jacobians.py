"""backward on copies, the whole numerical Jacobian times the upstream gradient, numbers compared one by one; numpy-like loops."""

import torch


def my_gradcheck(fn, inputs):
    eps, tol = 1e-5, 1e-6
    own = [x.detach().clone().requires_grad_(x.requires_grad) if isinstance(x, torch.Tensor) else x for x in inputs]
    y = fn(*own)
    n = y.numel()
    # -3, 2.5, -2, ...: signed and unequal
    g = torch.tensor([(-1) ** k * (3 - 0.3 * k) for k in range(n)], dtype=y.dtype, device=y.device).reshape(y.shape)
    sent = g.clone()
    y.backward(sent)
    good = bool((sent == g).all())
    for i, x in enumerate(own):
        if not (isinstance(x, torch.Tensor) and x.requires_grad):
            continue
        grad = torch.zeros_like(x) if x.grad is None else x.grad
        for j in range(x.numel()):
            values = []
            for side in (eps, -eps):
                moved = x.detach().clone(memory_format=torch.contiguous_format)
                moved.view(-1)[j] += side
                values.append(fn(*own[:i], moved, *own[i + 1 :]).detach())
            want = ((values[0] - values[1]) / (2 * eps) * g).sum()
            good &= bool((grad.reshape(-1)[j] - want).abs() <= tol * (1 + want.abs()))
    return good
