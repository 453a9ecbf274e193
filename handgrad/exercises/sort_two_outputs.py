"""The exercise `sort_two_outputs` of chapter 05: two outputs, of which one has no gradient, and a gradient put back in place."""

from collections.abc import Callable, Iterator

import torch

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Subject, numbers
from handgrad.exercises.audited import audit_probes
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

Function = type[torch.autograd.Function]
NAMES = ("input",)


def _distinct(draw: Draw, *shape: int) -> torch.Tensor:
    """Numbers that differ within a row, so that there is one order."""
    numbers = draw.normal(*shape)
    return numbers + 0.001 * torch.arange(shape[-1], dtype=numbers.dtype, device=numbers.device)


def _inputs(draw: Draw) -> list[torch.Tensor]:
    cycle = tensor([3.0, 1.0, 2.0])  # sorting it and undoing that are two different permutations
    rows = torch.stack([cycle, cycle.flip(0), _distinct(draw, 3)])
    return [cycle, _distinct(draw, 2, 4), rows, _distinct(draw, 2, 1, 3), _distinct(draw, 5)]


def _outputs(answer: Function, draw: Draw) -> Iterator[Case]:
    """Values, indices, and which of them asks for gradients."""
    for x in _inputs(draw):
        leaf = x.clone().requires_grad_()
        outputs = answer.apply(leaf)
        many = isinstance(outputs, tuple) and len(outputs) == 2
        seen: dict = {"what forward returns": "two outputs" if many else described(outputs)}
        if many:
            values, indices = outputs
            seen |= {"values": plain(values), "indices": plain(indices), "input after forward": plain(leaf)}
            for name, output in (("values", values), ("indices", indices)):
                seen[f"{name} require grad"] = output.requires_grad if isinstance(output, torch.Tensor) else described(output)
        yield {"given": f"input = {numbers(x)}", "seen": seen}


def _upstream(answer: Function, draw: Draw) -> Iterator[Case]:
    """The vector-Jacobian product under signed upstream gradients; the indices weigh the loss as constants."""
    for x in _inputs(draw):
        leaf = x.clone().requires_grad_()
        values, indices = answer.apply(leaf)
        g = draw.normal(*x.shape)
        ((values * g).sum() + (values * indices).sum()).backward()
        sent = g + torch.sort(x).indices
        yield {"given": f"input = {numbers(x)}, upstream {numbers(sent)}", "seen": {"gradient of input": plain(leaf.grad)}}


def _ties(answer: Function, draw: Draw) -> Iterator[Case]:
    """Equal elements may come out in any order, as long as forward and backward mean the same one."""
    for x in (tensor([2.0, 0.5, 2.0, 2.0, 0.5]), tensor([[1.0, 1.0], [0.0, 1.0]])):
        leaf = x.clone().requires_grad_()
        values, indices = answer.apply(leaf)
        g = draw.normal(*x.shape)
        values.backward(g)
        places = torch.arange(x.shape[-1], device=x.device).expand(x.shape)
        whole = torch.equal(indices.sort().values, places)
        seen = {"values": plain(values), "indices name each place once": whole}
        if whole:
            seen["input, read at the indices"] = plain(x.gather(-1, indices))
            seen["gradient of input, read at the indices"] = plain(leaf.grad.gather(-1, indices))
        yield {"given": f"input = {numbers(x)}, upstream {numbers(g)}", "seen": seen}


def _nothing(*outputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return ()


def sort_with(backward: Callable, forward: Callable = torch.sort, marked: Callable = _nothing) -> Function:
    """Sort with a backward of its own, `(grad_values, indices) -> gradient`."""

    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            values, indices = forward(input)
            ctx.mark_non_differentiable(*marked(values, indices))
            ctx.save_for_backward(indices)
            return values, indices

        @staticmethod
        def backward(ctx, grad_values, _):
            (indices,) = ctx.saved_tensors
            return backward(grad_values, indices)

    return Sort


def _scattered(g: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(g).scatter(-1, indices, g)


SORT_TWO_OUTPUTS = Exercise(
    name="sort_two_outputs",
    chapter="05_context",
    probes=(
        *function_probes(Subject(NAMES, lambda draw: [])),
        Probe("outputs", _outputs, "forward returns what torch.sort gives along the last dimension: (values, indices)."),
        Probe("upstream", _upstream, "The gradient of a value belongs to the place that the value came from, indices[i]."),
        Probe(
            "ties",
            _ties,
            "Equal elements are told apart by their places alone: save the indices of forward, and do not look for values.",
        ),
        *audit_probes(
            lambda draw: (_distinct(draw, 3, 4).requires_grad_(),),
            NAMES,
            *("returned", "linear", "second order", "upstream untouched", "stale", "calls apart", "other dtype", "device"),
            *("shapes", "saved"),
            reference=torch.sort,
            advice=("saved",),
        ),
    ),
    reference=sort_with(_scattered),
    slips=(
        Slip(
            sort_with(lambda g, i: g.gather(-1, i)),
            "gather sorts the gradient once more. The way back is scatter: what stands at i goes to indices[i].",
        ),
        Slip(
            sort_with(lambda g, i: g.clone()),
            "The gradient comes back in the order of the sorted values: put each where its value stood in the input.",
        ),
        Slip(sort_with(lambda g, i: _scattered(torch.ones_like(g), i)), "backward ignores grad_values."),
        Slip(
            sort_with(lambda g, i: _scattered(g.flip(-1), i)),
            "The gradient is turned round: the first value's gradient goes to indices[0], the first of them.",
        ),
        Slip(
            sort_with(_scattered, lambda x: torch.sort(x, descending=True)),
            "Smallest first: yours are sorted the other way round.",
        ),
        Slip(
            sort_with(_scattered, lambda x: torch.sort(x, dim=0)),
            "Each row is sorted by itself: along the last dimension, which is torch.sort's own choice.",
        ),
        Slip(
            sort_with(_scattered, lambda x: (torch.sort(x).values, torch.sort(x).indices.to(x.dtype))),
            "Indices are integers. As floats they require grad, and nothing differentiable leads to them.",
        ),
        Slip(
            sort_with(_scattered, marked=lambda values, indices: (values, indices)),
            "The values are marked, so no gradient comes back through them: mark the indices alone.",
        ),
    ),
    errors=(
        (
            r"backward\(\) takes \d positional arguments? but \d were given",
            "forward has two outputs, so backward gets two gradients: (ctx, grad_values, grad_indices). Ignore the second.",
        ),
        (
            r"incorrect number of gradients",
            "backward returns one gradient for each input of forward, and there is one. For outputs it gets gradients.",
        ),
        (
            r"Expected dtype int64 for index|tensors used as indices must be",
            "scatter wants the integer indices that sort gave.",
        ),
        (r"Expected self.dtype to be equal", "The zeros have another dtype than the gradient: zeros_like(grad_values)."),
    ),
    rules=(not_instantiated("Sort"), forward_not_called("Sort")),
    hints=(
        "Sorting only moves numbers. Where did the value at place i come from, and where does its gradient belong?",
        "gradient[indices[i]] = grad_values[i], in each row by itself; of the indices there is nothing to differentiate.",
        "`ctx.save_for_backward(indices)`; then `torch.zeros_like(grad_values).scatter(-1, indices, grad_values)`.",
    ),
)

EXERCISES = (SORT_TWO_OUTPUTS,)
