"""gradcheck of a random loss, whose upstream gradient is signed; before it one backward, to see whether it writes."""

import torch
from torch.autograd import gradcheck


def my_gradcheck(fn, inputs):
    y = fn(*inputs)
    g = torch.randn_like(y)
    sent = g.clone()
    torch.autograd.grad(y, [x for x in inputs if torch.is_tensor(x) and x.requires_grad], sent, allow_unused=True)
    loss = lambda *inputs: (fn(*inputs) * g).sum()
    return torch.equal(g, sent) and gradcheck(loss, inputs, rtol=1e-6, atol=1e-6, raise_exception=False)
