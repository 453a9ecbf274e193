"""Forgets that ReLU shuts half of the values out.

Meets: other sizes: ReLU throws half of the squares away
"""


def first_loss(N, D_in, H, D_out):
    return N * D_out * (D_in * H + 1)


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate * N * D_out
