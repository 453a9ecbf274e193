"""Exercises of chapter 00: one line to repair, and a function that works on every device."""

from collections.abc import Callable, Iterator

import torch

from handgrad.audit.draw import Draw, tensor
from handgrad.audit.record import Case, described, plain
from handgrad.audit.subject import numbers
from handgrad.exercises.exercise import Exercise, Probe, Slip

Answer = Callable[[torch.Tensor], torch.Tensor]


def _at_given_numbers(answer: Answer, draw: Draw) -> Iterator[Case]:
    for data in ([1.0], [2.0], [-3.0, 0.5]):
        x = tensor(data)
        yield _slope_case(answer, x)


def _slope_case(answer: Answer, x: torch.Tensor) -> Case:
    given = f"x = {numbers(x)}"
    return {"given": given, "seen": {"slope": plain(answer(x)), "x as the call left it": plain(x)}}


def _at_drawn_numbers(answer: Answer, draw: Draw) -> Iterator[Case]:
    """Numbers that nobody knew before, so a list of the right answers is of no use."""
    for shape in ((3,), (2, 4)):
        yield _slope_case(answer, draw.normal(*shape, scale=3.0))


RED_TO_GREEN = Exercise(
    name="red_to_green",
    chapter="00_start",
    probes=(
        Probe("given numbers", _at_given_numbers, "The slope of x³ is three times the square of x."),
        Probe(
            "drawn numbers", _at_drawn_numbers, "It holds for the numbers above, and must hold for every x, negative ones too."
        ),
    ),
    reference=lambda x: 3 * x**2,
    slips=(
        Slip(lambda x: 3 * x, "The factor is right and the power is missing: at x = 1 nobody notices, at x = 2 one does."),
        Slip(lambda x: x**2, "The power is right and the factor is missing: the exponent comes down in front."),
        Slip(lambda x: x**3, "That is the value of x³ itself; the task asks for its slope."),
        Slip(lambda x: 3 * x**3, "The exponent comes down in front, and is one less afterwards."),
        Slip(lambda x: 2 * x**3, "The exponent that comes down is the old one, 3; the new one is 2."),
        Slip(lambda x: (3 * x**2).sum(), "One slope for each element of x, please, not their sum."),
        Slip(lambda x: (3 * x**2).tolist(), "The numbers are right; return a tensor, as x is one."),
        Slip(lambda x: None, "Nothing comes back: is there a return? Printing a value does not return it."),
    ),
    hints=(
        "How does x³ grow when x grows a little, say from 2 to 2.001?",
        "The slope of xⁿ is n · xⁿ⁻¹.",
        "`return 3 * x**2`.",
    ),
)


def _call(answer: Answer, x: torch.Tensor) -> tuple[object, bool]:
    """The result, and whether the call left the default device as it was; it is put back if not."""
    before = torch.get_default_device()
    try:
        result = answer(x)
        return result, torch.get_default_device() == before
    finally:
        if torch.get_default_device() != before:
            torch.set_default_device(None if before.type == "cpu" else before)


def _values(answer: Answer, draw: Draw) -> Iterator[Case]:
    """On the CPU whatever the kernel, so that a message is the same on every machine."""
    inputs = draw.normal(5), draw.normal(2, 3, dtype=torch.float32), draw.normal(2, 2, 3), torch.ones(3, dtype=torch.float16)
    for x in (torch.full((3,), 10.0, device="cpu"), *(x.cpu() for x in inputs)):
        result, _ = _call(answer, x.clone())
        yield {"given": f"x = {numbers(x)} on the CPU", "seen": {"result": plain(result)}, "tolerance": [1e-6, 1e-6]}


def _device(answer: Answer, draw: Draw) -> Iterator[Case]:
    """The meta device first: every machine has it, and it finds what a GPU would."""
    result, _ = _call(answer, torch.empty(2, 3, device="meta"))
    yield {"given": "x of shape (2, 3) on the meta device", "seen": {"device of the result": _device_of(result)}}
    strayed = []
    for name in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
        result, _ = _call(answer, torch.ones(3, device=name))
        if _device_of(result) != name:
            strayed.append(f"{_device_of(result)} for x on {name}")
    yield {"given": "x on every other device of this machine", "seen": {"results on another device than x": strayed}}


def _device_of(result: object) -> str:
    return result.device.type if isinstance(result, torch.Tensor) else described(result)


def _left_alone(answer: Answer, draw: Draw) -> Iterator[Case]:
    before = draw.normal(4).cpu()
    x = before.clone()
    result, _ = _call(answer, x)
    shares = isinstance(result, torch.Tensor) and result.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    seen = {"x after the call": plain(x), "the result shares x's memory": shares}
    yield {"given": f"x = {numbers(before)} on the CPU", "seen": seen}
    _, same_default = _call(answer, torch.empty(3, device="meta"))
    yield {"given": "x of shape (3,) on the meta device", "seen": {"the default device is what it was": same_default}}


def _add_positions(x: torch.Tensor) -> torch.Tensor:
    return x + torch.arange(x.shape[-1], device=x.device)


DEVICE_NEUTRAL = Exercise(
    name="device_neutral",
    chapter="00_start",
    probes=(
        Probe(
            "values",
            _values,
            "Add 0 to the first element along the last dimension, 1 to the next, and so on; keep the dtype of x.",
        ),
        Probe(
            "device",
            _device,
            "The result lies elsewhere than x: make new tensors where x is (device=x.device), and move nothing.",
        ),
        Probe(
            "left alone",
            _left_alone,
            "The caller still needs x, and other code the default device: return a new tensor, set nothing.",
        ),
    ),
    reference=_add_positions,
    slips=(
        Slip(lambda x: _add_positions(x) + 1, "Positions count from 0, as everywhere in torch."),
        Slip(lambda x: _add_positions(x).double(), "The result has x's dtype: what you add should not widen it."),
        Slip(lambda x: _add_positions(x).float(), "The result has x's dtype: a float64 comes out as a float32."),
        Slip(lambda x: _add_positions(x).tolist(), "Return a tensor: a list of numbers lies on no device."),
        Slip(lambda x: torch.arange(x.shape[-1], device=x.device).expand(x.shape).to(x.dtype), "Where is x itself? Add it."),
        Slip(lambda x: x, "That is x itself: the positions are still to be added."),
        Slip(lambda x: None, "Nothing comes back: is there a return?"),
    ),
    errors=(
        (r"size of tensor|shape", "Count along the last dimension, whatever the shape of x: x.shape[-1] positions."),
        (
            r"out of meta tensor|cannot be called on meta|convert meta device",
            "This copies x to the CPU (.cpu(), .tolist(), .item(), .numpy()). On a GPU it would work, silently and slowly; "
            "compute where x is.",
        ),
        (
            r"CUDA|NVIDIA|cuda:|expected device|same device",
            "A new tensor lies on a fixed device, the default or one that is written into the code. Ask x: device=x.device.",
        ),
    ),
    hints=(
        "Where does torch.arange(3) put its numbers when nobody tells it?",
        "x.device is the device of x, and every function that makes a tensor takes device=….",
        "`return x + torch.arange(x.shape[-1], device=x.device)`.",
    ),
)

EXERCISES = (RED_TO_GREEN, DEVICE_NEUTRAL)
