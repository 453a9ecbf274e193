"""How the audit compares with the checks in common use, on the bank of right and wrong Functions.

    python benchmarks/audit.py

Prints what each check refuses of the wrong versions and accepts of the right ones, and its time as a ratio to gradcheck's on
the same inputs: the median over the right versions, each the best of several runs.
"""

import statistics
import time
import warnings

import torch
from rich.console import Console
from rich.table import Table

from handgrad.mutants.bank import Bank, Version, banks
from handgrad.mutants.compare import CHECKS, Check, accepts, gradcheck, score

REPEATS = 7


def best_time(check: Check, version: Version, bank: Bank) -> float:
    """Milliseconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        accepts(check, version, bank)
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    versions = [(version, bank) for bank in banks() for version in bank.rights]
    for check in CHECKS.values():
        accepts(check, *versions[0])  # what is imported at the first call is not what is timed
    times: dict[str, list[float]] = {name: [] for name in CHECKS}
    for version, bank in versions:  # side by side, so that a slow minute of the machine slows them all
        for name, check in CHECKS.items():
            times[name].append(best_time(check, version, bank))
    against = times[next(name for name, check in CHECKS.items() if check is gradcheck)]
    table = Table("check", "refuses wrong", "accepts right", "milliseconds", "median of time / gradcheck's")
    for name, check in CHECKS.items():
        result = score(check)
        ratio = statistics.median(own / other for own, other in zip(times[name], against, strict=True))
        table.add_row(
            name,
            f"{result.refused} of {result.wrong} ({result.refused / result.wrong:.1%})",
            f"{result.accepted} of {result.right} ({result.accepted / result.right:.1%})",
            f"{statistics.median(times[name]):.2f}",
            f"{ratio:.2f}",
        )
        if name.startswith("audit") and result.missed:
            print(f"{name} gets wrong: {', '.join(result.missed)}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
