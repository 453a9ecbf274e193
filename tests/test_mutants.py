"""The bank: every wrong version is wrong by a proof of its own, every right one is right, and the audit tells them apart."""

import hashlib
import warnings

import pytest

from handgrad.mutants import witness
from handgrad.mutants.bank import KINDS, Bank, Version, banks
from handgrad.mutants.compare import AUDITS, CHECKS, MISSED, RESULTS, content, examine, measured, refusals, score, versions

RIGHTS = [pytest.param(bank, version, id=f"{bank.name}-{version.name}") for bank in banks() for version in bank.rights]
WRONGS = [pytest.param(bank, version, id=f"{bank.name}-{version.name}") for bank in banks() for version in bank.wrongs]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_the_bank_is_large_and_of_many_kinds():
    assert len(banks()) >= 25
    assert len(RIGHTS) >= 60
    assert len(WRONGS) >= 250
    for bank in banks():
        assert len(bank.rights) >= 2, bank.name
        assert len(bank.wrongs) >= 8, bank.name
        names = [version.name for version in (*bank.rights, *bank.wrongs)]
        assert len(set(names)) == len(names), bank.name
    assert {version.kind for bank in banks() for version in bank.wrongs} == KINDS.keys()


@pytest.mark.parametrize(("bank", "version"), WRONGS)
def test_a_wrong_version_is_wrong(bank: Bank, version: Version):
    assert version.witness(version, bank), version.words


@pytest.mark.parametrize(("bank", "version"), RIGHTS)
def test_a_right_version_shows_no_fault(bank: Bank, version: Version):
    shown = [one.__name__ for one in witness.GENERAL if one(version, bank)]
    assert shown == []


RENEW = "To renew what was measured (four minutes): python benchmarks/audit.py --write, then handgrad build --again 14_audit"


def due(name: str) -> bool:
    """Whether a version is examined here: every one of a bank that has changed since it was measured, else two of each bank."""
    version, bank = versions()[name]
    digest = content(bank.name)
    if measured()["contents"].get(bank.name) != digest:
        return True
    alike = [f"{bank.name}.{one.name}" for one in (bank.wrongs if version.kind else bank.rights)]
    return name == min(alike, key=lambda one: hashlib.sha256(f"{digest} {one}".encode()).digest())


@pytest.mark.parametrize("name", [name for name, (version, _) in versions().items() if not version.kind])
def test_the_audit_accepts_what_is_right(name: str):
    if not due(name):
        assert not measured()["refusals"][name].keys() & AUDITS.keys()
        return
    verdicts = examine(name)
    for check in AUDITS:
        verdicts[check].raise_if_failed()
    as_measured(name, verdicts)


@pytest.mark.parametrize("name", [name for name, (version, _) in versions().items() if version.kind])
def test_the_audit_refuses_what_is_wrong(name: str):
    if not due(name):
        assert ("audit with reference" in measured()["refusals"][name]) == (name not in MISSED)
        return
    verdicts = examine(name)
    assert verdicts["audit with reference"].ok == (name in MISSED), versions()[name][0].words
    for check in AUDITS:
        assert all(outcome.slip or outcome.given for outcome in verdicts[check].failed)
    as_measured(name, verdicts)


def as_measured(name: str, verdicts: dict) -> None:
    """results.json, which the book shows, says the same."""
    assert measured()["refusals"].get(name) == refusals(verdicts), f"{name} is not as {RESULTS.name} has it. {RENEW}"


def test_what_was_measured_is_the_bank():
    assert list(measured()["refusals"]) == list(versions()), RENEW
    assert measured()["times"].keys() == {*CHECKS, *AUDITS}, RENEW


def test_it_misses_less_than_one_in_a_hundred_and_gradcheck_many():
    alone, with_reference, by_gradcheck = (
        score(check, measured()["refusals"]) for check in ("audit", "audit with reference", "gradcheck")
    )
    assert with_reference.wrong - with_reference.refused == len(MISSED) < 0.01 * len(WRONGS)
    assert alone.refused > 0.96 * alone.wrong
    assert alone.accepted == alone.right == with_reference.accepted
    assert by_gradcheck.refused < 0.6 * alone.wrong
