"""The audit of a custom autograd Function: observe in one place, judge in another.

`probes` and `layers` call an answer of an exercise; `derivative` and `conduct` call whatever `audit` was handed. All write down
what came out as a record, which is plain JSON data. `judge` compares two records and needs neither torch nor the answer.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handgrad.audit.report import Report


def audit(fn: object, *inputs: object, reference: Callable | None = None, seed: int = 0, time_limit: float = 60.0) -> "Report":
    """Check a custom autograd Function, or anything that torch differentiates, as strictly as can be.

    Args:
        fn: a subclass of `torch.autograd.Function` or its `.apply`, a function, or a Module, whose parameters are judged too.
        inputs: the arguments that it is called with. Tensors whose gradient is judged have requires_grad; float64 is best, and
            lower precision is judged in float64 where the Function takes it. Small shapes with different sizes show most.
        reference: the same operation in plain torch. With it values and gradients are compared with the reference's; without
            it backward is compared with slopes of forward.
        seed: of upstream gradients and directions.
        time_limit: seconds after which the audit stops and says where it was.

    Returns:
        A report; `print` it, or call `raise_if_failed()`. What cannot be audited gives a report with one failed probe.

    The inputs, their `.grad`, torch's random state, grad mode and default dtype are afterwards as they were.

    >>> handgrad.audit(MyReLU, torch.randn(3, 4, dtype=torch.float64, requires_grad=True))
    """
    from handgrad.audit.run import audit

    return audit(fn, *inputs, reference=reference, seed=seed, time_limit=time_limit)
