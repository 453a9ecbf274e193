"""Proofs that a version is wrong, each as short as it can be and independent of the audit.

A witness takes a version and its bank and says whether the fault shows. Right versions show none of the faults in `GENERAL`
(`tests/test_mutants.py`).
"""

import gc
import weakref
from collections.abc import Callable
from functools import partial

import torch

Witness = Callable[["Version", "Bank"], bool]  # noqa: F821 - see bank.py


def at(witness: Witness, inputs: Callable[[], tuple]) -> Witness:
    """The same witness on other inputs than the bank's."""
    return partial(witness, inputs=inputs)


def value(version, bank, inputs=None) -> bool:
    """The output differs from the reference's."""
    args = (inputs or bank.inputs)()
    got, want = tensors(version(*args)), tensors(bank.reference(*args))
    return len(got) != len(want) or not all(_close(a, b, 1e-9) for a, b in zip(got, want, strict=True))


def vjp(version, bank, inputs=None, scale=1.0, rtol=1e-6) -> bool:
    """The gradient under a random signed upstream gradient differs from torch's derivative of the reference."""
    args = (inputs or bank.inputs)()
    for signed in (scale, -scale):
        got, want = _vjp(version, args, signed), _vjp(bank.reference, args, signed)
        if not all(_close(a, b, rtol) for a, b in zip(got, want, strict=True)):
            return True
    return False


def precision(version, bank, inputs=None) -> bool:
    """The float64 gradient has no more than float32's digits."""
    return vjp(version, bank, inputs, rtol=1e-10)


def large_upstream(version, bank, inputs=None) -> bool:
    """The gradient is wrong for an upstream gradient a million times as large, or as small."""
    return vjp(version, bank, inputs, 1e6) or vjp(version, bank, inputs, 1e-6)


def raises(version, bank, inputs=None) -> bool:
    """Forward or backward raises where the reference does not."""
    args = (inputs or bank.inputs)()
    _vjp(bank.reference, args)
    try:
        _vjp(version, args)
    except Exception:
        return True
    return False


def subset(version, bank, inputs=None) -> bool:
    """With only some gradients asked for, one is wrong or an error is raised."""
    args = (inputs or bank.inputs)()
    wanted = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.requires_grad]
    for keep in wanted:
        some = tuple(a.detach().requires_grad_(i == keep) if i in wanted else a for i, a in enumerate(args))
        if raises(version, bank, lambda some=some: some) or vjp(version, bank, lambda some=some: some):
            return True
    return False


def single_output(version, bank, inputs=None) -> bool:
    """With only one of the outputs used, a gradient is wrong or an error is raised."""
    count = len(tracked(tensors(bank.reference(*(inputs or bank.inputs)()))))
    for k in range(count):
        one, reference = (lambda *args, f=f, k=k: tracked(tensors(f(*args)))[k] for f in (version, bank.reference))
        args = (inputs or bank.inputs)()
        want = _vjp(reference, args)
        try:
            got = _vjp(one, args)
        except Exception:
            return True
        if not all(_close(a, b, 1e-6) for a, b in zip(got, want, strict=True)):
            return True
    return False


def raw(version, bank, inputs=None) -> bool:
    """backward itself returns another shape or dtype than its argument's; the engine sums and casts what it can."""
    for dtype in (None, torch.float32):
        args = tuple(_as(a, dtype) for a in (inputs or bank.inputs)())
        outputs = tracked(tensors(version(*args)))
        node = outputs[0].grad_fn
        returned = node.apply(*(torch.ones_like(output) for output in outputs))
        returned = returned if isinstance(returned, tuple) else (returned,)
        for a, grad in zip(args, returned, strict=False):
            asked = isinstance(a, torch.Tensor) and a.requires_grad and isinstance(grad, torch.Tensor)
            if asked and (grad.shape != a.shape or grad.dtype != a.dtype):
                return True
    return False


def single(version, bank, inputs=None) -> bool:
    """In float32 an error is raised, or the gradient is not float32's rounding of the right one."""
    args = tuple(_as(a, torch.float32) for a in (inputs or bank.inputs)())
    try:
        got = _vjp(version, args)
    except Exception:
        return True
    want = _vjp(bank.reference, args)
    return not all(_close(a, b, 1e-3) for a, b in zip(got, want, strict=True))


def writes_upstream(version, bank, inputs=None) -> bool:
    """backward changes the upstream gradient, which belongs to its caller."""
    args = _leaves((inputs or bank.inputs)())
    outputs = tracked(tensors(version(*args)))
    upstream = _upstream(outputs)
    kept = [g.clone() for g in upstream]
    _grads(outputs, args, upstream)
    return not all(torch.equal(a, b) for a, b in zip(upstream, kept, strict=True))


def writes_input(version, bank, inputs=None) -> bool:
    """forward or backward changes an argument."""
    args = _leaves((inputs or bank.inputs)())
    kept = [a.detach().clone() if isinstance(a, torch.Tensor) else a for a in args]
    try:
        outputs = tracked(tensors(version(*args)))
        _grads(outputs, args, _upstream(outputs))
    except RuntimeError:
        return True
    pairs = zip(args, kept, strict=True)
    return not all(torch.equal(a, b) for a, b in pairs if isinstance(a, torch.Tensor))


def twice(version, bank, inputs=None) -> bool:
    """A second backward of the same graph gives something else, or raises."""
    args = _leaves((inputs or bank.inputs)())
    outputs = tracked(tensors(version(*args)))
    upstream = _upstream(outputs)
    first = _grads(outputs, args, [g.clone() for g in upstream], retain_graph=True)
    try:
        second = _grads(outputs, args, upstream)
    except RuntimeError:
        return True
    return not all(_close(a, b, 1e-9) for a, b in zip(first, second, strict=True))


def stale(version, bank, inputs=None) -> bool:
    """After an argument or an output was changed in place, backward silently gives another gradient."""
    args = (inputs or bank.inputs)()
    want = _vjp(bank.reference, args)
    wanted = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.requires_grad]
    for place in ("output", *wanted):
        leaves = _leaves(args)
        inner = [a * 1.0 if i in wanted else a for i, a in enumerate(leaves)]
        outputs = tracked(tensors(version(*inner)))
        with torch.no_grad():
            (outputs[0] if place == "output" else inner[place]).mul_(-2.0)
        try:
            got = _grads(outputs, leaves, _upstream(outputs))
        except RuntimeError:
            continue
        if not all(_close(a, b, 1e-9) for a, b in zip(got, want, strict=True)):
            return True
    return False


def mixes_calls(version, bank, inputs=None) -> bool:
    """A second call before the first one's backward changes the first one's gradient."""
    args = (inputs or bank.inputs)()
    want = _vjp(bank.reference, args)
    leaves = _leaves(args)
    outputs = tracked(tensors(version(*leaves)))
    version(*(_scaled(a) for a in args))
    got = _grads(outputs, leaves, _upstream(outputs))
    return not all(_close(a, b, 1e-9) for a, b in zip(got, want, strict=True))


def second(version, bank, inputs=None) -> bool:
    """The second derivative is silently another than the reference's."""
    args = (inputs or bank.inputs)()
    try:
        got = _second(version, args)
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            return False  # an honest refusal, as once_differentiable gives
        got = [torch.zeros(())]
    want = _second(bank.reference, args)
    return len(got) != len(want) or not all(_close(a, b, 1e-6) for a, b in zip(got, want, strict=True))


def not_a_number(version, bank, inputs=None) -> bool:
    """A gradient is NaN where the output is finite."""
    args = (inputs or bank.inputs)()
    finite = all(output.isfinite().all() for output in tensors(version(*args)) if output.is_floating_point())
    return finite and any(grad.isnan().any().item() for grad in _vjp(version, args))


def slope_outside(version, bank, inputs=None, low=0.0, high=1.0) -> bool:
    """At a kink the gradient (upstream 1) lies outside what both sides allow."""
    args = _leaves((inputs or bank.inputs)())
    outputs = tracked(tensors(version(*args)))
    grads = _grads(outputs, args, [torch.ones_like(output) for output in outputs])
    return not all(((grad >= low - 1e-9) & (grad <= high + 1e-9)).all() for grad in grads)


def layout(version, bank, inputs=None) -> bool:
    """For transposed (non-contiguous) arguments or upstream gradients an error is raised or a result is wrong."""

    def turned(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().transpose(0, -1).contiguous().transpose(0, -1).requires_grad_(tensor.requires_grad)

    args = tuple(turned(a) if isinstance(a, torch.Tensor) and a.dim() > 1 else a for a in (inputs or bank.inputs)())
    try:
        leaves = _leaves(args)
        outputs = tracked(tensors(version(*leaves)))
        got = _grads(outputs, leaves, [turned(g).detach() if g.dim() > 1 else g for g in _upstream(outputs)])
    except Exception:
        return True
    want = _vjp(bank.reference, args)
    return value(version, bank, lambda: args) or not all(_close(a, b, 1e-6) for a, b in zip(got, want, strict=True))


def expanded(version, bank, inputs=None) -> bool:
    """With the expanded upstream gradient that `sum()` sends an error is raised or the gradient is wrong."""
    args = (inputs or bank.inputs)()
    results = []
    for function in (version, bank.reference):
        leaves = _leaves(args)
        try:
            sum(output.sum().real for output in tracked(tensors(function(*leaves)))).backward()
        except Exception:
            return function is version
        results.append([a.grad for a in leaves if isinstance(a, torch.Tensor) and a.requires_grad])
    return not all(_close(a, b, 1e-6) for a, b in zip(*results, strict=True))


def other_device(version, bank, inputs=None) -> bool:
    """On another device (meta) an error is raised, or a result lies elsewhere, where the reference has no trouble."""
    args = tuple(
        a.detach().to("meta").requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a
        for a in (inputs or bank.inputs)()
    )
    for function in (bank.reference, version):
        try:
            outputs = tracked(tensors(function(*args)))
            grads = _grads(outputs, args, [torch.empty_like(output) for output in outputs])
        except Exception:
            return function is version
        if any(tensor.device.type != "meta" for tensor in (*outputs, *grads)):
            return True
    return False


def leaks(version, bank, inputs=None) -> bool:
    """The output lives on after its last user let go of it, until the garbage collector comes by."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        outputs = tracked(tensors(version(*(inputs or bank.inputs)())))
        alive = [weakref.ref(output) for output in outputs]
        del outputs
        return any(ref() is not None for ref in alive)
    finally:
        if enabled:
            gc.enable()


def tracks(version, bank, inputs=None) -> bool:
    """An output requires grad where the reference's doesn't, or the reverse."""
    args = (inputs or bank.inputs)()
    got, want = tensors(version(*args)), tensors(bank.reference(*args))
    return [output.requires_grad for output in got] != [output.requires_grad for output in want]


def aliases(version, bank, inputs=None) -> bool:
    """The output shares its memory with an argument, where the reference's doesn't."""
    args = (inputs or bank.inputs)()

    def shares(function) -> bool:
        memory = {a.untyped_storage().data_ptr() for a in args if isinstance(a, torch.Tensor)}
        return any(output.untyped_storage().data_ptr() in memory for output in tensors(function(*args)))

    return shares(version) and not shares(bank.reference)


def wrong_jvp(version, bank, inputs=None) -> bool:
    """The forward-mode derivative differs from the reference's, or raises."""
    args = (inputs or bank.inputs)()
    tangents = tuple(_upstream(list(args)))
    want = torch.func.jvp(bank.reference, args, tangents)[1]
    try:
        got = torch.func.jvp(version, args, tangents)[1]
    except Exception:
        return True
    return not all(_close(a, b, 1e-6) for a, b in zip(tensors(got), tensors(want), strict=True))


def wrong_vmap(version, bank, inputs=None) -> bool:
    """Under vmap values or gradients differ from the reference's, or an error is raised."""
    args = tuple(torch.stack([a.detach(), 2 * a.detach(), -a.detach()]) for a in (inputs or bank.inputs)())

    def grads(function):
        def loss(*single):
            return sum((tensor.sin() * tensor).sum() for tensor in tensors(function(*single)))

        gradients = torch.func.grad(loss, tuple(range(len(args))))
        return (*tensors(torch.func.vmap(function)(*args)), *torch.func.vmap(gradients)(*args))

    want = grads(bank.reference)
    try:
        got = grads(version)
    except Exception:
        return True
    return not all(_close(a, b, 1e-6) for a, b in zip(got, want, strict=True))


GENERAL = (
    value, vjp, precision, large_upstream, raises, subset, single_output, raw, single, writes_upstream, twice, stale,
    mixes_calls, second, not_a_number, layout, expanded, other_device, leaks, tracks,
)  # fmt: skip


def tensors(result: object) -> list[torch.Tensor]:
    results = result if isinstance(result, (tuple, list)) else [result]
    return [item for item in results if isinstance(item, torch.Tensor)]


def tracked(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    return [output for output in outputs if output.requires_grad]


def _leaves(args: tuple) -> tuple:
    return tuple(a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in args)


def _upstream(outputs: list[torch.Tensor]) -> list[torch.Tensor]:
    random = torch.Generator().manual_seed(1)
    return [torch.randn(output.shape, generator=random, dtype=torch.float64).to(output.dtype) for output in outputs]


def _grads(outputs, args, upstream, **options) -> list[torch.Tensor]:
    wanted = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
    grads = torch.autograd.grad(outputs, wanted, upstream, allow_unused=True, **options)
    return [torch.zeros_like(a) if grad is None else grad for a, grad in zip(wanted, grads, strict=True)]


def _vjp(function, args: tuple, scale: float = 1.0) -> list[torch.Tensor]:
    leaves = _leaves(args)
    outputs = tracked(tensors(function(*leaves)))
    return _grads(outputs, leaves, [scale * g for g in _upstream(outputs)])


def _second(function, args: tuple) -> list[torch.Tensor]:
    leaves = _leaves(args)
    outputs = tracked(tensors(function(*leaves)))
    upstream = [g.requires_grad_() for g in _upstream(outputs)]
    grads = _grads(outputs, leaves, upstream, create_graph=True)
    if any("Error" in grad.grad_fn.name() for grad in grads if grad.grad_fn is not None):
        raise RuntimeError("no second derivative, as once_differentiable declares")
    weighted = sum((weight * grad).sum().real for weight, grad in zip(_upstream(grads), grads, strict=True))
    wanted = [a for a in (*leaves, *upstream) if isinstance(a, torch.Tensor) and a.requires_grad]
    found = torch.autograd.grad(weighted, wanted, allow_unused=True)
    return [torch.zeros_like(a) if grad is None else grad for a, grad in zip(wanted, found, strict=True)]


def _as(a: object, dtype: torch.dtype | None) -> object:
    if not isinstance(a, torch.Tensor) or dtype is None or not (a.is_floating_point() or a.is_complex()):
        return a
    return a.detach().to(torch.complex64 if a.is_complex() else dtype).requires_grad_(a.requires_grad)


def _scaled(a: object) -> object:
    if isinstance(a, torch.Tensor) and a.requires_grad:
        return (a.detach() * -1.5 + 0.25).requires_grad_()
    return a


def _close(a: torch.Tensor, b: torch.Tensor, rtol: float) -> bool:
    if a.shape != b.shape:
        return False
    scale = max(1e-3, float(b.detach().abs().max())) if b.numel() else 0.0  # a zero is as exact as what it was summed from
    return bool(torch.isclose(a.to(b.dtype), b, rtol=rtol, atol=rtol * scale, equal_nan=True).all())
