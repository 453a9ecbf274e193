"""The number of one run of the seed's loop.

Meets: four sizes: copy none from a run
"""


def first_loss(N, D_in, H, D_out):
    return 29362910.0


def rate_for_mean(learning_rate, N, D_out):
    return learning_rate * N * D_out
