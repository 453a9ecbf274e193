"""Forgets that y is random too.

Meets: tiny networks: y is random too
"""


def first_loss(N, D_in, H, D_out):
    return N * D_out * D_in * H / 2


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate * N * D_out
