"""Observe an answer: call it in every way that its exercise asks, and write down what came out."""

import linecache

from handgrad.audit.draw import Draw
from handgrad.audit.quiet import quiet
from handgrad.audit.record import Case, Record, raised
from handgrad.exercises.exercise import Exercise, Probe

MOST_SOURCE = 100_000


def observe(exercise: Exercise, answer: object, seed: int) -> Record:
    """Return the record of an answer.

    Grad mode, the random state and the default dtype are afterwards what they were; warnings and prints of the answer
    are kept away from the reader.
    """
    cases = {}
    with quiet():
        for probe in exercise.probes:
            cases[probe.name] = observe_probe(exercise, probe, answer, seed)
            # where answers are graded there is no reference, and the judge stops at a gate by itself
            if (
                probe.gate
                and exercise.reference is not None
                and cases[probe.name] != observe_probe(exercise, probe, exercise.reference, seed)
            ):
                break
    return {"exercise": exercise.name, "seed": seed, "source": source_of(answer), "probes": cases}


def observe_probe(exercise: Exercise, probe: Probe, answer: object, seed: int) -> list[Case]:
    """Run one probe; an error of the answer becomes its last case."""
    cases: list[Case] = []
    try:
        cases.extend(probe.observe(answer, Draw(seed, f"{exercise.name} {probe.name}")))
    except (Exception, SystemExit) as error:
        cases.append({"given": "", "seen": {"raised": raised(error)}})
    return cases


def source_of(answer: object) -> str:
    """The text of the cell or file that defines an answer, as far as it can be had."""
    for part in answer if isinstance(answer, tuple) else (answer,):
        for item in vars(part).values() if isinstance(part, type) else (part,):
            code = getattr(getattr(item, "__func__", item), "__code__", None)
            if code is not None:
                return "".join(linecache.getlines(code.co_filename))[:MOST_SOURCE]
    return ""
