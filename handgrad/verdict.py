"""From a record to words: which probes pass, and what the first that fails means."""

import re
from dataclasses import dataclass
from functools import lru_cache

from handgrad.audit.judge import Finding as Difference
from handgrad.audit.judge import judge, judge_probe
from handgrad.audit.quiet import quiet
from handgrad.audit.record import Case, Record
from handgrad.exercises import EXERCISES
from handgrad.exercises.errors import ERRORS
from handgrad.exercises.exercise import BY_LABEL, Exercise, Probe
from handgrad.observe import observe, observe_probe

FLOAT32 = [1e-5, 1e-6]
PRECISION = (
    ([1e-8, 1e-9], "Right to about eight digits and no more: a finite difference or a rounding, where the formula is exact."),
    (
        FLOAT32,
        "Right to about seven digits: somewhere a float32 slips in. Look for .float(), and for constants that are made "
        "without the input's dtype, as in torch.where(mask, 1.0, 0.0).",
    ),
)


@dataclass(frozen=True)
class Finding:
    """A probe that failed, in words. `advice` is told and does not count."""

    probe: str
    text: str
    advice: bool = False


@dataclass(frozen=True)
class Verdict:
    """What a check says about an answer.

    Attributes:
        outcome: `not started`, `raised`, `not yet` or `done`.
        passed, total: probes that count.
    """

    exercise: str
    outcome: str
    passed: int
    total: int
    findings: tuple[Finding, ...]

    def text(self, hint: int = 1) -> str:
        """What the learner reads; `hint` is the number of the hint that is offered."""
        more = f'   More: hint("{self.exercise}", {hint})'
        advice = [finding for finding in self.findings if finding.advice]
        faults = [finding for finding in self.findings if not finding.advice]
        if self.outcome == "not started":
            return f'{self.exercise}: not started. Replace "raise NotImplementedError" with your answer.{more}'
        if self.outcome == "done":
            lines = [f"{self.exercise}: done. All {self.total} probes pass."]
        elif self.outcome == "raised":
            lines = [f"{self.exercise}: your code raised an error ({self.passed} of {self.total} probes pass)"]
        else:
            lines = [f"{self.exercise}: {self.passed} of {self.total} probes pass"]
        if faults:
            lines.append(faults[0].text + more)
            if len(faults) > 1:
                lines.append(f"  also failing, perhaps for the same reason: {', '.join(finding.probe for finding in faults[1:])}")
        lines.extend(finding.text for finding in advice if not faults)
        return "\n".join(lines)


def judge_record(name: str, record: object, seed: int, want: Record | None = None) -> Verdict:
    """Judge a record of the exercise `name` that was drawn with `seed`. Needs no answer, and trusts nothing in it.

    Args:
        want: the record of the reference for this seed; it is made here where there is none.
    """
    exercise = EXERCISES[name]
    record = record if isinstance(record, dict) else {}
    probes = record.get("probes")
    record = {"source": record.get("source"), "probes": probes if isinstance(probes, dict) else {}}
    want = want or reference_record(name, seed)
    differences = {difference.probe: difference for difference in judge(record, want)}
    broken_rule = _broken_rule(exercise, record)
    findings, outcome = [], "done"
    for probe in exercise.probes:
        difference = differences.get(probe.name)
        if difference is None and not (probe.gate and broken_rule):
            continue
        if outcome == "done" and not probe.advice:
            outcome = _outcome(difference)
        if probe.gate and difference is None:
            findings.append(Finding(probe.name, f"  {probe.name} — {broken_rule}"))
            continue
        first = not probe.advice and all(finding.advice for finding in findings)
        slip = _likely_slip(exercise, probe, difference, record, want) if first else probe.slip
        findings.append(Finding(probe.name, _words(probe, difference, slip), probe.advice))
        if probe.gate:
            break  # nothing else was tried
    if outcome == "not started" and any(
        probe.name not in differences and _shows_work(exercise, probe, record["probes"]) for probe in exercise.probes
    ):
        outcome = "not yet"
    total = sum(not probe.advice for probe in exercise.probes)
    failed = sum(not finding.advice for finding in findings)
    passed = 0 if differences.keys() & {probe.name for probe in exercise.probes if probe.gate} else total - failed
    return Verdict(exercise.name, outcome, passed, total, tuple(findings))


@lru_cache(maxsize=128)
def reference_record(name: str, seed: int) -> Record:
    """What the reference does for a seed; a class of submissions is judged against the same one."""
    return observe(EXERCISES[name], EXERCISES[name].reference, seed)


def _outcome(difference: Difference | None) -> str:
    if difference is None or difference.raised is None:
        return "not yet"
    return "not started" if _is_stub(difference) else "raised"


def _is_stub(difference: Difference) -> bool:
    """Whether a part was reached that is still as it was handed out. torch raises errors of this type, too."""
    where = difference.raised["where"]
    return difference.raised["raised"] == "NotImplementedError" and any("raise NotImplementedError" in line for line in where)


def _shows_work(exercise: Exercise, probe: Probe, probes: dict) -> bool:
    """Whether a probe that passes has met something that was written, and not what was given or a case left out."""
    if probe.gate or probe.advice or probe.name in exercise.given:
        return False
    cases = probes.get(probe.name)
    return isinstance(cases, list) and any(isinstance(case, dict) and "seen" in case for case in cases)


def _broken_rule(exercise: Exercise, record: dict) -> str | None:
    source = record["source"]
    broken = (rule(source) for rule in exercise.rules) if isinstance(source, str) else ()
    return next((text for text in broken if text), None)


def _words(probe: Probe, difference: Difference, slip: str) -> str:
    head = f"  {probe.name} — {difference.given}"
    if difference.raised is None:
        label = f"{difference.label}: " if difference.label else ""
        return f"{head}\n    {label}expected {difference.expected}   got {difference.got}\n    {slip}"
    where = [f"    {line}" for line in difference.raised["where"]]
    error = f"    {difference.raised['raised']}: {difference.raised['text'].strip()}".rstrip(": ")
    return "\n".join([head, *where, error, f"    {slip}"])


def _likely_slip(exercise: Exercise, probe: Probe, difference: Difference, record: dict, want: Record) -> str:
    if difference.raised is not None:
        if _is_stub(difference):
            return 'Not written yet: replace this "raise NotImplementedError" with your answer.'
        line = f"{difference.raised['raised']}: {difference.raised['text']}"
        for pattern, text in (*probe.errors, *exercise.errors, *ERRORS):
            if re.search(pattern, line, re.DOTALL):
                return text
        return f"This should run without an error. {probe.slip}"
    if probe.gate:
        return probe.slip
    got = record["probes"].get(probe.name)
    for tolerance, text in PRECISION:
        loose = [{**case, "tolerance": tolerance} for case in want["probes"][probe.name]]
        if judge_probe(probe.name, got, loose) is None:
            return text
    by_label = (text for pattern, text in BY_LABEL if re.search(pattern, difference.label))
    named = (slip.text for place, slip in enumerate(exercise.slips) if _does_the_same(exercise, place, probe, record, want))
    return next(named, next(by_label, probe.slip))


def _does_the_same(exercise: Exercise, slip: int, failed: Probe, record: dict, want: Record) -> bool:
    """Whether a known slip, by its place, gives what the judged one gave in every probe up to the one that failed."""
    before = exercise.probes[: exercise.probes.index(failed)]
    for probe in (failed, *before):
        if not (probe.gate or probe.advice):
            cases = _cases_of_slip(exercise.name, slip, exercise.probes.index(probe), want["seed"])
            like = [{**case, "accept": {}, "tolerance": FLOAT32} for case in cases]
            complete = len(like) == len(want["probes"][probe.name]) and all("seen" in case for case in like)
            if not complete or judge_probe(probe.name, record["probes"].get(probe.name), like) is not None:
                return False
    return True


@lru_cache(maxsize=4096)
def _cases_of_slip(name: str, slip: int, probe: int, seed: int) -> list[Case]:
    """What a known slip does in a probe; a class of submissions meets the same ones. By places, since an answer may be a dict."""
    exercise = EXERCISES[name]
    with quiet():
        return observe_probe(exercise, exercise.probes[probe], exercise.slips[slip].answer, seed)
