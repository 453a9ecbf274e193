"""Divides the rate where it must multiply.

Meets: rate: The other way
"""


def first_loss(N, D_in, H, D_out):
    return N * D_out * (D_in * H / 2 + 1)


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate / (N * D_out)
