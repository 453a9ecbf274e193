"""The bank: every wrong version is wrong by a proof of its own, every right one is right, and the audit tells them apart."""

import warnings

import pytest

from handgrad.audit import audit
from handgrad.mutants import witness
from handgrad.mutants.bank import KINDS, Bank, Version, banks
from handgrad.mutants.compare import CHECKS, gradcheck, score

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


@pytest.mark.parametrize(("bank", "version"), RIGHTS)
def test_the_audit_accepts_what_is_right(bank: Bank, version: Version):
    audit(version.function, *bank.inputs(), reference=bank.reference).raise_if_failed()
    if not bank.estimator:
        audit(version.function, *bank.inputs()).raise_if_failed()


@pytest.mark.parametrize(("bank", "version"), WRONGS)
def test_the_audit_refuses_what_is_wrong(bank: Bank, version: Version):
    report = audit(version.function, *bank.inputs(), reference=bank.reference)
    assert not report.ok, version.words
    assert all(outcome.slip for outcome in report.failed)


def test_without_a_reference_it_misses_no_more_than_one_in_a_hundred_and_gradcheck_many():
    alone = score(CHECKS["audit"])
    assert alone.refused >= 0.99 * alone.wrong, alone.missed
    assert alone.accepted == alone.right, alone.missed
    assert score(gradcheck).refused < 0.6 * alone.wrong
