"""A number, no tensor.

Meets: form: Return one float64 tensor
"""

def counterexample(threshold=1e-3):
    return threshold / 2
