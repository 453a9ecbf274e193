"""Compare what an answer did with what the reference did. Pure: no torch, no answer, only two records.

Whatever an answer's record holds, judging it gives findings and never an exception.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from handgrad.audit.formats import at_place, show

RTOL, ATOL = 1e-10, 1e-10


@dataclass(frozen=True)
class Finding:
    """One difference between an answer and the reference.

    Attributes:
        probe: name of the probe that failed.
        case: index of the case in the probe.
        label: what was compared, for example `gradient of input`.
        given: the input that was used, in words.
        expected, got: both sides, in words.
        raised: the error that the answer raised where none was expected, else None.
    """

    probe: str
    case: int
    label: str
    given: str
    expected: str
    got: str
    raised: dict | None = None


def judge(got: dict, want: dict) -> list[Finding]:
    """Return one finding for each probe of `want` in which `got` differs: the first difference.

    Args:
        got: the answer's record; not trusted.
        want: the reference's record for the same seed.
    """
    probes = got.get("probes") if isinstance(got, dict) else None
    probes = probes if isinstance(probes, dict) else {}
    findings = (judge_probe(name, probes.get(name), cases) for name, cases in want["probes"].items())
    return [finding for finding in findings if finding is not None]


def judge_probe(probe: str, got: object, want: list[dict]) -> Finding | None:
    """Return the first difference in one probe, or None."""
    cases = got if isinstance(got, list) else []
    for index, reference in enumerate(want):
        case = cases[index] if index < len(cases) and isinstance(cases[index], dict) else {}
        if isinstance(case.get("skip"), str):
            if reference.get("may skip") or "skip" in reference:
                continue
            return Finding(probe, index, "", reference["given"], "an observation", "none")
        seen = case.get("seen")
        seen = seen if isinstance(seen, dict) else {}
        error = seen.get("raised")
        if isinstance(error, dict) and "raised" not in reference["seen"]:
            return Finding(probe, index, "", reference["given"], "no error", _error_line(error), _clean_error(error))
        tolerance = reference.get("tolerance", (RTOL, ATOL))
        for label, expected in reference["seen"].items():
            accepted = reference.get("accept", {}).get(label, [expected])
            if label not in seen:
                return Finding(probe, index, label, reference["given"], _any_of(accepted), "nothing")
            if not any(same(seen[label], value, *tolerance) for value in accepted):
                expected_text, got_text = _both(accepted, seen[label])
                return Finding(probe, index, label, reference["given"], expected_text, got_text)
    return None


def same(got: object, want: object, rtol: float = RTOL, atol: float = ATOL) -> bool:
    """Whether a value that an answer gave is the expected one, numbers within `atol + rtol * |want|`."""
    if isinstance(want, dict) and "between" in want:
        low, high = want["between"]
        return _is_number(got) and low <= got <= high
    if isinstance(want, dict) and "raised" in want:
        return isinstance(got, dict) and got.get("raised") == want["raised"]
    if isinstance(want, dict) and "tensor" in want:
        return (
            isinstance(got, dict)
            and all(got.get(key) == want.get(key) for key in ("shape", "dtype", "device"))
            and _same_list(got.get("tensor"), want["tensor"], rtol, atol)
        )
    if isinstance(want, list):
        return _same_list(got, want, rtol, atol)
    if isinstance(want, bool) or isinstance(got, bool):
        return got is want
    if _is_number(want):
        return _is_number(got) and (got == want or abs(got - want) <= atol + rtol * abs(want))
    return type(got) is type(want) and got == want


def _same_list(got: object, want: list, rtol: float, atol: float) -> bool:
    return isinstance(got, list) and len(got) == len(want) and all(same(a, b, rtol, atol) for a, b in zip(got, want, strict=True))


def _is_tensor(value: object) -> bool:
    return isinstance(value, dict) and {"tensor", "shape", "dtype"} <= value.keys()


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 2**63 if isinstance(value, int) else math.isfinite(value)


def _any_of(accepted: Iterable) -> str:
    return " or ".join(dict.fromkeys(show(value) for value in accepted))


def _both(accepted: list, got: object) -> tuple[str, str]:
    if len(accepted) == 1:
        kinds = [f"{v['dtype']} of shape {v['shape']}" for v in (accepted[0], got) if _is_tensor(v)]
        if len(kinds) == 2 and kinds[0] != kinds[1]:
            return kinds[0], kinds[1]
        place = at_place(got, accepted[0], same)
        if place:
            return place
        for digits in (6, 12, 17):
            pair = show(accepted[0], digits), show(got, digits)
            if pair[0] != pair[1]:
                return pair
    return _any_of(accepted), show(got)


def _clean_error(error: dict) -> dict:
    where = error.get("where")
    where = [str(line)[:300] for line in where[:6]] if isinstance(where, list) else []
    return {"raised": str(error.get("raised"))[:100], "text": str(error.get("text", ""))[:2000], "where": where}


def _error_line(error: dict) -> str:
    clean = _clean_error(error)
    lines = clean["text"].strip().splitlines()
    return f"{clean['raised']}: {lines[0]}" if lines else clean["raised"]
