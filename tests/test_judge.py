"""The judge: pure, complete, and never out of countenance."""

import copy
import json
import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from handgrad.audit.calls import prepare
from handgrad.audit.judge import judge, judge_probe
from handgrad.audit.record import plain
from handgrad.audit.run import PROBES, records
from handgrad.audit.run import observe as observe_audit
from handgrad.exercises import EXERCISES
from handgrad.exercises.exercise import Slip
from handgrad.mutants import linear, relu, sort
from handgrad.observe import observe
from handgrad.verdict import judge_record

NAMES = ["my_relu", "leaky_relu", "quarter_memory"]
RECORDS = {name: observe(EXERCISES[name], EXERCISES[name].reference, 5) for name in NAMES}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def numbers_in(record: dict) -> list[tuple[list, int]]:
    """Every place of a number that was seen, as (the list that holds it, its index)."""
    places = []
    for cases in record["probes"].values():
        for case in cases:
            for label, value in case.get("seen", {}).items():
                if isinstance(value, dict) and value.get("tensor") and label not in case.get("accept", {}):
                    places += [(value["tensor"], i) for i in range(len(value["tensor"]))]
    return places


@pytest.mark.parametrize("name", NAMES)
def test_a_record_agrees_with_itself_also_after_a_journey_through_json(name):
    record = RECORDS[name]
    assert judge(record, record) == []
    assert judge(json.loads(json.dumps(record, allow_nan=False)), record) == []


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_one_number_changed_is_found(data):
    want = RECORDS[data.draw(st.sampled_from(NAMES))]
    got = copy.deepcopy(want)
    holder, index = data.draw(st.sampled_from(numbers_in(got)))
    change = data.draw(st.sampled_from([1e-3, -0.5, 3.0, {"float": "nan"}, None, "1", True]))
    is_number = isinstance(change, float)
    holder[index] = holder[index] + change * (1 + abs(holder[index])) if is_number else change
    assert len(judge(got, want)) == 1


@given(anything, st.data())
@settings(max_examples=100, deadline=None)
def test_any_rubbish_gives_findings_and_no_exception(rubbish, data):
    want = RECORDS["my_relu"]
    assert judge(rubbish, want)
    got = copy.deepcopy(want)
    probe = data.draw(st.sampled_from([probe.name for probe in EXERCISES["my_relu"].probes if not probe.advice]))
    case = data.draw(st.integers(0, len(got["probes"][probe]) - 1))
    label = data.draw(st.sampled_from(list(got["probes"][probe][case]["seen"])))
    got["probes"][probe][case]["seen"][label] = rubbish
    judge(got, want)
    got["probes"][probe][case] = rubbish
    judge(got, want)
    got["probes"][probe] = rubbish
    judge(got, want)
    assert judge_record("my_relu", {**got, "source": rubbish}, 5).outcome != "done"


def test_the_judge_needs_no_torch():
    code = "import sys, handgrad.audit.judge; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_slip_may_be_whatever_an_answer_may_be(monkeypatch):
    exercise = replace(EXERCISES["my_relu"], slips=(Slip([], "a list"), Slip({}, "a dict")))
    monkeypatch.setitem(EXERCISES, "my_relu", exercise)
    assert judge_record("my_relu", RECORDS["my_relu"], 7).outcome == "not yet"


def test_a_record_for_another_seed_does_not_pass():
    assert judge_record("my_relu", RECORDS["my_relu"], 5).outcome == "done"
    assert judge_record("my_relu", RECORDS["my_relu"], 6).outcome == "not yet"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (torch.tensor([1.5, float("nan")]), {"tensor": [1.5, {"float": "nan"}], "shape": [2], "dtype": "float32"}),
        (float("-inf"), {"float": "-inf"}),
        ((1, [True, None]), [1, [True, None]]),
        (torch.relu, {"object": "an object of type builtin_function_or_method"}),
        (10**30, {"object": "a huge integer"}),
    ],
)
def test_values_become_plain_data(value, expected):
    assert plain(value) == expected


def audit_records() -> list[tuple[str, list, list]]:
    """(probe, what was seen, what was expected) of right Functions, for every probe that applies."""
    found = []
    for bank in (relu.bank, linear.bank, sort.bank):
        call = prepare(bank.rights[0].function, bank.inputs(), None, 0)
        for probe in PROBES:
            cases, _ = observe_audit(probe, call)
            if cases and not probe.advice:
                found.append((probe.name, *records(cases)))
    return found


AUDITS = audit_records()


@pytest.mark.parametrize(("probe", "seen", "expected"), AUDITS, ids=[probe for probe, _, _ in AUDITS])
def test_a_record_of_the_audit_agrees_with_what_was_expected_and_survives_json(probe, seen, expected):
    assert judge_probe(probe, seen, expected) is None
    assert judge_probe(probe, seen, seen) is None
    for record in (seen, expected):
        assert json.loads(json.dumps(record, allow_nan=False)) == record


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_one_value_of_an_audit_changed_is_found(data):
    probe, seen, expected = data.draw(st.sampled_from(AUDITS))
    got = copy.deepcopy(seen)
    index = data.draw(st.integers(0, len(got) - 1))
    labels = [label for label in got[index]["seen"] if label in expected[index]["seen"]]
    if not labels:
        return
    label = data.draw(st.sampled_from(labels))
    value, want = got[index]["seen"][label], expected[index]["seen"][label]
    if isinstance(value, dict) and value.get("tensor"):
        place = data.draw(st.integers(0, len(value["tensor"]) - 1))
        old = value["tensor"][place]
        value["tensor"][place] = (not old) if isinstance(old, bool) else old + 1 + abs(old) + 2 * expected[index]["tolerance"][1]
    elif isinstance(want, dict) and "between" in want:
        got[index]["seen"][label] = data.draw(
            st.sampled_from([want["between"][1] + 1, want["between"][0] - 1, {"float": "nan"}, None, "1"])
        )
    else:
        got[index]["seen"][label] = data.draw(st.sampled_from(["something else", None, -17]))
    assert judge_probe(probe, got, expected) is not None


@given(anything, st.data())
@settings(max_examples=150, deadline=None)
def test_any_rubbish_for_a_record_of_the_audit_gives_no_exception(rubbish, data):
    probe, seen, expected = data.draw(st.sampled_from(AUDITS))
    judge_probe(probe, rubbish, expected)
    got = copy.deepcopy(seen)
    index = data.draw(st.integers(0, len(got) - 1))
    got[index] = rubbish
    judge_probe(probe, got, expected)
    got[index] = {"given": rubbish, "seen": rubbish}
    judge_probe(probe, got, expected)
    got[index] = {"given": "", "seen": dict.fromkeys(expected[index]["seen"], rubbish)}
    judge_probe(probe, got, expected)
