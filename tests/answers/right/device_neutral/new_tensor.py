"""Asks x for a tensor of its kind."""


def add_positions(x):
    return x + x.new_tensor(range(x.shape[-1]))
