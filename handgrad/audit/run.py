"""Run an audit: prepare the call, observe each probe, judge each record, write the report."""

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from handgrad.audit import conduct, derivative
from handgrad.audit.calls import Call, Unfit, as_tuple, named, prepare
from handgrad.audit.case import NotApplicable, case
from handgrad.audit.defaults import with_defaults
from handgrad.audit.judge import Finding, judge_probe
from handgrad.audit.quiet import quiet
from handgrad.audit.record import Case, raised
from handgrad.audit.report import Outcome, Report
from handgrad.audit.second_order import second_order
from handgrad.audit.shapes import shapes
from handgrad.audit.time_limit import TimeUp, limited
from handgrad.audit.transforms import transforms


@dataclass(frozen=True)
class Probe:
    """One question of the audit; what it catches stands in the docstring of `observe`.

    Attributes:
        observe: takes a call and yields cases.
        slip: the likely slip and the next step.
        page: and section of the book, that explains it.
        advice: a failure is told and not held against the Function.
    """

    name: str
    observe: Callable[[Call], Iterator[Case]]
    slip: str
    page: str
    advice: bool = False


PROBES = (
    Probe(
        "forward",
        conduct.forward,
        "forward changes what it was given: compute a new tensor, or declare it with ctx.mark_dirty.",
        "chapters/04_gradcheck#forward",
    ),
    Probe(
        "in place",
        conduct.in_place,
        "A Function that works in place calls ctx.mark_dirty(x) and returns x itself.",
        "chapters/05_context#overwritten-and-marked",
    ),
    Probe(
        "upstream",
        derivative.upstream,
        "Value or gradient differ from the reference's.",
        "chapters/04_gradcheck#upstream",
    ),
    Probe(
        "gradcheck",
        derivative.gradcheck,
        "backward is not the derivative of forward. Where that is meant (a straight-through estimator), hand over reference=.",
        "chapters/04_gradcheck#gradcheck",
    ),
    Probe(
        "kink",
        derivative.kink,
        "Somewhere on the axis the gate of backward is not that of forward, or a formula breaks down (0/0, an overflow).",
        "chapters/04_gradcheck#kink",
    ),
    Probe(
        "returned",
        conduct.returned,
        "Each gradient has the shape and the dtype of its argument: sum over what was broadcast, make zeros with zeros_like.",
        "chapters/04_gradcheck#returned",
    ),
    Probe(
        "linear",
        conduct.linear,
        "backward must be linear in grad_output: no abs, no clipping, no rounding, no constant in its place.",
        "chapters/04_gradcheck#linear",
    ),
    Probe(
        "second order",
        second_order,
        "backward leaves the graph (.detach(), .item(), numpy, a constant on ctx): mend it, or declare @once_differentiable.",
        "chapters/09_second_order#silently-wrong",
    ),
    Probe(
        "upstream untouched",
        conduct.upstream_untouched,
        "backward wrote into grad_output or into a tensor of its caller, which others still need. Work on a copy.",
        "chapters/04_gradcheck#upstream-untouched",
    ),
    Probe(
        "stale",
        conduct.stale,
        "A tensor kept as an attribute of ctx is not guarded against later changes: use ctx.save_for_backward.",
        "chapters/05_context#a-number-for-each-change",
    ),
    Probe(
        "saved",
        conduct.saved,
        "ctx.save_for_backward frees it after backward, and hooks and checkpoints see it.",
        "chapters/05_context#hooks-see-what-is-saved",
        advice=True,
    ),
    Probe(
        "frozen",
        conduct.frozen,
        "Which gradients are asked for changes what is returned: look at the order of ctx.needs_input_grad.",
        "chapters/06_linear#only-what-is-asked-for",
    ),
    Probe(
        "work",
        conduct.work,
        "backward computes a gradient that nobody asked for: look at ctx.needs_input_grad.",
        "chapters/06_linear#only-what-is-asked-for",
        advice=True,
    ),
    Probe(
        "unused output",
        conduct.unused_output,
        "An output that nobody uses sends zeros, or None under ctx.set_materialize_grads(False).",
        "chapters/05_context#outputs-that-nobody-used",
    ),
    Probe(
        "shapes",
        shapes,
        "Something in backward holds for one shape or one memory layout only.",
        "chapters/04_gradcheck#shapes",
    ),
    Probe(
        "calls apart",
        conduct.calls_apart,
        "Calls share something, or backward changes what was saved: keep it on ctx, one for each call, and leave it as it is.",
        "chapters/04_gradcheck#calls-apart",
    ),
    Probe(
        "other dtype",
        conduct.other_dtype,
        "A tensor is made in a fixed dtype: use zeros_like, new_ones or dtype=x.dtype.",
        "chapters/04_gradcheck#returned",
    ),
    Probe(
        "device",
        conduct.device,
        "A tensor is made on a fixed device: use zeros_like, new_ones or device=x.device.",
        "chapters/04_gradcheck#device",
    ),
    Probe(
        "transforms",
        transforms,
        "The rule that was declared for jvp or vmap is not that of backward.",
        "chapters/10_transforms#a-jvp-that-is-wrong",
    ),
)


def audit(fn: object, *inputs: object, reference: Callable | None = None, seed: int = 0, time_limit: float = 60.0) -> Report:
    """See `handgrad.audit`."""
    name = named(fn)
    notes: list[str] = []
    outcomes: list[Outcome] = []
    try:
        with limited(time_limit), quiet(), _torch_as_it_comes():
            try:
                call = _ready_with_defaults(fn, inputs, reference, seed, notes)
            except _Refused as refused:
                return Report(name, (refused.outcome,), tuple(notes), seed)
            outcomes.append(Outcome("runs", "passed"))
            for probe in PROBES:
                outcomes.append(Outcome(probe.name, "failed", reason="running"))
                outcomes[-1] = _judged(probe, call)
    except TimeUp:
        running = outcomes.pop().probe if outcomes and outcomes[-1].reason == "running" else "runs"
        outcomes.append(
            Outcome(
                running,
                "failed",
                given=f"after {time_limit:g} seconds",
                expected="an end",
                got="still running",
                slip="Is there a loop whose end depends on the values? If it is only slow, give smaller inputs or time_limit=.",
            )
        )
        notes.append("The probes after that were not tried.")
    return Report(name, tuple(outcomes), tuple(notes), seed)


@contextlib.contextmanager
def _torch_as_it_comes() -> Iterator[None]:
    """Grad mode on, float32 as default; what the caller had comes back, whatever is audited does to it."""
    dtype = torch.get_default_dtype()
    with torch.inference_mode(False), torch.enable_grad():
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)


class _Refused(Exception):
    """A gate is shut: nothing else can be tried."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.slip)
        self.outcome = outcome


def _ready_with_defaults(fn: object, inputs: tuple, reference: Callable | None, seed: int, notes: list[str]) -> Call:
    """The call with its defaults written out; as it was handed over, where backward counts on their being left out."""
    written_out = with_defaults(fn, inputs, reference)
    if len(written_out) > len(inputs):
        own: list[str] = []
        with contextlib.suppress(_Refused):
            call = _ready(fn, written_out, reference, seed, own)
            notes += own
            return call
    return _ready(fn, inputs, reference, seed, notes)


def _ready(fn: object, inputs: tuple, reference: Callable | None, seed: int, notes: list[str]) -> Call:
    """The call to audit: it runs forward and backward, and gives the same twice."""
    try:
        call = prepare(fn, inputs, reference, seed)
    except Unfit as unfit:
        raise _Refused(Outcome("form", "failed", given=str(unfit))) from None
    double, error = _in_double(call, notes), None
    for candidate in (double, call) if double is not None else (call,):
        try:
            ready = _runs(candidate)
        except (Exception, SystemExit) as problem:
            error = error or problem
            continue
        if candidate is call and double is not None:
            notes.append(f"In float64 it raises {type(error).__name__}, so it is judged in its inputs' dtype.")
        break
    else:
        raise _Refused(_error_outcome("runs", call.text, error, "It has to run forward and backward on the inputs.")) from None
    dtype = str(ready.args[ready.wanted[0]].dtype).removeprefix("torch.")
    notes.append(f"Judged in {dtype} on {ready.args[ready.wanted[0]].device.type}.")
    if not ready.base.outputs:
        kinds = [type(o).__name__ for o in ready.base.all if not isinstance(o, torch.Tensor)]
        only = f" Its outputs: {', '.join(kinds)}." if kinds else ""
        slip = f"The outputs are cut off from the graph: is it called through apply, and are tensors returned bare?{only}"
        raise _bad_outputs(ready, "outputs that require grad", "at least one", "none", slip)
    if not any(output.numel() for output in ready.base.outputs):
        slip = "Hand over inputs that are not empty; empty ones are tried as well."
        raise _bad_outputs(ready, "outputs", "at least one element", "none", slip)
    if not all(output.isfinite().all() for output in ready.base.outputs):
        slip = "No slope can be measured here: hand over inputs at which the function is finite."
        raise _bad_outputs(ready, "outputs", "finite numbers", "NaN or infinity", slip)
    again = ready.run()
    pairs = {f"output {k}": (o, want) for k, (o, want) in enumerate(zip(again.outputs, ready.base.outputs, strict=False))}
    grads = ready.vjp(ready.upstream)
    pairs |= {f"gradient of {ready.names[i]}": pair for i, *pair in zip(ready.wanted, grads, ready.gradients, strict=True)}
    counts = {"number of outputs": (len(again.outputs), len(ready.base.outputs))}
    cases = [case(ready.text, counts)]
    cases += [case(ready.text, {label: tuple(pair)}, derivative.within(pair[1], ready.scale)) for label, pair in pairs.items()]
    finding = judge_probe("repeats", *records(cases))
    if finding is not None:
        raise _Refused(
            Outcome(
                "repeats",
                "failed",
                given=f"the same call twice: {ready.text}",
                label=finding.label,
                expected=finding.expected,
                got=finding.got,
                slip="Two calls on the same input differ, so no gradient can be judged. If it is random on purpose, draw the "
                "numbers outside and hand them over as an argument, such as a mask: audit(f, x, mask).",
            )
        )
    return ready


def _bad_outputs(call: Call, label: str, expected: str, got: str, slip: str) -> _Refused:
    return _Refused(Outcome("runs", "failed", given=call.text, label=label, expected=expected, got=got, slip=slip))


def _in_double(call: Call, notes: list[str]) -> Call | None:
    """The call with float64 in the place of fewer digits, where the device has it."""
    tensors = [a for a in call.args if isinstance(a, torch.Tensor) and (a.is_floating_point() or a.is_complex())]
    if all(a.dtype in (torch.float64, torch.complex128) for a in tensors):
        return None
    if any(a.device.type == "mps" for a in tensors):
        notes.append("MPS has no float64: the tolerances are those of the inputs' dtype.")
        return None

    def double(a: object) -> object:
        if not isinstance(a, torch.Tensor) or not (a.is_floating_point() or a.is_complex()):
            return a
        return a.detach().to(torch.complex128 if a.is_complex() else torch.float64).requires_grad_(a.requires_grad)

    own = tuple(a.dtype if isinstance(a, torch.Tensor) else None for a in call.args)
    return replace(call, args=tuple(double(a) for a in call.args), own_dtypes=own)


def _runs(call: Call) -> Call:
    """The call after one forward and one backward; an in-place Function is given copies."""
    try:
        changed = _changed_in_place(call)
    except RuntimeError:
        changed = ()
    if changed:
        raw = call.fn

        def on_copies(*args: object) -> object:
            return raw(*(a.clone() if i in changed else a for i, a in enumerate(args)))

        call = replace(call, fn=on_copies, raw=raw, in_place=changed)
    if call.base.outputs:
        call.gradients  # noqa: B018 - an error in backward shows here
    return call


def _changed_in_place(call: Call) -> tuple[int, ...]:
    with torch.enable_grad():
        args = [a * 1 if i in call.wanted else (a.clone() if isinstance(a, torch.Tensor) else a) for i, a in enumerate(call.args)]
    versions = [a._version if isinstance(a, torch.Tensor) else 0 for a in args]
    outputs = as_tuple(call.fn(*args))
    return tuple(
        i
        for i, a in enumerate(args)
        if isinstance(a, torch.Tensor) and a._version > versions[i] and any(output is a for output in outputs)
    )


def observe(probe: Probe, call: Call) -> tuple[list[Case], str]:
    """What a probe saw, beside what was expected; and why it has nothing to say, where it has nothing."""
    cases: list[Case] = []
    try:
        for seen in probe.observe(call):
            cases.append(seen)
    except NotApplicable as reason:
        return cases, str(reason)
    except (Exception, SystemExit) as error:
        given = cases[-1]["given"] if cases else call.text
        cases.append({"given": given, "seen": {"raised": raised(error)}, "expect": {}})
    return cases, "there was nothing to compare"


def records(cases: list[Case]) -> tuple[list[Case], list[Case]]:
    """The record of what was seen, and the record that a right Function would have given: plain JSON data, for the judge."""
    seen = [{"given": "", "seen": one["seen"]} for one in cases]
    expected = [{"given": "", "seen": one["expect"], "tolerance": one.get("tolerance", [0.0, 0.0])} for one in cases]
    return seen, expected


def _judged(probe: Probe, call: Call) -> Outcome:
    cases, reason = observe(probe, call)
    if not cases:
        return Outcome(probe.name, "not applicable", reason=reason)
    finding = judge_probe(probe.name, *records(cases))
    if finding is None:
        return Outcome(probe.name, "passed")
    given = cases[finding.case]["given"]
    finding = replace(finding, given=given if isinstance(given, str) else given())
    outcome = "advice" if probe.advice else "failed"
    if finding.raised is not None:
        return replace(_error_lines(probe.name, finding, probe.slip), outcome=outcome, page=probe.page)
    slip = _slip(probe, finding, cases)
    return Outcome(probe.name, outcome, "", finding.given, finding.label, finding.expected, finding.got, slip, probe.page)


def _slip(probe: Probe, finding: Finding, cases: list[Case]) -> str:
    seen, expect = cases[finding.case]["seen"].get(finding.label), cases[finding.case]["expect"].get(finding.label)
    if isinstance(seen, float) and isinstance(expect, dict) and "between" in expect and finding.label.startswith("gradient of"):
        low, high = expect["between"]
        middle = (low + high) / 2
        ratio = seen / middle if middle else 0.0
        if seen == 0.0:
            return f"backward says 0, forward moves. {probe.slip}"
        for factor, said in (
            (-1, "the sign is wrong"),
            (2, "twice too large: a factor 2"),
            (0.5, "half of it: a factor 2 is missing"),
        ):
            if abs(ratio - factor) < 1e-5:
                return f"The number is right but for a factor: {said}. {probe.slip}"
    return probe.slip


def _error_outcome(probe: str, given: str, error: BaseException, slip: str) -> Outcome:
    return _error_lines(probe, Finding(probe, 0, "", given, "no error", "", raised(error)), slip)


def _error_lines(probe: str, finding: Finding, slip: str) -> Outcome:
    from handgrad.exercises.errors import ERRORS

    line = f"{finding.raised['raised']}: {finding.raised['text']}".strip()
    first = (line.splitlines() or [line])[0]
    known = (text for pattern, text in ERRORS if re.search(pattern, line, re.DOTALL))
    lines = (*finding.raised["where"], first)
    return Outcome(probe, "failed", given=finding.given, expected="no error", got=first, slip=next(known, slip), error=lines)
