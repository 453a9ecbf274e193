"""D_in // 2 is 0 for one input feature.

Meets: tiny networks: y is random too
"""


def first_loss(N, D_in, H, D_out):
    return N * D_out * (H * (D_in // 2) + 1)


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate * N * D_out
