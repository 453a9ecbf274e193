"""How the audit compares with the checks in common use, on the bank of right and wrong Functions.

    python benchmarks/audit.py           # prints the table, after some four minutes
    python benchmarks/audit.py --write   # and renews handgrad/mutants/results.json, which the book and the tests read

Each check judges each version. Its time is taken on every right version, the best of several runs on one thread; the table
has the median, and the median of the ratio to gradcheck's on the same inputs.
"""

import json
import statistics
import time
import warnings

import click
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from handgrad.audit.report import Report
from handgrad.mutants.bank import Bank, Version, banks
from handgrad.mutants.compare import AUDITS, CHECKS, RESULTS, content, fresh, refusals, score, verdict, versions

NAMES = (*CHECKS, *AUDITS)
RUNS = 3


@click.command()
@click.option("--write", is_flag=True, help="Renew handgrad/mutants/results.json.")
def main(write: bool) -> None:
    """Compare the audit with the checks in common use."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for name in NAMES:
        verdict(name, *next(iter(versions().values())))  # what is imported at the first call is not what is timed
    found: dict[str, dict] = {}
    times: dict[str, list[float]] = {name: [] for name in NAMES}
    for key in track(versions(), "Checking"):
        said = {}
        for name in NAMES:  # side by side, so that a slow minute of the machine slows them all
            version, bank = fresh(key)
            said[name], milliseconds = timed(name, version, bank, runs=1 if version.kind else RUNS)
            if not version.kind:
                times[name].append(milliseconds)
        found[key] = refusals(said)
    medians = {name: _medians(times[name], times["gradcheck"]) for name in NAMES}
    _print(found, medians)
    if write:
        RESULTS.write_text(_json(found, medians), encoding="utf-8", newline="\n")
        print(f"Written: {RESULTS}. The book shows it after: handgrad build --again 14_audit")


def timed(check: str, version: Version, bank: Bank, runs: int) -> tuple[bool | Report, float]:
    """What a check says, and the milliseconds of its fastest run."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        said = verdict(check, version, bank)
        times.append(time.perf_counter() - start)
    return said, 1000 * min(times)


def _medians(own: list[float], gradcheck: list[float]) -> dict[str, float]:
    ratio = statistics.median(a / b for a, b in zip(own, gradcheck, strict=True))
    return {"milliseconds": _two_digits(statistics.median(own)), "ratio to gradcheck": _two_digits(ratio)}


def _two_digits(number: float) -> float:
    return float(f"{number:.2g}")


def _print(found: dict[str, dict], medians: dict[str, dict[str, float]]) -> None:
    table = Table("check", "refuses wrong", "accepts right", "milliseconds", "times gradcheck's")
    for name in NAMES:
        result = score(name, found)
        refused = f"{result.refused} of {result.wrong} ({result.refused / result.wrong:.1%})"
        accepted = f"{result.accepted} of {result.right} ({result.accepted / result.right:.1%})"
        table.add_row(name, refused, accepted, *(f"{number:g}" for number in medians[name].values()))
    Console(width=120).print(table)
    for name in AUDITS:
        mistaken = (key for key, (version, _) in versions().items() if bool(version.kind) != (name in found[key]))
        print(f"{name} gets wrong: {', '.join(mistaken)}")


def _json(found: dict[str, dict], medians: dict[str, dict[str, float]]) -> str:
    """A line for each version and each check, so that a difference can be read."""

    def lines(entries: dict[str, dict] | dict[str, str]) -> str:
        return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in entries.items()) + "\n}"

    version = torch.__version__.split("+")[0]
    contents = {bank.name: content(bank.name) for bank in banks()}
    return f'{{"torch": "{version}", "times": {lines(medians)}, "contents": {lines(contents)}, "refusals": {lines(found)}}}\n'


if __name__ == "__main__":
    main()
