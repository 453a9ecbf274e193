"""One random direction of all inputs and one random upstream gradient, three times over."""

import torch


def my_gradcheck(fn, inputs):
    places = [i for i, a in enumerate(inputs) if torch.is_tensor(a) and a.requires_grad]
    for _ in range(3):
        leaves = [a.detach().clone().requires_grad_() if i in places else a for i, a in enumerate(inputs)]
        output = fn(*leaves)
        g = torch.randn_like(output)
        sent = g.clone()
        grads = torch.autograd.grad(output, [leaves[i] for i in places], sent, allow_unused=True)
        if (sent != g).any():
            return False
        along = {i: torch.randn_like(leaves[i]) for i in places}
        with torch.no_grad():
            ends = [fn(*(a + side * along[i] if i in places else a for i, a in enumerate(leaves))) for side in (1e-5, -1e-5)]
        difference = ((ends[0] - ends[1]) * g).sum().item() / 2e-5
        claimed = sum((grad * along[i]).sum().item() for i, grad in zip(places, grads) if grad is not None)
        if abs(difference - claimed) > 1e-7 + 1e-7 * abs(difference):
            return False
    return True
