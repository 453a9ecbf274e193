"""Every exercise in all its states: as shipped, the solution, each wrong answer with its message, each right answer."""

from dataclasses import replace
from pathlib import Path

import pytest

from handgrad.exercises import EXERCISES
from handgrad.notebooks.course import read_sources
from handgrad.notebooks.states import RIGHT, SHIPPED, SOLVED, WRONG, fault, gaps, states, strays, verdict
from handgrad.verdict import reference_record

ROOT = Path(__file__).parents[1]
SOURCES = [source for source in read_sources(ROOT) if source.is_exercise]
STATES = states(ROOT, SOURCES)

# the answer cell of these holds code that runs and is wrong
REPAIRS = {"red_to_green", "in_place_damage", "failing_gradchecks", "move_and_freeze"}


def of_kind(kind: str) -> list:
    return [
        pytest.param(state, id=f"{state.exercise}/{Path(state.place).stem}" if kind in (WRONG, RIGHT) else state.exercise)
        for state in STATES
        if state.kind == kind
    ]


@pytest.mark.parametrize("state", of_kind(SHIPPED))
def test_as_shipped_it_is_not_started_or_as_broken_as_it_was(state):
    assert fault(state) is None
    result = verdict(state)
    assert result.outcome in (("not yet", "raised") if state.exercise in REPAIRS else ("not started",))
    exercise = EXERCISES[state.exercise]
    assert {probe.name for probe in exercise.probes} - {finding.probe for finding in result.findings} >= set(exercise.given)


@pytest.mark.parametrize(
    ("exercise", "written", "first"),
    [
        ("match_torch", ["Mul"], "relu"),
        ("match_torch", ["Mul", "ReLU", "MatMul"], "sum"),
        ("match_torch", ["Sum"], "mul"),
        ("function_apply", ["Function"], "node"),
        ("value_at_zero", ["TorchReLU"], "predictions"),
        ("prelu", ["PReLUFunction"], "parameter"),
        ("not_a_derivative", ["ReverseGradient"], "RoundThrough, forward"),
    ],
)
def test_a_part_that_is_written_counts_and_the_next_one_is_named(exercise, written, first):
    shipped, solved = (
        next(state for state in STATES if (state.exercise, state.kind) == (exercise, kind)) for kind in (SHIPPED, SOLVED)
    )
    parts = zip(shipped.answer.split("\n\n\n"), solved.answer.split("\n\n\n"), strict=True)
    heads = tuple(f"class {name}(" for name in written) + tuple(f"class {name}:" for name in written)
    result = verdict(replace(shipped, answer="\n\n\n".join(done if done.startswith(heads) else stub for stub, done in parts)))
    assert result.outcome == "not yet" and 0 < result.passed < result.total
    assert result.findings[0].probe == first
    assert 'Not written yet: replace this "raise NotImplementedError" with your answer.' in result.findings[0].text


@pytest.mark.parametrize("state", of_kind(SOLVED))
@pytest.mark.parametrize("seed", [0, 7, 2026])
def test_solution_is_done(state, seed):
    assert fault(state, seed) is None


@pytest.mark.parametrize("state", of_kind(WRONG))
def test_wrong_answer_meets_its_message(state):
    assert fault(state) is None


@pytest.mark.parametrize("state", of_kind(RIGHT))
def test_right_answer_is_done(state):
    assert fault(state) is None


@pytest.mark.parametrize("name", EXERCISES)
def test_the_reference_has_no_fault_that_would_be_expected_of_others(name):
    for probe, cases in reference_record(name, 0)["probes"].items():
        assert cases or probe == "form", probe
        for case in cases:
            assert case.get("seen", {}).get("fault", "none") == "none", probe
            assert "raised" not in case.get("seen", {}), probe


def test_every_exercise_has_its_answers_and_hints_and_no_answers_are_left_over():
    assert {state.exercise for state in STATES} == set(EXERCISES)
    assert [*gaps(ROOT, SOURCES, wrong=6, right=3), *strays(ROOT, SOURCES)] == []


@pytest.fixture(scope="module")
def relu() -> dict:
    """The states of my_relu, one of each kind."""
    return {state.kind: state for state in STATES if state.exercise == "my_relu"}


@pytest.mark.parametrize(
    ("kind", "answered_as", "said"),
    [
        (SHIPPED, SOLVED, "this is done before anybody has answered"),
        (SOLVED, SHIPPED, "this is right, and the check refuses it (seed 0):\n    my_relu: not started"),
        (RIGHT, WRONG, "this is right, and the check refuses it"),
        (WRONG, RIGHT, "this is wrong, and the check accepts it"),
        (WRONG, SHIPPED, "its docstring needs one line 'Meets: <probe>: <part of the message>'"),
        (SHIPPED, WRONG, None),
    ],
)
def test_a_state_that_is_not_as_it_should_be_is_told(relu, kind, answered_as, said):
    found = fault(replace(relu[kind], answer=relu[answered_as].answer))
    assert found is None if said is None else found.startswith(said)


def test_other_faults_of_an_answer_are_told(relu):
    wrong = relu[WRONG]
    other = wrong.answer.replace("Meets: ", "Meets: no such probe")
    assert fault(replace(wrong, answer=other)).startswith("it is refused, and not with the message that it should meet")
    assert fault(replace(wrong, answer="1 +")).startswith("it does not run: SyntaxError")


def test_missing_answers_and_strays_are_told(tmp_path):
    (tmp_path / "tests/answers/wrong/no_such").mkdir(parents=True)
    start = [source for source in SOURCES if source.stem == "00_start"]
    found = [*gaps(tmp_path, start), *strays(tmp_path, start)]
    assert [line.split(":")[0] for line in found] == [
        "tests/answers/wrong/device_neutral",
        "tests/answers/right/device_neutral",
        "tests/answers/wrong/red_to_green",
        "tests/answers/right/red_to_green",
        "tests/answers/wrong/no_such",
    ]
