"""What a call leaves to its defaults, written out, so that other values of it are tried too."""

import inspect
from collections.abc import Callable
from numbers import Real

import torch
from torch import nn


def with_defaults(fn: object, inputs: tuple, reference: Callable | None) -> tuple:
    """The inputs and the defaults of the parameters that were not given; as they are where one is no plain value.

    A reference has to know the same parameters by the same names, or nobody could tell what another value means to it.
    """
    owner = getattr(fn, "__self__", None)
    is_class = isinstance(owner, type) and issubclass(owner, torch.autograd.Function)
    given = len(inputs)
    more = _left_out(owner if is_class else fn, given)
    if reference is not None and [p.name for p in _left_out(reference, given)] != [p.name for p in more]:
        return inputs
    plain = all(p.default is None or isinstance(p.default, (Real, str, tuple)) for p in more)
    return (*inputs, *(p.default for p in more)) if plain else inputs


def _left_out(fn: object, given: int) -> list[inspect.Parameter]:
    """The parameters by position after those given, where each has a default."""
    function = isinstance(fn, type) and issubclass(fn, torch.autograd.Function)
    try:
        parameters = list(inspect.signature(fn.forward if function or isinstance(fn, nn.Module) else fn).parameters.values())
    except (TypeError, ValueError):
        return []
    if function and fn.setup_context is torch.autograd.Function.setup_context:
        parameters = parameters[1:]  # ctx
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    more = positional[given:]
    return more if all(p.default is not p.empty for p in more) else []
