"""A teacher's own course, made from nothing: it builds, tests and grades, and the box keeps its references from answers."""

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from handgrad.errors import CourseError
from handgrad.exercises import EXERCISES
from handgrad.grading import box
from handgrad.grading.box import box_problem
from handgrad.grading.official import course_folder
from handgrad.grading.results import terms_of
from handgrad.notebooks import own_skeleton
from handgrad.notebooks.course import read_sources
from handgrad.own_course import own_course, own_exercises

NAME, EXERCISE = "01_sines", "my_sin"
ANSWERS = {"ada": "return x + x", "bob": "return 3 * x"}
# what a hostile answer would look for, were it not refused for its words
SPY = """
import sys
from pathlib import Path
from handgrad.exercises import EXERCISES

exercise = EXERCISES["my_sin"]
module = exercise.probes[0].observe.__globals__
lambdas = [name for name, value in module.items() if getattr(value, "__name__", "") == "<lambda>"]
print(exercise.reference, exercise.slips, lambdas)
print([name for name in sys.modules if name.startswith("handgrad.checks")])
try:
    import handgrad.checks.my_sin
except ImportError as error:
    print(type(error).__name__)
for name in ("checks/my_sin.py", "sources/exercises/01_sines.md", "solutions/01_sines.ipynb"):
    try:
        print(len((Path(COURSE) / name).read_text()))
    except OSError:
        print("unreadable")
"""
LOOK = """
import sys
from handgrad.grading import box
from handgrad.grading.run_class import _PRELOAD
from handgrad.grading.settings import Settings
from handgrad.grading.worker import _forked
from handgrad.warm.client import Zygote

with Zygote(_PRELOAD, wrapper=box.box_command()) as zygote:
    kernel = _forked(Settings(seed=1, warm=zygote.path, boxed=True), ".")
    cell = kernel.execute_cell_input(sys.argv[1])
    kernel.await_reply(cell, timeout=60)
    while (message := kernel.get_message(timeout=60))["msg_type"] != "status":
        print(message["content"].get("text") or message["content"]["traceback"][-1], end="")
    kernel.stop()
"""


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HANDGRAD_", "PYTEST_", "GITHUB_"))}
    return kept | {"OMP_NUM_THREADS": "1", "COLUMNS": "100"} | more


def run(folder: Path, *command: str, **more: str) -> subprocess.CompletedProcess:
    options = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 300}
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment(**more), **options)


def handgrad(folder: Path, *words: str) -> str:
    done = run(folder, "-m", "handgrad", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> SimpleNamespace:
    """A course made by the commands alone, what they said, and two submissions."""
    folder = tmp_path_factory.mktemp("course")
    said = [handgrad(folder, *words) for words in (["new", "exercise", NAME, EXERCISE], ["build"], ["test"])]
    for learner, line in ANSWERS.items():
        path = folder / "submissions" / learner / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        text = (folder / "exercises" / f"{NAME}.ipynb").read_text(encoding="utf-8")
        assert text.count("raise NotImplementedError") == 1
        path.write_text(text.replace("raise NotImplementedError", line), encoding="utf-8", newline="\n")
    return SimpleNamespace(folder=folder, said=said)


def test_a_course_from_nothing_builds_and_tests(made):
    new, build, test = made.said
    for line in new.splitlines():
        if line.endswith(": written"):
            assert (made.folder / line.removesuffix(": written")).is_file()
    assert new.count(": written") == 7
    assert set(build.split()) == {f"exercises/{NAME}.ipynb:", f"solutions/{NAME}.ipynb:", "written"}
    assert test == "my_sin: shipped unsolved, solution done, 1 wrong refused, 1 right accepted\n"
    assert handgrad(made.folder / "exercises", "build", "--check") == ""


def test_its_notebooks_name_no_repository_that_they_could_be_installed_from(made):
    exercise = (made.folder / "exercises" / f"{NAME}.ipynb").read_text(encoding="utf-8")
    assert "git+" not in exercise and "colab" not in exercise
    assert "pip install -r requirements.txt" in exercise


def test_the_workflow_runs_what_works_here(made):
    (job,) = yaml.safe_load((made.folder / ".github/workflows/grade.yml").read_text(encoding="utf-8"))["jobs"].values()
    commands = "\n".join(step.get("run", "") for step in job["steps"])
    for command in (
        "pip install -r requirements.txt",
        "handgrad build --check && handgrad test",
        "grade submissions --out report",
    ):
        assert command in commands
    assert (made.folder / "requirements.txt").read_text(encoding="utf-8").startswith("handgrad[course]")


def test_requirements_name_where_the_package_came_from(monkeypatch):
    origin = json.dumps({"url": "https://github.com/o/h", "vcs_info": {"vcs": "git", "commit_id": "abc"}})
    for text, expected in ((origin, "handgrad[course] @ git+https://github.com/o/h@abc"), (None, "handgrad[course]==7")):
        installed = SimpleNamespace(version="7", read_text=lambda name, text=text: text)
        monkeypatch.setattr(own_skeleton.metadata, "distribution", lambda name, installed=installed: installed)
        assert own_skeleton.requirement() == expected


@pytest.mark.skipif(box_problem() is not None, reason="no box here")
def test_a_class_is_graded(made):
    said = handgrad(made.folder, "grade", "submissions", "--out", "report")
    assert "The factor is 2, not 3." in said
    header, ada, bob = map(json.loads, (made.folder / "report/results.jsonl").read_text(encoding="utf-8").splitlines())
    assert header["exercises"] == {NAME: {EXERCISE: 10}}
    assert [(line["submission"], line["rows"][0]["outcome"], line["rows"][0]["points"]) for line in (ada, bob)] == [
        ("ada", "done", 10),
        ("bob", "not yet", 0),
    ]


@pytest.mark.skipif(box_problem() is not None, reason="no box here")
def test_in_the_box_the_reference_is_neither_imported_nor_read(made):
    done = run(made.folder, "-c", LOOK, SPY.replace("COURSE", repr(str(made.folder))))
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["None () []", "[]", "ModuleNotFoundError", *3 * ["unreadable"]]


def test_a_notebook_is_graded_in_an_ordinary_kernel(made):
    said = handgrad(made.folder, "grade", f"submissions/ada/{NAME}.ipynb")
    assert "10/10" in said


def test_grading_from_elsewhere_names_the_folder(made, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CourseError, match="whose checks are not loaded; run handgrad there"):
        course_folder(made.folder / "submissions" / "ada" / f"{NAME}.ipynb")
    (tmp_path / "checks").mkdir()
    (tmp_path / "sources" / "exercises").mkdir(parents=True)
    with pytest.raises(CourseError, match=r"no solutions/ yet, .* run: handgrad build"):
        course_folder(tmp_path / "submissions")


def test_a_changed_check_is_a_reason_to_grade_again(made, monkeypatch):
    monkeypatch.setenv("HANDGRAD_COURSE", str(made.folder))
    before = terms_of(made.folder, 1, {})["officials"]
    assert set(before) == {NAME, f"checks/{EXERCISE}.py"}
    module = made.folder / "checks" / f"{EXERCISE}.py"
    text = module.read_text(encoding="utf-8")
    module.write_text(text + "\n", encoding="utf-8", newline="\n")
    assert terms_of(made.folder, 1, {})["officials"] != before
    module.write_text(text, encoding="utf-8", newline="\n")


def test_a_learner_needs_the_notebooks_and_the_checks(made, tmp_path):
    for part in (f"exercises/{NAME}.ipynb", f"checks/{EXERCISE}.py"):
        (tmp_path / part).parent.mkdir()
        (tmp_path / part).write_bytes((made.folder / part).read_bytes())
    code = f"from handgrad import check, progress; check({EXERCISE!r}, lambda x: 2 * x); check({EXERCISE!r}, abs); progress()"
    done = run(tmp_path / "exercises", "-c", code, HANDGRAD_PROGRESS=str(tmp_path / "progress.json"))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "my_sin: done. All 1 probes pass."
    assert lines[1] == "my_sin: 0 of 1 probes pass"
    assert lines[-2].split() == [NAME, "■", "1", "of", "1"] and lines[-1] == "Everything is done."


def test_what_is_not_as_it_should_be_is_told(made):
    wrong = made.folder / "tests/answers/wrong" / EXERCISE / "second.py"
    stray = made.folder / "tests/answers/right/no_such"
    stray.mkdir()
    wrong.write_text('"""Right.\n\nMeets: values: x\n"""\n\n\ndef my_sin(x):\n    return 2 * x\n', encoding="utf-8", newline="\n")
    try:
        done = run(made.folder, "-m", "handgrad", "test")
    finally:
        wrong.unlink()
        stray.rmdir()
    assert done.returncode == 1
    assert done.stdout == "my_sin: shipped unsolved, solution done, 1 wrong refused, 1 right accepted\n"
    assert "tests/answers/wrong/my_sin/second.py (my_sin, wrong): this is wrong, and the check accepts it" in done.stderr
    assert "tests/answers/right/no_such: answers to no exercise" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((NAME, "my_relu"), "my_relu: there is an exercise of this name, in 03_relu; take another name"),
        (("03_relu", "my_cos"), "03_relu: handgrad's own course has a notebook of this name; take another name"),
        ((NAME, EXERCISE), f"my_sin: there is an exercise of this name, in {NAME}; take another name"),
        (("01_cosines", "my_cos"), "01_cosines: sources/exercises/01_sines.md has the number 01; take another number"),
        (("sines", "my_cos"), "sines: a notebook is named by two digits and a word, like 01_sines"),
    ],
)
def test_a_name_that_is_taken_is_refused_and_nothing_is_written(made, monkeypatch, words, said):
    monkeypatch.chdir(made.folder)
    monkeypatch.setattr("handgrad.exercises.EXERCISES", EXERCISES | own_exercises(EXERCISES.values()))
    before = sorted(made.folder.rglob("*"))
    with pytest.raises(CourseError) as error:
        own_skeleton.write_own_exercise(made.folder, *words)
    assert error.value.message == said
    assert sorted(made.folder.rglob("*")) == before


def test_a_second_exercise_joins_the_first_and_what_is_there_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "requirements.txt").write_text("mine\n", encoding="utf-8", newline="\n")
    first = own_skeleton.write_own_exercise(tmp_path, NAME, EXERCISE)
    second = own_skeleton.write_own_exercise(tmp_path, NAME, "my_cos")
    assert "requirements.txt" not in first and (tmp_path / "requirements.txt").read_text(encoding="utf-8") == "mine\n"
    assert ".github" in first and ".github" not in second
    (source,) = read_sources(tmp_path)
    assert list(source.answers) == [EXERCISE, "my_cos"]
    assert set(own_exercises(EXERCISES.values())) == set(source.answers)


@pytest.fixture
def course(tmp_path, monkeypatch) -> Iterator[Path]:
    """A course with nothing in it."""
    for part in ("checks", "exercises"):
        (tmp_path / part).mkdir()
    monkeypatch.chdir(tmp_path / "exercises")
    return tmp_path


def module(name: str, chapter: str) -> str:
    head = "from handgrad.exercises.exercise import Exercise\n"
    return f"{head}EXERCISES = (Exercise({name!r}, {chapter!r}, probes=(), reference=abs, hints=('a', 'b', 'c')),)\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (module("my_relu", "01_own"), "checks/own.py: my_relu is an exercise of handgrad's own course too; take another name"),
        (module("own", "03_relu"), "checks/own.py: 03_relu is a notebook of handgrad's own course; name yours otherwise"),
        ("x = 1\n", "checks/own.py: no tuple of exercises; end it with EXERCISES = (MY_EXERCISE,), or move it out of checks/"),
        ("EXERCISES = (1,)\n", "checks/own.py: no tuple of exercises"),
        ("\nx = 1 / 0\n", "checks/own.py:2: it cannot be loaded: ZeroDivisionError: division by zero"),
        ("x = (\n", "checks/own.py:1: it cannot be loaded: SyntaxError"),
    ],
)
def test_a_check_that_cannot_be_used_is_named(course, text, said):
    (course / "checks/own.py").write_text(text, encoding="utf-8", newline="\n")
    with pytest.raises(CourseError) as error:
        own_exercises(EXERCISES.values())
    assert error.value.message.startswith(said)


def test_exercises_come_in_the_order_of_their_notebooks(course):
    for file, name, chapter in (("a", "late", "02_own"), ("b", "early", "01_own")):
        (course / f"checks/{file}.py").write_text(module(name, chapter), encoding="utf-8", newline="\n")
    assert list(own_exercises(EXERCISES.values())) == ["early", "late"]
    (course / "checks/c.py").write_text(module("late", "02_own"), encoding="utf-8", newline="\n")
    with pytest.raises(CourseError, match=r"checks/c.py: late is an exercise of checks/a.py too"):
        own_exercises(EXERCISES.values())


def test_the_box_binds_the_checks_and_hides_them_from_each_answer(course):
    checks = str(course / "checks")
    command = box.box_command()
    assert command[command.index(checks) - 1] == "--ro-bind"
    inside = command[: command.index("--clearenv")]
    assert [before for before, word in itertools.pairwise(inside) if word == str(course)] == ["--dir"]  # empty
    assert checks in box.hidden()
    assert box.environment()["HANDGRAD_COURSE"] == str(course)


def test_a_course_is_found_from_below_or_by_its_variable(course, monkeypatch, tmp_path_factory):
    assert own_course() == course
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "checks").mkdir()  # alone it says nothing
    monkeypatch.chdir(elsewhere)
    assert own_course() is None and own_exercises(EXERCISES.values()) == {}
    monkeypatch.setenv("HANDGRAD_COURSE", str(course))
    assert own_course() == course
    monkeypatch.setenv("HANDGRAD_COURSE", str(course / "exercises"))
    with pytest.raises(CourseError, match=r"HANDGRAD_COURSE: .*exercises has no folder checks"):
        own_course()
