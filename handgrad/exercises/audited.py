"""Probes of an exercise that ask what the audit asks: for Functions with several outputs, which `probes` does not call."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from handgrad.audit import run
from handgrad.audit.calls import prepare
from handgrad.audit.draw import Draw
from handgrad.audit.judge import judge_probe
from handgrad.audit.record import Case
from handgrad.audit.subject import Args, words
from handgrad.exercises.exercise import SLIPS, Probe

_BY_NAME = {probe.name: probe for probe in run.PROBES}
_SLIPS = SLIPS | {"kink": _BY_NAME["kink"].slip}  # the audit asks for more than the value at the kink itself


def audit_probes(
    args: Callable[[Draw], Args],
    names: tuple[str, ...],
    *probes: str,
    reference: Callable | None = None,
    part: Callable[[object], object] = lambda answer: answer,
    of: str = "",
    advice: tuple[str, ...] = (),
) -> tuple[Probe, ...]:
    """The audit's probes of these names, at arguments that are drawn.

    Args:
        args: the arguments that the answer is called with.
        names: of the arguments, as the exercise calls them.
        reference: the same in plain torch.
        part: takes what is judged out of an answer of several parts.
        of: what is judged, said behind each probe's name where an answer has several parts.
        advice: names those that are told and do not count.
    """
    return tuple(
        Probe(
            name=f"{name}, {of}" if of else name,
            observe=partial(_observe, _BY_NAME[name], args, names, reference, part),
            slip=_SLIPS.get(name, _BY_NAME[name].slip),
            advice=name in advice,
        )
        for name in probes
    )


def _observe(
    probe: run.Probe,
    args: Callable[[Draw], Args],
    names: tuple[str, ...],
    reference: Callable | None,
    part: Callable[[object], object],
    answer: object,
    draw: Draw,
) -> Iterator[Case]:
    drawn = args(draw)
    call = replace(prepare(part(answer), drawn, reference, 0), names=names)
    call.base  # noqa: B018 - while torch records: a probe may ask for values only, and these are computed without a graph
    cases, _ = run.observe(probe, call)
    finding = judge_probe(probe.name, *run.records(cases))
    if finding is None:
        seen: dict = {"fault": "none"}
    elif finding.raised is not None:
        seen = {"raised": finding.raised}
    else:
        given = cases[finding.case]["given"]
        given = given if isinstance(given, str) else given()
        seen = {"fault": f"{finding.label} is {finding.got} where {finding.expected} is right ({given})"}
    yield {"given": words(names, drawn), "seen": seen}
