"""Pictures of real autograd graphs, which step through the forward and the backward pass.

`trace(f, x=x, w=w)` runs `f`, and its backward pass with a hook on every node; `draw(y)` draws the graph behind a tensor that is
there already.
"""

from collections.abc import Callable

import torch

from handgrad.graph.picture import Picture
from handgrad.graph.record import record_graph, record_run

__all__ = ["Picture", "draw", "trace"]


def trace(function: Callable, /, *, upstream: object = None, **tensors: torch.Tensor) -> Picture:
    """Run `function(**tensors)` and the backward pass of what it gives, and picture both, step by step.

    Nodes are Functions, and edges lead to where a gradient is sent. Modules may be given too: `trace(model, input=x)`.
    What the function uses from around it is named, where it can be found. Leaves' `.grad` and random generators are afterwards as
    they were before; what the function itself changes, such as a batch norm's running mean, it changes.

    Args:
        function: gives a tensor, or several in a tuple, list or dict.
        upstream: the gradient to start with, of the result's shape; one for each where there are several. Ones where it is None.
        tensors: its arguments, by name; other values than tensors are handed on.

    Returns:
        The picture: shown by a notebook, printed as words, and written to a file by `.save(path)`.

    Raises:
        ValueError: no tensor of the result has a graph, or `upstream` does not fit it.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> print(trace(lambda x: x * x, x=x))
        forward
          1  Leaf x = 3.
          2  Mul runs on x and gives 9. It saves self = 3 and other = 3.
        backward
          3  The backward pass starts at Mul with 1. Mul sends 3 to x and 3 to x. It reads self = 3 and other = 3.
          4  At x, 3 from Mul and 3 from Mul meet and add up to 6. AccumulateGrad adds it to x.grad.
    """
    return Picture(record_run(function, tensors, upstream))


def draw(*outputs: torch.Tensor, **names: torch.Tensor) -> Picture:
    """Picture the graph behind tensors, as it stands; nothing is run.

    Args:
        outputs: tensors with a `grad_fn`.
        names: tensors to be named in the picture, such as `x=x`.

    Raises:
        ValueError: none of `outputs` has a `grad_fn`.
    """
    return Picture(record_graph(outputs, names))
