"""What an audit found: in a terminal, in a notebook, in pytest, as data. No torch."""

import html
from dataclasses import asdict, dataclass

MARKS = {"passed": "✓", "failed": "✗", "advice": "!", "not applicable": "–"}


class AuditFailed(AssertionError):
    """An audit found a fault; the message is the report."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


@dataclass(frozen=True)
class Outcome:
    """What one probe found.

    Attributes:
        probe: its name.
        outcome: `passed`, `failed`, `advice` (told, and not held against it) or `not applicable`.
        reason: why it does not apply; else empty.
        given: the input, in words.
        label: what was compared.
        expected, got: both sides, in words.
        slip: the likely slip and the step that mends it.
        page: the page and the section of the book that explain it.
        error: the lines of an error that was raised.
    """

    probe: str
    outcome: str
    reason: str = ""
    given: str = ""
    label: str = ""
    expected: str = ""
    got: str = ""
    slip: str = ""
    page: str = ""
    error: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """What a reader is told, the probe's name apart."""
        if self.outcome == "passed":
            return []
        if self.outcome == "not applicable":
            return [self.reason]
        compared = f"{self.label + ': ' if self.label else ''}expected {self.expected}   got {self.got}"
        parts = [self.given, *self.error] if self.error else [self.given, compared if self.expected else ""]
        return [part for part in (*parts, self.slip, f"book: {self.page}" if self.page else "") if part]


@dataclass(frozen=True)
class Report:
    """The outcome of `handgrad.audit`.

    Attributes:
        name: of what was audited.
        outcomes: one for each probe, in the order in which they were tried.
        notes: what could not be judged, and in which dtype and where the rest was.
        seed: that inputs were drawn from.
    """

    name: str
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()
    seed: int = 0

    @property
    def ok(self) -> bool:
        """Whether no probe failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The probes that failed."""
        return tuple(outcome for outcome in self.outcomes if outcome.outcome == "failed")

    def raise_if_failed(self) -> None:
        """Raise `AuditFailed`, an AssertionError with the report as its message, if a probe failed."""
        if self.failed:
            raise AuditFailed(str(self))

    def to_dict(self) -> dict:
        """The report as plain JSON data."""
        outcomes = [{**asdict(outcome), "error": list(outcome.error)} for outcome in self.outcomes]
        return {"name": self.name, "ok": self.ok, "seed": self.seed, "notes": list(self.notes), "outcomes": outcomes}

    def _of(self, outcome: str) -> list[Outcome]:
        return [one for one in self.outcomes if one.outcome == outcome]

    @property
    def headline(self) -> str:
        """One line: the name, the verdict, the counts."""
        judged = len(self.outcomes) - len(self._of("not applicable"))
        if self.ok:
            advice = len(self._of("advice"))
            return f"{self.name}: {judged} probes pass" + (f", {advice} of them with advice" if advice else "")
        return f"{self.name}: {len(self.failed)} of {judged} probes fail"

    def __str__(self) -> str:
        lines = [self.headline]
        for outcome in (*self.failed, *self._of("advice")):
            first, *rest = outcome.lines()
            lines += [f"  {MARKS[outcome.outcome]} {outcome.probe} — {first}", *(f"      {line}" for line in rest)]
        passed = [outcome.probe for outcome in self._of("passed")]
        if passed:
            lines.append(f"  ✓ {', '.join(passed)}")
        lines += [f"  – {outcome.probe}: {outcome.reason}" for outcome in self._of("not applicable")]
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """A table that takes its colours from the page, light or dark."""
        rows = []
        for outcome in (*self.failed, *self._of("advice")):
            first, *rest = (html.escape(line) for line in outcome.lines())
            more = "".join(
                f"<div style='opacity:.85'><code style='background:none;color:inherit;overflow-wrap:anywhere'>{line}</code></div>"
                for line in rest
            )
            rows.append(_row(outcome, f"<div>{first}</div>{more}"))
        passed = self._of("passed")
        rows += [_row(outcome, "") for outcome in passed]
        rows += [_row(outcome, html.escape(outcome.reason)) for outcome in self._of("not applicable")]
        notes = "".join(f"<p style='margin:.3em 0;opacity:.75'>{html.escape(note)}</p>" for note in self.notes)
        table = "border-collapse:collapse;width:100%;background:none;color:inherit"
        return (
            f"<div style='color:inherit'><p style='margin:.3em 0'><strong>{html.escape(self.headline)}</strong></p>"
            f"<table style='{table}'><tbody>{''.join(rows)}</tbody></table>{notes}</div>"
        )


# readable on white and on black
_COLOURS = {"passed": "#2e9e5b", "failed": "#e0524d", "advice": "#c98a1b", "not applicable": "inherit"}


def _row(outcome: Outcome, text: str) -> str:
    cell = (
        "padding:.2em .6em;text-align:left;vertical-align:top;background:none;color:inherit;"
        "border-top:1px solid rgba(128,128,128,.3)"
    )
    faint = ";opacity:.6" if outcome.outcome == "not applicable" else ""
    return (
        f"<tr style='background:none'><td style='{cell};color:{_COLOURS[outcome.outcome]}' aria-label='{outcome.outcome}'>"
        f"{MARKS[outcome.outcome]}</td><th scope='row' style='{cell}{faint};font-weight:600'>"
        f"{html.escape(outcome.probe)}</th><td style='{cell}{faint};overflow-wrap:anywhere'>{text}</td></tr>"
    )
