"""The exercise `per_sample_gradients` of chapter 10: one gradient for each example, in one pass."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch.func import grad, vmap

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, plain
from handgrad.audit.rules import forward_not_called, not_instantiated
from handgrad.audit.subject import Args, Subject
from handgrad.exercises.exercise import Exercise, Probe, Slip, function_probes

NAMES = ("input", "weight", "bias")
Params = dict[str, torch.Tensor]


def _args(draw: Draw, n_in: int, n_out: int) -> Args:
    return tuple(draw.normal(*shape).requires_grad_() for shape in ((n_in,), (n_out, n_in), (n_out,)))


ONE_EXAMPLE = Subject(
    names=NAMES, samples=lambda draw: [_args(draw, 3, 2), _args(draw, 2, 4), _args(draw, 1, 1), _args(draw, 3, 1)]
)


class _Linear(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(input, weight, bias):
        return weight @ input + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return grad_output @ weight, torch.outer(grad_output, input), grad_output


def _per_sample(loss: Callable, params: Params, x: torch.Tensor, y: torch.Tensor) -> Params:
    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)


def _with_backward(backward: Callable) -> type[torch.autograd.Function]:
    class WithBackward(_Linear):
        @staticmethod
        def backward(ctx, grad_output):
            return backward(grad_output, *ctx.saved_tensors)

    return WithBackward


def _with_linear(answer: tuple) -> Callable:
    """The squared error of two layers made of the answer's Function, for one example."""

    def loss(params: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        hidden = answer[0].apply(x, params["w1"], params["b1"]).tanh()
        return (answer[0].apply(hidden, params["w2"], params["b2"]) - y).pow(2).sum()

    return loss


def _of_torch(params: Params, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Of one example, a row x and the number y of its class; nothing in it was written by hand."""
    return torch.nn.functional.cross_entropy(params["w"] @ x * params["s"], y)


def _dict(draw: Draw, **shapes: tuple[int, ...]) -> Params:
    return {name: draw.normal(*shape) for name, shape in shapes.items()}


def _two_layers(draw: Draw, n: int, size: int = 3) -> tuple[Params, torch.Tensor, torch.Tensor]:
    params = _dict(draw, w1=(size, 2), b1=(size,), w2=(2, size), b2=(2,))
    return params, draw.normal(n, 2), draw.normal(n, 2)


def _gradients(seen: object, params: Params) -> dict:
    if not isinstance(seen, dict):
        return {"what per_sample_gradients returns": plain(seen)}
    return {f"gradients of {name}": plain(seen.get(name)) for name in params}


def _kind(answer: tuple, draw: Draw) -> Iterator[Case]:
    """A dictionary with the names of params; each gradient has one dimension more than its parameter, in front."""
    params, x, y = _two_layers(draw, 5)
    found = answer[1](_with_linear(answer), params, x, y)
    seen: dict = {"names": sorted(map(str, found)) if isinstance(found, dict) else plain(type(found))}
    for name in params:
        value = found.get(name) if isinstance(found, dict) else None
        seen[f"shape of the gradients of {name}"] = list(value.shape) if isinstance(value, torch.Tensor) else plain(type(value))
    yield {"given": "5 examples", "seen": seen}


def _a_loop(answer: tuple, draw: Draw) -> Iterator[Case]:
    """The same as one grad after the other; as many examples as outputs, too, where a mistaken dimension is no error."""
    for n in (5, 3, 1):
        params, x, y = _two_layers(draw, n)
        found = answer[1](_with_linear(answer), params, x, y)
        yield {"given": f"two layers of your LinearFunction, {n} examples", "seen": _gradients(found, params)}


def _untouched(answer: tuple, draw: Draw) -> Iterator[Case]:
    """Nothing that was handed over is changed, neither the tensors nor the dictionary."""
    params, x, y = _two_layers(draw, 5)
    kept = {name: value.clone() for name, value in {**params, "x": x, "y": y}.items()}
    answer[1](_with_linear(answer), params, x, y)
    now = {**params, "x": x, "y": y}
    seen = {f"{name} afterwards": plain(now.get(name)) for name in kept}
    yield {"given": "5 examples", "seen": seen | {"names in params": sorted(params)}}


def _any_loss(answer: tuple, draw: Draw) -> Iterator[Case]:
    """Another loss: a class for each example, other names and shapes, float32; params that require a gradient themselves."""
    y = tensor([draw.integer(0, 2) for _ in range(4)], torch.int64)
    params, x = _dict(draw, w=(3, 2), s=()), draw.normal(4, 2)
    yield {"given": "cross entropy, 4 examples, 3 classes", "seen": _gradients(answer[1](_of_torch, params, x, y), params)}
    leaves = {name: value.clone().requires_grad_() for name, value in params.items()}
    found = answer[1](_of_torch, leaves, x, y)
    seen = _gradients(found, params) | {f".grad of {name}": plain(leaf.grad) for name, leaf in leaves.items()}
    yield {"given": "cross entropy, params that require a gradient", "seen": seen}
    single = {name: value.float() for name, value in params.items()}
    seen = _gradients(answer[1](_of_torch, single, x.float(), y), params)
    yield {"given": "cross entropy in float32", "seen": seen, "tolerance": [1e-4, 1e-5]}


def _one_pass(answer: tuple, draw: Draw) -> Iterator[Case]:
    """The loss is called for all examples at once, and one backward goes through it; a loop needs one of each an example."""
    params, x, y = _two_layers(draw, 6)
    calls = Counter()

    class Counted(_Linear):
        @staticmethod
        def backward(ctx, grad_output):
            calls["backward"] += 1
            return _Linear.backward(ctx, grad_output)

    def loss(*args: object) -> torch.Tensor:
        calls["loss"] += 1
        return _with_linear((Counted,))(*args)

    answer[1](loss, params, x, y)
    seen = {"calls of loss": calls["loss"], "backward passes": calls["backward"] / 2}  # of two layers
    yield {"given": "6 examples", "seen": seen, "accept": {label: [{"between": [1, 2]}] for label in seen}}


def _of_the_function(probe: Probe) -> Probe:
    """The same probe for the first part of a pair."""
    return replace(probe, observe=lambda answer, draw: probe.observe(answer[0], draw))


def _function(backward: Callable, text: str) -> Slip:
    return Slip((_with_backward(backward), _per_sample), text)


def _answer(per_sample: Callable, text: str) -> Slip:
    return Slip((_Linear, per_sample), text)


def _mean(loss: Callable) -> Callable:
    return lambda params, x, y: vmap(loss, (None, 0, 0))(params, x, y).mean()


PER_SAMPLE = Exercise(
    name="per_sample_gradients",
    chapter="10_transforms",
    probes=(
        *map(
            _of_the_function,
            function_probes(
                ONE_EXAMPLE, "forward", "returned", "returned shape", "upstream", "gradcheck", "upstream untouched", "stale",
                "second order", "device", "saved",
                advice=("saved",),
            ),
        ),
        Probe("shapes", _kind, "Each parameter has one gradient for each example: the examples are the first dimension."),
        Probe("a loop", _a_loop, "The gradients are others than those of a loop over the examples."),
        Probe("untouched", _untouched, "params, x and y belong to the caller: change nothing in them."),
        Probe("any loss", _any_loss, "It holds for one loss only: call loss(params, x, y) for one example, and nothing else."),
        Probe("one pass", _one_pass, "A loop goes through the loss once for each example; vmap goes once for all of them."),
    ),
    reference=(_Linear, _per_sample),
    slips=(
        _function(lambda g, x, w: (g @ w, torch.outer(x, g), g), "The weight gradient is transposed: outer(grad_output, input)."),
        _function(lambda g, x, w: (g @ w, torch.outer(g, x), None), "The bias gets None as its gradient: it is grad_output."),
        _function(lambda g, x, w: (g @ w, torch.outer(g, x), torch.ones_like(g)), "The bias gradient ignores grad_output."),
        _answer(
            lambda loss, params, x, y: grad(_mean(loss))(params, x, y),
            "These are the gradients of the whole batch: one for each example is asked for, nothing summed or averaged.",
        ),
        _answer(
            lambda loss, params, x, y: {k: v / len(x) for k, v in _per_sample(loss, params, x, y).items()},
            "The gradients are divided by the number of examples: each belongs to the loss of one example alone.",
        ),
        _answer(
            lambda loss, params, x, y: {k: v.flatten(1).norm(dim=1) for k, v in _per_sample(loss, params, x, y).items()},
            "These are the norms of the gradients; the gradients themselves are asked for.",
        ),
    ),
    errors=(
        (r"same size in the mapped dimension", "All examples share the parameters: they are None in in_dims, (None, 0, 0)."),
        (r"return a scalar Tensor", "grad wants one number: take the gradient of one example, inside vmap."),
        (r"inconsistent tensor size", "backward is for one example: the weight gradient is torch.outer(grad_output, input)."),
        (r"size mismatch", "A matrix meets a vector of another length: the input gradient is weight.t() @ grad_output."),
        (r"shapes cannot be multiplied", "loss takes one example: x[n] and y[n], not the whole batch."),
        (r"does not have vmap support", "Allow vmap to run the Function on a batch: `generate_vmap_rule = True` in the class."),
    ),
    rules=(not_instantiated("LinearFunction"), forward_not_called("LinearFunction")),
    given=("forward",),
    hints=(
        "Which function gives the gradient for one example? Which transform runs a function for many examples at once?",
        "per-sample gradients = vmap(grad(loss)): params are the same for all examples, x and y have one row for each.",
        "`generate_vmap_rule = True`; `return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)`.",
    ),
)  # fmt: skip

EXERCISES = (PER_SAMPLE,)
