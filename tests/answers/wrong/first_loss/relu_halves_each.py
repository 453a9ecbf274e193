"""Takes relu(h) for h / 2.

Meets: other sizes: half of the values are kept whole
"""


def first_loss(N, D_in, H, D_out):
    return N * D_out * (D_in * H / 4 + 1)


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate * N * D_out
