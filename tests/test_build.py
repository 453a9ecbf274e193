"""`handgrad build` and `build --check`: what is written, what is executed again, and what a failing cell leaves."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from click.testing import CliRunner, Result

from handgrad.cli import main

CHAPTER = """# First steps

Why.

```{code-cell}
import os
print({name: os.environ.get(name) for name in ("HANDGRAD_DEVICE", "HANDGRAD_PROGRESS", "HANDGRAD_SEED", "PYTEST_VERSION")})
print(os.getcwd().rsplit(os.sep)[-1])
```

## A figure

```{code-cell}
:tags: [hide-input]
import matplotlib.pyplot as plt
plt.figure(figsize=(1, 1)).add_axes((0, 0, 1, 1));
```

## An error

```{code-cell}
:tags: [raises-exception]
import torch
torch.zeros(2) @ torch.zeros(3)
```

```{code-cell}
:tags: [allow-stderr]
import sys
for i in range(3):
    print(i, flush=True)
print("careful", file=sys.stderr)
```
"""

EXERCISE = '''# Practice: First steps

Why.

```{code-cell}
def check(name, answer):
    print(f"{name}: {'done. All 1 probes pass.' if answer(2) == 4 else '0 of 1 probes pass'}")
```

## Twice

```{code-cell}
# exercise: twice
def twice(x):
    """2 x"""
    if x:
        ### BEGIN SOLUTION
        return 2 * x
        ### END SOLUTION
```

```{code-cell}
check("twice", twice)
```

```{code-cell}
# exercise: repaired
def repaired(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### BEGIN STUB
    # if x:
    #     return 3 * x
    ### END SOLUTION
```

```{code-cell}
check("repaired", repaired)
```
'''

CONTENTS = """format: jb-book
root: chapters/01_first
chapters:
  - file: exercises/01_first
  - file: solutions/01_first
"""

REGISTERED = {name: SimpleNamespace(name=name, chapter="01_first") for name in ("twice", "repaired")}


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A course of one chapter and its exercises, built once by a process with a hostile environment."""
    root = tmp_path_factory.mktemp("course")
    for path, text in {
        "sources/chapters/01_first.md": CHAPTER,
        "sources/exercises/01_first.md": EXERCISE,
        "_toc.yml": CONTENTS,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="\n")
    with pytest.MonkeyPatch.context() as patch:
        prepare(patch, root)
        for name, value in {"HANDGRAD_DEVICE": "cuda", "HANDGRAD_SEED": "1", "MPLBACKEND": "agg"}.items():
            patch.setenv(name, value)
        result = run("build")
        assert result.exit_code == 0, result.output
    return root


def prepare(patch: pytest.MonkeyPatch, root: Path) -> None:
    patch.chdir(root)
    patch.setattr("handgrad.exercises.EXERCISES", REGISTERED)
    for name in ("HANDGRAD_REPOSITORY", "HANDGRAD_BRANCH", "GITHUB_REPOSITORY", "GITHUB_REF_NAME"):
        patch.delenv(name, raising=False)


@pytest.fixture
def course(built, tmp_path, monkeypatch) -> Path:
    """A copy of the built course, as the current folder."""
    root = shutil.copytree(built, tmp_path / "course")
    prepare(monkeypatch, root)
    return root


@pytest.fixture
def executed(monkeypatch) -> list[str]:
    """The notebooks that a build would execute; nothing is."""
    paths: list[str] = []
    monkeypatch.setattr("handgrad.notebooks.execute.execute", lambda plan, root, on_cell: paths.append(plan.path.as_posix()))
    return paths


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8", newline="\n")


def notebook(root: Path, name: str) -> nbformat.NotebookNode:
    return nbformat.read(root / f"{name}.ipynb", as_version=4)


def files(root: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in root.rglob("*") if path.is_file()}


def test_a_chapter_is_executed_and_holds_nothing_of_the_run(course):
    chapter = notebook(course, "chapters/01_first")
    codes = [cell for cell in chapter.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in codes] == [1, 2, 3, 4, 5]
    assert [cell.id for cell in chapter.cells] == [
        "first-steps-1", "setup-cell", "first-steps-2", "a-figure-1", "a-figure-2", "an-error-1", "an-error-2", "an-error-3",
    ]  # fmt: skip
    assert chapter.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    assert (chapter.nbformat, chapter.nbformat_minor) == (4, 5)
    assert [cell.metadata for cell in codes][1:3] == [{}, {"tags": ["hide-input"]}]
    environment = {"HANDGRAD_DEVICE": "cpu", "HANDGRAD_PROGRESS": "off", "HANDGRAD_SEED": None, "PYTEST_VERSION": None}
    assert codes[1].outputs[0].text == f"{environment}\nchapters\n"
    assert "image/png" in codes[2].outputs[0].data
    assert codes[3].outputs[0].traceback == [f"{codes[3].outputs[0].ename}: {codes[3].outputs[0].evalue}"]
    assert [output.text for output in codes[4].outputs if output.name == "stdout"] == ["0\n1\n2\n"]
    assert (course / "chapters/01_first.ipynb").read_bytes().endswith(b"\n}\n")


def test_an_exercise_hides_what_its_solution_shows(course):
    exercise, solution = notebook(course, "exercises/01_first"), notebook(course, "solutions/01_first")
    assert [cell.id for cell in exercise.cells] == [cell.id for cell in solution.cells]
    hidden, shown = ({cell.id: cell.source for cell in nb.cells} for nb in (exercise, solution))
    assert hidden["twice"] == '# exercise: twice\ndef twice(x):\n    """2 x"""\n    if x:\n        raise NotImplementedError'
    assert shown["twice"] == '# exercise: twice\ndef twice(x):\n    """2 x"""\n    if x:\n        return 2 * x'
    assert hidden["repaired"] == "# exercise: repaired\ndef repaired(x):\n    if x:\n        return 3 * x"
    assert shown["repaired"] == "# exercise: repaired\ndef repaired(x):\n    return 2 * x"
    assert hidden["repaired-check"] == 'check("repaired", repaired)'
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in exercise.cells)
    assert all(cell.execution_count for cell in solution.cells if cell.cell_type == "code")


def test_a_second_build_touches_no_file(course):
    before = files(course)
    assert "unchanged" in run("build").output
    assert files(course) == before


def test_executing_again_gives_the_same_bytes(course):
    before = {name: content for name, (content, _) in files(course).items()}
    assert run("build", "--again").exit_code == 0
    assert {name: content for name, (content, _) in files(course).items()} == before


def test_again_executes_what_has_not_changed(course, executed):
    run("build", "--again")
    assert sorted(executed) == ["chapters/01_first.ipynb", "solutions/01_first.ipynb"]


def test_a_changed_sentence_is_written_without_executing(course, executed):
    edit(course / "sources/chapters/01_first.md", "Why.", "Because.")
    assert "chapters/01_first.ipynb: written" in run("build").output
    assert executed == []
    assert notebook(course, "chapters/01_first").cells[0].source == "# First steps\n\nBecause."
    assert notebook(course, "chapters/01_first").cells[2].outputs


def test_each_section_is_a_cell_and_the_set_up_follows_the_opening(course, executed):
    sections = "## Before\n\n```\n## no heading\n```\n\n## After\n\nText.\n"
    edit(course / "sources/exercises/01_first.md", "Why.\n", f"Why.\n\n{sections}")
    run("build", "01_first")
    cells = notebook(course, "exercises/01_first").cells
    assert [cell.source for cell in cells[:4] if cell.id != "setup-cell"] == [
        "# Practice: First steps\n\nWhy.", "## Before\n\n```\n## no heading\n```", "## After\n\nText.",
    ]  # fmt: skip
    assert [cell.id for cell in cells[:4]] == ["practice-first-steps-1", "setup-cell", "before-1", "after-1"]


@pytest.mark.parametrize(("old", "new"), [("print(i, flush=True)", "print(-i)"), (":tags: [hide-input]", ":tags: [other]")])
def test_changed_code_or_tags_execute_that_notebook_alone(course, executed, old, new):
    edit(course / "sources/chapters/01_first.md", old, new)
    run("build")
    assert executed == ["chapters/01_first.ipynb"]


def test_an_exercise_that_has_been_run_is_not_overwritten(course, executed):
    """It may hold answers that stand nowhere else."""
    learners = course / "exercises/01_first.ipynb"
    edit(learners, '"execution_count": null', '"execution_count": 3')
    edit(course / "sources/exercises/01_first.md", "Why.", "Because.")
    before = files(course)
    result = run("build")
    assert result.exit_code == 1 and "git checkout exercises/01_first.ipynb" in result.output
    assert executed == [] and files(course) == before
    assert "has been run, and is kept unrun" in run("build", "--check").output


def test_a_build_of_one_name_leaves_the_others(course, executed):
    for folder in ("chapters", "exercises"):
        edit(course / f"sources/{folder}/01_first.md", "Why.", "Because.")
        shutil.copy(course / f"sources/{folder}/01_first.md", course / f"sources/{folder}/02_next.md")
    before = files(course / "chapters")
    assert "did you mean 02_next?" in run("build", "02_nxt").output
    (course / "sources/exercises/02_next.md").unlink()
    run("build", "02_next")
    assert executed == ["chapters/02_next.ipynb"]
    assert files(course / "chapters").items() >= before.items()


@pytest.fixture
def light(monkeypatch) -> None:
    """Without the set-up cell's import of torch, which is most of the time of a tiny notebook."""
    light = nbformat.v4.new_code_cell("1;", id="setup-cell", metadata={"tags": ["setup", "remove-cell"]})
    monkeypatch.setattr("handgrad.notebooks.plan.setup_cell", lambda *_: light)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("def f(x):\n    return 1 / x\nf(0)", ["    f(0)\n", "----> 3 f(0)", "> 2     return 1 / x", "ZeroDivisionError: "]),
        ("import json\njson.loads('}')", ["----> 2 json.loads('}')", "JSONDecodeError: Expecting value"]),
        ("open('none.txt'", ["SyntaxError: incomplete input"]),
        (":tags: [raises-exception]\n1 + 1", ["its tag raises-exception says that it raises, and it did not"]),
        ("import warnings\nwarnings.warn('careful')", ["it wrote to stderr", "UserWarning: careful"]),
        ("import os\nos._exit(3)", ["    os._exit(3)", "the kernel died in it"]),
    ],
)
def test_a_cell_that_fails_is_shown_and_leaves_the_old_notebook(course, light, cell, said):
    text = f"# It fails\n\n```{{code-cell}}\n{cell}\n```\n"
    (course / "sources/chapters/02_fails.md").write_text(text, encoding="utf-8", newline="\n")
    (course / "chapters/02_fails.ipynb").write_text("old", encoding="utf-8")
    before = files(course)
    result = run("build", "02_fails")
    assert result.exit_code == 1
    said = ["sources/chapters/02_fails.md:3: chapters/02_fails.ipynb was not built", *said, "then run: handgrad build 02_fails"]
    assert [words for words in said if words not in result.output] == []
    assert "\x1b" not in result.output and "Traceback" not in result.output and "/json/" not in result.output
    assert files(course) == before


def test_a_solution_that_its_check_refuses_is_not_written(course, light):
    edit(course / "sources/exercises/01_first.md", "return 2 * x\n    ### B", "return x\n    ### B")
    before = files(course)
    result = run("build", "01_first")
    assert result.exit_code == 1
    assert "sources/exercises/01_first.md:37: solutions/01_first.ipynb was not built" in result.output
    assert "the check of the solution is not done; it said:\nrepaired: 0 of 1 probes pass" in result.output
    assert {name: content for name, content in files(course).items() if "chapters" not in name} == {
        name: content for name, content in before.items() if "chapters" not in name
    }


def test_check_finds_nothing_in_a_built_course(course, executed):
    result = run("build", "--check")
    assert (result.exit_code, result.output, executed) == (0, "", [])


def delete(path: Path) -> None:
    path.unlink()


def spoil(path: Path) -> None:
    path.write_text('{"cells": [', encoding="utf-8")


def orphan(path: Path) -> None:
    shutil.copy(path, path.with_name("02_other.ipynb"))


def unrun(path: Path) -> None:
    edit(path, '"execution_count": 2', '"execution_count": null')


@pytest.mark.parametrize(
    ("path", "change", "said"),
    [
        ("sources/chapters/01_first.md", lambda path: edit(path, "Why.", "No."), "first at cell first-steps-1); edit that file"),
        ("sources/chapters/01_first.md", lambda path: edit(path, "hide-input", "other"), "first at cell a-figure-2)"),
        ("sources/exercises/01_first.md", lambda path: edit(path, "## Twice", "## Double"), "exercises/01_first.ipynb: not what"),
        ("chapters/01_first.ipynb", delete, "chapters/01_first.ipynb: missing; run: handgrad build 01_first"),
        ("chapters/01_first.ipynb", spoil, "chapters/01_first.ipynb: not a valid notebook; run: handgrad build 01_first"),
        ("chapters/01_first.ipynb", unrun, "chapters/01_first.ipynb: cell first-steps-2 never ran"),
        ("solutions/01_first.ipynb", orphan, "solutions/02_other.ipynb: has no source; delete it"),
    ],
)  # fmt: skip
def test_check_names_what_is_stale_and_executes_nothing(course, executed, path, change, said):
    change(course / path)
    before = files(course)
    result = run("build", "--check")
    assert result.exit_code == 1 and said in result.output
    assert executed == [] and files(course) == before


def test_check_lets_a_notebook_name_another_repository(course, monkeypatch):
    monkeypatch.setenv("HANDGRAD_REPOSITORY", "https://github.com/someone/course")
    assert run("build", "--check").exit_code == 0


def test_a_spoilt_notebook_is_written_anew(course, executed):
    spoil(course / "chapters/01_first.ipynb")
    assert run("build").exit_code == 0
    assert executed == ["chapters/01_first.ipynb"]
    assert notebook(course, "chapters/01_first").cells
