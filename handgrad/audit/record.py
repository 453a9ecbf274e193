"""What a probe saw, as plain JSON data: the only thing that leaves a learner's process.

A record is `{"exercise": str, "seed": int, "source": str, "probes": {probe name: [case, ...]}}`.
A case is `{"given": str, "seen": {label: value}}`: what the answer was given, in words, and what came out.
A reference's case may add `"accept": {label: [value, ...]}` (all of them are right), `"tolerance": [rtol, atol]`
and, in place of what was seen, `"skip": reason` where a probe does not apply.
"""

import functools
import math
import traceback
from collections.abc import Mapping
from pathlib import Path

import torch

Value = None | bool | int | float | str | list | dict
Case = dict
Record = dict

# Enough for every exercise, and small enough that a hostile answer cannot flood the judge.
MOST_ELEMENTS = 20_000
MOST_CHARACTERS = 4_000

_TORCH = str(Path(torch.__file__).parent)
_HANDGRAD = str(Path(__file__).parents[1])
_FUNCTOOLS = functools.__file__


def plain(value: object) -> Value:
    """Turn what an answer gave into JSON data.

    Tensors become `{"tensor": flat list, "shape": list, "dtype": str}`, non-finite floats `{"float": "nan"}`,
    everything that has no plain form `{"object": what it is}`.
    """
    if isinstance(value, torch.Tensor):
        return _plain_tensor(value)
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else {"object": "a huge integer"}
    if isinstance(value, float):
        return plain_float(value)
    if isinstance(value, str):
        return value[:MOST_CHARACTERS]
    if isinstance(value, (list, tuple)):
        if len(value) > MOST_ELEMENTS:
            return {"object": f"a {type(value).__name__} of {len(value)} elements"}
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {"mapping": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, type):
        return {"object": f"the class {value.__name__}"}
    return {"object": f"an object of type {type(value).__name__}"}


def unwrapped(value: object) -> object:
    """The number of a tensor that has one element; everything else as it is."""
    return value.item() if isinstance(value, torch.Tensor) and value.numel() == 1 else value


def plain_float(value: float) -> float | dict:
    """Return `value`, or `{"float": "nan" | "inf" | "-inf"}`, since JSON has no word for these."""
    return value if math.isfinite(value) else {"float": str(value)}


def _plain_tensor(tensor: torch.Tensor) -> dict:
    described = {"shape": list(tensor.shape), "dtype": str(tensor.dtype).removeprefix("torch.")}
    if tensor.device.type == "meta":
        return {"tensor": [], **described, "device": "meta"}
    if tensor.numel() > MOST_ELEMENTS:
        return {"object": f"a tensor of shape {tuple(tensor.shape)}"}
    flat = tensor.detach().cpu().reshape(-1).tolist()
    if tensor.is_complex():
        flat = [part for number in flat for part in (number.real, number.imag)]
    return {"tensor": [plain_float(x) if isinstance(x, float) else x for x in flat], **described}


def described(value: object) -> str:
    """Say what a value is, without its numbers: `a tensor of shape (2, 3), float64`."""
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}, {str(value.dtype).removeprefix('torch.')}"
    if value is None:
        return "None"
    return f"{'an' if type(value).__name__[0] in 'aeiou' else 'a'} {type(value).__name__}"


def raised(error: BaseException) -> dict:
    """Write down an error: its type, its message, and the frames that lie in the learner's own code."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((_TORCH, _HANDGRAD, _FUNCTOOLS, "<frozen"))
    ]
    where = [f"line {frame.lineno}, in {frame.name}: {(frame.line or '').strip()}" for frame in frames[-4:]]
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be read)"
    return {"raised": type(error).__name__, "text": text[:MOST_CHARACTERS], "where": where}
