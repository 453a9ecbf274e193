"""The exercise `checkpoint_safe` of chapter 11: a dropout whose forward may run twice."""

import gc
from collections.abc import Callable, Iterator, Sized

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject
from handgrad.device import device
from handgrad.exercises.exercise import SLIPS, Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
MANY = 4000
SUBJECT = Subject(names=("input", "p"), samples=lambda draw: [(draw.normal(2, 3).requires_grad_(), 0.5)])


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, p):
        scale = (torch.rand_like(input) >= p) / (1 - p)
        scale = scale.to(input.dtype)
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx, grad_output):
        (scale,) = ctx.saved_tensors
        return grad_output * scale, None


def _changed(forward: Callable | None = None, backward: Callable | None = None) -> Function:
    """The right dropout with another `forward(ctx, input, p)` or `backward(ctx, grad_output)`."""

    class Changed(_Dropout):
        pass

    if forward:
        Changed.forward = staticmethod(forward)
    if backward:
        Changed.backward = staticmethod(backward)
    return Changed


def _close(one: object, other: Tensor) -> bool:
    """Whether two tensors are equal but for rounding."""
    alike = isinstance(one, Tensor) and one.shape == other.shape and one.dtype == other.dtype
    return alike and torch.allclose(one, other, rtol=1e-5, atol=1e-8)


def _leaf(draw: Draw, *shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return draw.normal(*shape, dtype=dtype).requires_grad_()


def _share(dropped: Tensor, p: float) -> str | float:
    """The share of what was dropped, in words where it is near p: 4000 draws are off by 0.05 once in a billion."""
    share = dropped.double().mean().item()
    return "about p" if abs(share - p) < 0.05 else round(share, 2)


def _forward(answer: Function, draw: Draw) -> Iterator[Case]:
    """Each element is dropped with probability p, or divided by 1 - p: the expectation of the output is the input."""
    for p in (0.5, 0.2, 0.8):
        input = _leaf(draw, MANY)
        kept = input.detach().clone()
        output = answer.apply(input, p)
        dropped = output == 0
        seen = {
            "share of zeros": _share(dropped, p),
            "what is not dropped is input / (1 - p)": _close(output[~dropped], (kept / (1 - p))[~dropped]),
            "input after forward is as it was": torch.equal(input, kept),
            "output requires grad": output.requires_grad,
        }
        yield {"given": f"input of {MANY} numbers, p = {p}", "seen": seen}
    input = _leaf(draw, 5)
    output = answer.apply(input, 0.0)
    yield {"given": "p = 0", "seen": {"output is input": _close(output, input), "it is another tensor": output is not input}}


def _on_its_own(answer: Function, draw: Draw) -> Iterator[Case]:
    """How many are dropped is drawn too: of 4000 the same number five times over comes once in ten million."""
    counts = {int((answer.apply(_leaf(draw, MANY), 0.5) == 0).sum()) for _ in range(5)}
    seen = {"the number of zeros is the same each time": len(counts) == 1}
    yield {"given": f"input of {MANY} numbers, p = 0.5, five times", "seen": seen}


def _dtype(answer: Function, draw: Draw) -> Iterator[Case]:
    """The output has the dtype of input."""
    for dtype in (torch.float32, torch.bfloat16):  # a scale in float32 is too long for the second alone
        output = answer.apply(_leaf(draw, 2, 3, dtype=dtype), 0.5)
        seen = {"output": f"shape {tuple(output.shape)}, {output.dtype}"}
        yield {"given": f"input of shape (2, 3), {str(dtype)[6:]}", "seen": seen}


def _gradient(answer: Function, draw: Draw) -> Iterator[Case]:
    """What the output dropped gets no gradient, what it scaled gets the same scale."""
    for p in (0.5, 0.3):
        for dtype in (torch.float64, torch.float32):
            input, g = _leaf(draw, 20, 10, dtype=dtype), draw.normal(20, 10, dtype=dtype)
            output = answer.apply(input, p)
            output.backward(g.clone())
            seen = {"gradient": _in_words(input, output, g, p)}
            yield {"given": f"y.backward(g), p = {p}, {str(dtype)[6:]}", "seen": seen}


FITS = "grad_output times what forward multiplied by"


def _in_words(input: Tensor, output: Tensor, g: Tensor, p: float) -> str:
    """What the gradient is of, for an input without zeros."""
    scale = (output / input).detach()
    known = {
        FITS: g * scale,
        "grad_output where it was kept, without 1 / (1 - p)": g * scale * (1 - p),
        "grad_output as it is": g,
        "what forward multiplied by, without grad_output": scale,
    }
    return next((text for text, value in known.items() if _close(input.grad, value)), "that of another draw")


def _zeros(answer: Function, draw: Draw) -> Iterator[Case]:
    """Where the input is 0 the output is 0 as well, and says nothing of what was drawn."""
    zeros = tensor([0.0] * MANY).requires_grad_()
    (grad,) = torch.autograd.grad(answer.apply(zeros, 0.3).sum(), zeros)
    whole = grad[grad != 0]
    seen = {
        "share of zeros in the gradient": _share(grad == 0, 0.3),
        "the rest is 1 / (1 - p)": _close(whole, 0 * whole + 1 / 0.7),
    }
    yield {"given": f"an input of {MANY} zeros, p = 0.3, y.sum().backward()", "seen": seen}


def _upstream_untouched(answer: Function, draw: Draw) -> Iterator[Case]:
    """backward leaves the upstream gradient as it was: other branches read the same tensor."""
    g = draw.normal(20)
    kept = g.clone()
    answer.apply(_leaf(draw, 20), 0.5).backward(g)
    yield {"given": "y.backward(g), input of shape (20,), p = 0.5", "seen": {"g is as it was": torch.equal(g, kept)}}


def _random(answer: Function, draw: Draw) -> Iterator[Case]:
    """The numbers are torch's: two calls differ, torch.manual_seed repeats them, and what comes after is not the same."""
    input, drawn, after = _leaf(draw, 200), [], []
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        drawn.append(answer.apply(input, 0.5).detach())
        drawn.append(answer.apply(input, 0.5).detach())
        after.append(torch.rand((), device=device()).item())
    seen = {
        "two calls give the same": torch.equal(drawn[0], drawn[1]),
        "another seed gives the same": torch.equal(drawn[0], drawn[2]),
        "the same seed gives the same": torch.equal(drawn[0], drawn[4]) and torch.equal(drawn[1], drawn[5]),
        "whoever draws later finds the same whatever the seed": after[0] == after[1],
    }
    yield {"given": "torch.manual_seed(1), twice f(input, 0.5), then seeds 2 and 1 again", "seen": seen}
    after = []
    for goes_back in (False, True):
        torch.manual_seed(1)
        output = answer.apply(input, 0.5)
        torch.rand(3, device=device())  # somebody else draws between the two
        if goes_back:
            output.sum().backward()
        after.append(torch.rand((), device=device()).item())
    seen = {"whoever draws after backward finds what is next": after[0] == after[1]}
    yield {"given": "torch.manual_seed(1), y = f(input, 0.5), torch.rand(3), y.sum().backward()", "seen": seen}


class _Results(TorchDispatchMode):
    """The memory of all results of operations, as far as it lives."""

    def __init__(self) -> None:
        super().__init__()
        self._results: dict[StorageWeakRef, int] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for part in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(part, Tensor):
                self._results[StorageWeakRef(part.untyped_storage())] = part.untyped_storage().nbytes()
        return result

    def alive(self, *known: Tensor) -> int:
        """Bytes that somebody holds, beside the memory of these tensors."""
        others = {StorageWeakRef(t.untyped_storage()) for t in known}
        return sum(size for ref, size in self._results.items() if not ref.expired() and ref not in others)


def _kept(answer: Function, draw: Draw) -> Iterator[Case]:
    """Between forward and backward a checkpoint keeps the arguments of its segment, and the Function must keep nothing more."""
    input = _leaf(draw, 100)
    with _Results() as usual:  # the checkpoint itself keeps the state of the random numbers
        plain = checkpoint(lambda x: x * 1, input, use_reentrant=False)
    with _Results() as results:
        output = checkpoint(lambda x: answer.apply(x, 0.5), input, use_reentrant=False)
    if results.alive(input, output) != usual.alive(input, plain):
        gc.collect()  # in a large process it takes long, so only where something is left
    more = results.alive(input, output) - usual.alive(input, plain)
    given = "checkpoint(f, input, use_reentrant=False), before backward"
    yield {"given": given, "seen": {"bytes that are kept meanwhile": more}}
    kept = vars(answer.apply(input, 0.5).grad_fn)
    long = sorted(name for name, value in kept.items() if isinstance(value, Sized) and len(value) >= len(input))
    yield {"given": "f(input, 0.5), input of 100 numbers", "seen": {"attributes of ctx that hold as many": long}}


def _checkpointed(answer: Function, draw: Draw) -> Iterator[Case]:
    """forward runs again when backward asks for what was saved: it must do what it did the first time."""
    for reentrant in (False, True):
        input, g, runs = _leaf(draw, 200), draw.normal(200), []

        def segment(x: Tensor, runs: list = runs) -> Tensor:
            runs.append(1)
            return answer.apply(x, 0.5)

        output = checkpoint(segment, input, use_reentrant=reentrant)
        output.backward(g)
        seen = {"gradient": _in_words(input, output, g, 0.5), "runs of forward": len(runs)}
        accept = {"runs of forward": [1, 2]}  # who saves nothing, a seed perhaps, leaves a checkpoint nothing to ask for
        yield {"given": f"checkpoint(f, input, use_reentrant={reentrant})", "seen": seen, "accept": accept}


def _two_segments(answer: Function, draw: Draw) -> Iterator[Case]:
    """Two segments, whose second runs come in the other order than the first."""
    one, two, g = _leaf(draw, 200), _leaf(draw, 200), draw.normal(200)
    outputs = [checkpoint(lambda x: answer.apply(x, 0.5), x, use_reentrant=False) for x in (one, two)]
    torch.rand(3, device=device())  # somebody draws in between
    for output in reversed(outputs):
        output.backward(g)
    seen = {
        f"gradient of the {n}": _in_words(x, y, g, 0.5) for n, x, y in zip(("first", "second"), (one, two), outputs, strict=True)
    }
    yield {"given": "two checkpointed calls, backward through the second and then the first", "seen": seen}


_FITS = "The gradient is that of another draw: keep what forward drew, draw nothing in backward."
_TORCHS = (
    "Draw with torch's own random numbers, and leave their seed alone: a checkpoint restores those before it runs forward again, "
    "and no others."
)

CHECKPOINT_SAFE = Exercise(
    name="checkpoint_safe",
    chapter="11_compile",
    probes=(
        *function_probes(SUBJECT),
        Probe("forward", _forward, "Each element by itself is dropped with probability p, what stays is divided by 1 - p."),
        Probe("dtype", _dtype, "The output has the dtype of input: a scale in float32 makes float32 of bfloat16."),
        Probe("gradient", _gradient, _FITS),
        Probe("upstream untouched", _upstream_untouched, SLIPS["upstream untouched"]),
        Probe("zeros", _zeros, "Where the input is 0, the output says nothing of what was drawn: keep the draw itself."),
        Probe("random", _random, _TORCHS),
        Probe("on its own", _on_its_own, "Each element is drawn by itself, so how many are dropped differs from call to call."),
        Probe(
            "kept", _kept,
            "A checkpoint drops what save_for_backward was given, and nothing else: an attribute of ctx, a list, the class keep "
            "their tensors, and forward runs once.",
        ),
        Probe("checkpoint", _checkpointed, _TORCHS),
        Probe("two segments", _two_segments, "Two calls share something: keep what backward needs on ctx, one for each call."),
        *function_probes(SUBJECT, "device")[1:],
    ),
    reference=_Dropout,
    slips=(
        Slip(
            _changed(lambda ctx, input, p: input * (torch.rand_like(input) >= p)),
            "The rest is not scaled: divided by 1 - p, the output has the expectation of the input.",
        ),
        Slip(
            _changed(lambda ctx, input, p: input * (torch.rand_like(input) < p) / p if p else 0 * input),
            "p is the probability to drop, and yours is that to stay.",
        ),
        Slip(
            _changed(backward=lambda ctx, g: (g * (ctx.saved_tensors[0] > 0), None)),
            "forward divides by 1 - p, and so must backward.",
        ),
        Slip(_changed(backward=lambda ctx, g: (ctx.saved_tensors[0], None)), "backward ignores grad_output."),
        Slip(_changed(backward=lambda ctx, g: (g, None)), "What forward dropped gets no gradient: where is the mask?"),
    ),
    errors=(
        (r"incorrect number of gradients", "forward has two arguments, so backward returns two: the gradient and None."),
        (r"save_for_backward can only save", "p is a number: what backward needs of it can be in the mask, or on ctx."),
        (r"Recomputed values|CheckpointError", "The second run of forward saved something else than the first."),
    ),
    rules=(not_instantiated("Dropout"), forward_not_called("Dropout")),
    hints=(
        "forward runs a second time just before backward. What must be the same then, and who sees to it?",
        "The mask is drawn in forward by torch, kept by save_for_backward, and both output and gradient are multiplied by "
        "mask / (1 - p).",
        "`scale = (torch.rand_like(input) >= p) / (1 - p)`, `ctx.save_for_backward(scale)`, `return input * scale`; backward: "
        "`return grad_output * scale, None`.",
    ),
)  # fmt: skip

EXERCISES = (CHECKPOINT_SAFE,)
