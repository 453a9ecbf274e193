"""What is wrong in a source is one line that names the place and the cure, and nothing is written."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from handgrad.cli import main
from handgrad.exercises import EXERCISES
from handgrad.notebooks.ids import cell_ids
from handgrad.notebooks.regions import split_regions
from handgrad.notebooks.source import read_source
from handgrad.observe import observe
from handgrad.verdict import judge_record

CHAPTER = "# Chains\n\nWhy.\n"
EXERCISE = """# Practice: Chains

```{code-cell}
# exercise: twice
def twice(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

```{code-cell}
check("twice", twice)
```
"""
CONTENTS = """root: chapters/01_chains
chapters:
  - file: exercises/01_chains
  - file: solutions/01_chains.ipynb
  - file: glossary
"""
HIDDEN = "    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION\n"


@pytest.fixture
def course(tmp_path, monkeypatch) -> Path:
    for path, text in {
        "sources/chapters/01_chains.md": CHAPTER,
        "sources/exercises/01_chains.md": EXERCISE,
        "_toc.yml": CONTENTS,
    }.items():
        write(tmp_path / path, text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("handgrad.exercises.EXERCISES", {"twice": SimpleNamespace(chapter="01_chains")})
    monkeypatch.setattr("handgrad.notebooks.execute.execute", lambda *_, **__: None)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def refused(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments or ["build"])
    assert isinstance(result.exception, SystemExit) and result.exit_code in (1, 2), result.output
    return result.output


def test_the_course_of_these_tests_builds(course):
    assert CliRunner().invoke(main, ["build"]).exit_code == 0
    assert len(list(course.rglob("*.ipynb"))) == 3


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    ### END SOLUTION\n", "", "01_chains.md:3: in the answer to twice, line 3: ### BEGIN SOLUTION is never closed; add"),
        (HIDDEN, f"    ### BEGIN SOLUTION\n{HIDDEN}", "line 4: ### BEGIN SOLUTION stands inside another solution; put"),
        ("    ### BEGIN SOLUTION\n", "", "line 4: ### END SOLUTION has no ### BEGIN SOLUTION before it; add"),
        (HIDDEN, f"    ### BEGIN STUB\n{HIDDEN}", "line 3: ### BEGIN STUB belongs once between"),
        ("    ### END", "    ### BEGIN STUB\n    return 3\n    ### END", "line 6: a line of a stub is not a comment; begin"),
        (HIDDEN, "    return 2 * x\n", "01_chains.md:3: the answer to twice is not hidden; put it between"),
        ("# exercise: twice\n", "", "01_chains.md:3: a solution marker outside an answer cell; begin the cell with"),
        ('check("twice", twice)', "twice(2)", '01_chains.md:3: twice is never checked; add a code cell with check("twice", …)'),
        ('check("twice"', 'check("double"', '11: check("double", …) has no answer cell before it; write check("twice"'),
        ("# exercise: twice", "# exercise: twise", "01_chains.md:11: check(\"twice\", …) has no answer cell before it"),
        (EXERCISE, EXERCISE + EXERCISE.partition("\n")[2], "01_chains.md:15: twice is answered twice; rename or delete"),
        (EXERCISE, EXERCISE.replace("twice", "twise"), "01_chains.md:3: twise is not registered in handgrad/exercises/"),
        (EXERCISE, EXERCISE.replace("twice", "twise"), "did you mean twice?"),
        (EXERCISE, CHAPTER, "sources/exercises/01_chains.md: twice is registered in handgrad/exercises/ and missing here; add"),
        ("# Practice: Chains\n", "", "sources/exercises/01_chains.md: the first cell is not Markdown; begin with the title"),
        ("```{code-cell}\ncheck", "```{code-cell}\n:tags: hidden\n\ncheck", "options are not readable, write :tags: ["),
        ("```{code-cell}\ncheck", "```{code-cell}\n:tag: [hidden]\n\ncheck", "01_chains.md:11: the only option of a cell"),
        ("```{code-cell}\ncheck", "```{code-cell}\n:tags: [hid\n\ncheck", "a cell's options are not readable"),
    ],
)  # fmt: skip
def test_a_wrong_exercise_is_refused(course, old, new, said):
    assert old in EXERCISE
    write(course / "sources/exercises/01_chains.md", EXERCISE.replace(old, new))
    output = refused()
    assert said in output
    assert all("01_chains" in line for line in output.splitlines())
    assert not list(course.rglob("*.ipynb"))


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("sources/chapters/01_chains.md", EXERCISE, "01_chains.md:3: a solution marker outside an answer cell"),
        ("sources/chapters/01_other.md", CHAPTER, "01_other.md: sources/chapters/01_chains.md has the number 01 too"),
        ("sources/chapters/Notes.md", CHAPTER, "sources/chapters/Notes.md: a source is named by two digits and a word"),
        ("sources/chapters/02_next.md", CHAPTER, "_toc.yml: chapters/02_next is missing; add a line '- file:"),
        ("sources/exercises/02_next.md", EXERCISE, "02_next.md:3: twice is answered in sources/exercises/01_chains.md"),
        ("sources/exercises/02_next.md", EXERCISE, "02_next.md:3: twice is registered for chapter 01_chains; move it there"),
        ("_toc.yml", CONTENTS.replace("exercises/", "exercises/x"), "_toc.yml: exercises/01_chains is missing; add a line"),
        ("_toc.yml", CONTENTS.replace("solutions/", "exercises/"), "_toc.yml: solutions/01_chains is missing; add a line"),
        ("_toc.yml", CONTENTS + "  - file: solutions/09_x\n", "solutions/09_x has no source; write sources/exercises/09_x"),
        ("_toc.yml", CONTENTS + "- ]\n", "line 6, column 1"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_refused(course, path, text, said):
    write(course / path, text)
    for arguments in (["build"], ["build", "--check"]):
        assert said in refused(*arguments)
    assert not list(course.rglob("*.ipynb"))


def test_without_contents_or_sources_the_cure_is_named(course, monkeypatch, tmp_path_factory):
    (course / "_toc.yml").unlink()
    assert "_toc.yml: there is none; write it" in refused()
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert "no sources folder here or above; run handgrad in the course's folder" in refused()


def test_files_that_cannot_be_read_are_named(course):
    path = course / "sources/chapters/01_chains.md"
    path.write_bytes("# Größe".encode("latin-1"))
    assert "sources/chapters/01_chains.md: not UTF-8 text at byte 4; save it as UTF-8" in refused()
    path.write_bytes(CHAPTER.encode("utf-8-sig"))
    assert CliRunner().invoke(main, ["build"]).exit_code == 0
    (course / "_toc.yml").write_bytes(b"root: \xff")
    assert "_toc.yml: not valid YAML" in refused()
    path.unlink()
    path.mkdir()
    assert "01_chains.md: Is a directory" in refused()


def test_a_missing_package_is_named(course, monkeypatch):
    monkeypatch.setitem(sys.modules, "handgrad.notebooks.build", None)
    assert "handgrad.notebooks.build is not installed; in the course's folder run: pip install -r requirements.txt" in refused()


def test_several_wrong_sources_are_named_at_once(course):
    for folder in ("chapters", "exercises"):
        write(course / f"sources/{folder}/01_chains.md", "```{code-cell}\n1\n```\n")
    assert refused().count("the first cell is not Markdown") == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "01_chain"], "01_chain: no such source; did you mean 01_chains?"),
        (["build", "zzz"], "zzz: no such source; known are 01_chains"),
        (["hint", "no_such"], "no exercise 'no_such'"),
        (["new", "chapter", "chains"], "chains: a chapter is named by two digits and a word, like 09_chains"),
        (["new", "chapter", "01_chains"], "sources/chapters/01_chains.md: exists already"),
        (["new", "exercise", "01_chains", "twice"], "sources/exercises/01_chains.md: twice stands there already"),
        (["new", "exercise", "01_chains", "Twice"], "Twice: an exercise is named by small letters"),
    ],
)
def test_a_wrong_name_is_refused(course, monkeypatch, arguments, said):
    before = sorted(course.rglob("*"))
    assert said in refused(*arguments)
    assert sorted(course.rglob("*")) == before


def test_a_region_hides_the_answer_and_shows_its_stub():
    begin, stub, end = (f"        ### {marker}\n" for marker in ("BEGIN SOLUTION", "BEGIN STUB", "END SOLUTION"))
    lines = "        # y = 2\n\n        #     z\n"
    solution, exercise = split_regions(f"def f(x):\n    if x:\n{begin}        return 1\n{stub}{lines}{end}    return 0")
    assert solution == "def f(x):\n    if x:\n        return 1\n    return 0"
    assert exercise == "def f(x):\n    if x:\n        y = 2\n\n            z\n    return 0"
    assert split_regions("### BEGIN SOLUTION\n1\n### END SOLUTION\n### BEGIN SOLUTION\n2\n### END SOLUTION") == (
        "1\n2",
        "raise NotImplementedError\nraise NotImplementedError",
    )


def test_ids_are_unique_short_and_stay_when_another_section_grows(tmp_path):
    long = "A " + "very " * 30 + "long heading"
    fence = "```python\n# no heading\n```"
    sections = ["# T", "Text.", "## Why x > 0?", "## 值", f"## {long}", f"## {long}", fence, "## Why x > 0"]
    path = Path("sources/chapters/01_chains.md")
    write(tmp_path / path, "\n\n+++\n\n".join(sections))
    ids = cell_ids(read_source(tmp_path, path).cells)
    assert ids[:4] == ["t-1", "t-2", "why-x-0-1", "why-x-0-2"]
    assert len(set(ids)) == len(sections) and max(map(len, ids)) <= 64
    write(tmp_path / path, "\n\n+++\n\n".join(["# T", "More.", *sections[1:]]))
    assert cell_ids(read_source(tmp_path, path).cells)[3:] == ids[2:]


def test_new_skeletons_build_and_are_written_once(course, monkeypatch):
    run = CliRunner().invoke
    said = [run(main, ["new", *words]).output for words in (["chapter", "02_sines"], ["exercise", "02_sines", "my_sin"])]
    assert "handgrad new exercise 02_sines EXERCISE" in said[0]
    assert all(f"- file: {folder}/02_sines\n" in text for folder in ("chapters", "exercises", "solutions") for text in said)
    assert "handgrad/exercises/my_sin.py" in said[1] and "at least 2 right and 3 wrong" in said[1]
    assert run(main, ["new", "exercise", "02_sines", "my_cos"]).exit_code == 0
    registered = {name: SimpleNamespace(chapter="02_sines") for name in ("my_sin", "my_cos")}
    monkeypatch.setattr("handgrad.exercises.EXERCISES", registered)
    result = run(main, ["build", "02_sines"])
    assert result.exit_code == 0, result.output
    exercise = (course / "exercises/02_sines.ipynb").read_text(encoding="utf-8")
    assert exercise.count("raise NotImplementedError") == 2 and "return 2 * x" not in exercise
    for kind, value in (("right", 4), ("wrong", 6)):
        answer: dict = {}
        exec((course / f"tests/answers/{kind}/my_sin/first.py").read_text(encoding="utf-8"), answer)
        assert answer["my_sin"](2) == value
    assert "exists already" in refused("new", "exercise", "02_sines", "my_sin")
    assert "exists already" in refused("new", "chapter", "02_sines")


def test_an_exercise_module_as_printed_judges_the_skeletons_answers(course, monkeypatch):
    CliRunner().invoke(main, ["new", "chapter", "02_sines"])
    said = CliRunner().invoke(main, ["new", "exercise", "02_sines", "my_sin"]).output
    module: dict = {}
    exec(said[said.index('"""my_sin') :], module)
    assert [(exercise.name, exercise.chapter) for exercise in module["EXERCISES"]] == [("my_sin", "02_sines")]
    monkeypatch.setitem(EXERCISES, "my_sin", module["MY_SIN"])
    for kind, outcome in (("right", "done"), ("wrong", "not yet")):
        source = (course / f"tests/answers/{kind}/my_sin/first.py").read_text(encoding="utf-8")
        answer: dict = {}
        exec(source, answer)
        verdict = judge_record("my_sin", observe(module["MY_SIN"], answer["my_sin"], 0), 0)
        assert verdict.outcome == outcome, verdict.text()
        assert ("\nMeets: <" in source) == (kind == "wrong")
    assert "The factor is 2, not 3." in verdict.text()


def test_contributing_shows_the_module_that_new_prints(course):
    CliRunner().invoke(main, ["new", "chapter", "09_chains"])
    said = CliRunner().invoke(main, ["new", "exercise", "09_chains", "my_sin"]).output
    contributing = (Path(__file__).parents[1] / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    module = said[said.index('"""my_sin') :].strip()
    assert f"```python\n{module}\n```" in contributing


@pytest.mark.parametrize("folder", ["chapters", "exercises"])
def test_new_chapter_refuses_a_number_that_is_taken(course, folder):
    (course / f"sources/{folder}/04_there.md").write_text("# There\n", encoding="utf-8", newline="\n")
    said = refused("new", "chapter", "04_x")
    assert said == f"Error: 04_x: sources/{folder}/04_there.md has the number 04; take another number\n"
    assert not (course / "sources/chapters/04_x.md").exists()


def test_new_exercise_asks_for_its_chapter_first(course):
    said = refused("new", "exercise", "99_x", "foo")
    assert said == "Error: 99_x: there is no such chapter; write the chapter first: handgrad new chapter 99_x\n"
    assert not (course / "sources/exercises/99_x.md").exists() and not (course / "tests").exists()
