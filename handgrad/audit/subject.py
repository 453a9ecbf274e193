"""What the probes of a Function need to know about it: its arguments, and an oracle that is right by construction."""

from collections.abc import Callable
from dataclasses import dataclass

import torch

from handgrad.audit.draw import Draw
from handgrad.audit.formats import MOST_SHOWN, show
from handgrad.audit.record import plain

Args = tuple


@dataclass(frozen=True)
class Subject:
    """A kind of Function that probes can call.

    Attributes:
        names: the arguments of forward, as the exercise calls them.
        samples: arguments for most probes. A tensor that gradients are asked for has requires_grad.
        extremes: arguments too large or too close to a kink for finite differences; values and gradients are compared.
        shapes: arguments of unusual shapes and layouts, each with its name.
        kinks: arguments in which the first tensor has one element, at a point where the derivative jumps.
        at_kink: the derivatives that are accepted there, as an interval.
    """

    names: tuple[str, ...]
    samples: Callable[[Draw], list[Args]]
    extremes: Callable[[Draw], list[Args]] = lambda draw: []
    shapes: Callable[[Draw], list[tuple[str, Args]]] = lambda draw: []
    kinks: Callable[[Draw], list[Args]] = lambda draw: []
    at_kink: tuple[float, float] = (0.0, 1.0)


def leaves(args: Args) -> Args:
    """Fresh leaves with the values, the strides and the requires_grad of `args`."""
    return tuple(a.detach().clone().requires_grad_(a.requires_grad) if isinstance(a, torch.Tensor) else a for a in args)


def differentiable(args: Args) -> list[int]:
    """Positions of the arguments whose gradient is asked for."""
    return [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.requires_grad]


def numbers(tensor: torch.Tensor) -> str:
    """The numbers of a tensor that is short enough to read, else its shape."""
    if tensor.numel() > MOST_SHOWN or tensor.numel() == 0 or tensor.is_meta:
        return f"of shape {tuple(tensor.shape)}"
    return show(plain(tensor))


def words(names: tuple[str, ...], args: Args) -> str:
    """`input = [-1., 2.], slope = 0.1`; tensors too long to read, alone or together, by their shape."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    too_much = sum(value.numel() for value in tensors) > MOST_SHOWN
    parts = []
    for name, value in zip(names, args, strict=False):
        if not isinstance(value, torch.Tensor):
            parts.append(f"{name} = {value}")
            continue
        by_shape = too_much and len(tensors) > 1
        text = f"of shape {tuple(value.shape)}" if by_shape else numbers(value)
        asked = value.requires_grad or not (value.is_floating_point() or value.is_complex())  # of integers nobody can
        frozen = "" if asked else " (no gradient asked)"
        parts.append(f"{name} {text if text.startswith('of shape') else '= ' + text}{frozen}")
    return ", ".join(parts)


def oracle(fn: Callable, backward: Callable | None = None) -> type[torch.autograd.Function]:
    """A Function whose forward is `fn` and whose backward is torch's own derivative of `fn`.

    With `backward(upstream, *args) -> gradients` the backward is replaced: that makes a wrong Function whose answers
    the judge can recognise.
    """

    class Oracle(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *args):
            ctx.save_for_backward(*(a if isinstance(a, torch.Tensor) else None for a in args))
            ctx.others = [None if isinstance(a, torch.Tensor) else a for a in args]
            return fn(*args)

        @staticmethod
        def backward(ctx, upstream):
            saved = zip(ctx.saved_tensors, ctx.others, strict=True)
            args = [tensor if tensor is not None else other for tensor, other in saved]
            if backward is not None:
                grads = backward(upstream, *args)
                return grads if isinstance(grads, tuple) else (grads,)
            needed = [i for i, needs in enumerate(ctx.needs_input_grad) if needs]
            again = torch.is_grad_enabled()
            with torch.enable_grad():
                args = [a if again or not isinstance(a, torch.Tensor) else a.detach() for a in args]
                args = [a.requires_grad_() if i in needed and not a.requires_grad else a for i, a in enumerate(args)]
                found = torch.autograd.grad(
                    fn(*args), [args[i] for i in needed], upstream, create_graph=again, materialize_grads=True
                )
            grads = [None] * len(args)
            for i, grad in zip(needed, found, strict=True):
                grads[i] = grad
            return tuple(grads)

    return Oracle
