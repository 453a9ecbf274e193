"""From one number to the whole loss."""


def first_loss(N, D_in, H, D_out):
    square_of_h = D_in * 1
    square_after_relu = square_of_h / 2
    square_of_prediction = H * square_after_relu
    return (square_of_prediction + 1) * N * D_out


def rate_for_mean(learning_rate, N, D_out):
    terms = N * D_out
    return terms * learning_rate
