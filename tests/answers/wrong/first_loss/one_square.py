"""The mean of one squared error.

Meets: four sizes: the sum of N · D_out of them
"""


def first_loss(N, D_in, H, D_out):
    return D_in * H / 2 + 1


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate * N * D_out
