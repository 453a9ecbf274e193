"""For tests of your own, in pytest or any runner that takes an AssertionError as a failure: the audit, and memory."""

import copy
from collections.abc import Callable

import torch

from handgrad.audit import audit
from handgrad.audit.kept import Kept
from handgrad.audit.report import Report


def devices() -> list[str]:
    """The kinds of device at hand: `cpu`, and `cuda` or `mps` where there is one. For `pytest.mark.parametrize`."""
    found = ["cpu"]
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return found


def audit_function(
    fn: object,
    *inputs: object,
    reference: Callable | None = None,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    seed: int = 0,
    time_limit: float = 60.0,
) -> Report:
    """Audit a Function, a function or a Module, and fail the test where a probe fails.

    Args:
        fn, inputs, reference, seed, time_limit: as for `handgrad.audit`.
        dtype: floating-point inputs are converted to it; complex ones to the complex dtype of its precision.
        device: the inputs, and a Module, go there first.

    Returns:
        The report, for advice and for what could not be judged.

    Raises:
        AuditFailed: an AssertionError, with the report as its message.

    >>> @pytest.mark.parametrize("device", devices())
    ... @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    ... def test_my_relu(dtype, device):
    ...     audit_function(MyReLU, torch.randn(3, 4, requires_grad=True), dtype=dtype, device=device)
    """
    __tracebackhide__ = True
    moved = tuple(_moved(item, dtype, device) for item in inputs)
    if isinstance(fn, torch.nn.Module) and (dtype or device):
        fn = copy.deepcopy(fn).to(device=device, dtype=dtype)
    report = audit(fn, *moved, reference=reference, seed=seed, time_limit=time_limit)
    report.raise_if_failed()
    return report


def saved_bytes(function: Callable, *args: object) -> int:
    """How many bytes autograd keeps for backward while `function(*args)` runs: the most at one time, each storage once.

    Counted by saved-tensor hooks, so a tensor that hangs on `ctx` as an attribute is not seen; `torch.func`'s transforms
    refuse to work under such hooks.

    Args:
        function: what to run; a loop of its own, or a backward in it, counts too.
        args: what it is called with.

    Returns:
        Bytes of the tensors' storages, without what an allocator adds.

    >>> saved_bytes(torch.exp, torch.ones(1000, requires_grad=True))
    4000
    """
    with Kept() as kept:
        function(*args)
    return kept.peak


def _moved(item: object, dtype: torch.dtype | None, device: torch.device | str | None) -> object:
    if isinstance(item, (list, tuple)):
        return type(item)(_moved(part, dtype, device) for part in item)
    if not isinstance(item, torch.Tensor):
        return item
    wanted = None
    if dtype is not None and item.is_floating_point():
        wanted = dtype
    elif dtype is not None and item.is_complex():
        wanted = dtype.to_complex()
    return item.detach().to(device=device, dtype=wanted).requires_grad_(item.requires_grad)
