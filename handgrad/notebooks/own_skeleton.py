"""`handgrad new exercise` in a teacher's own folder: a course that builds, tests and grades as it is."""

import json
from importlib import metadata
from pathlib import Path

from handgrad.errors import CourseError
from handgrad.notebooks.skeleton import ANSWER, EXERCISE, MODULE, RIGHT, require, title_of, write
from handgrad.own_course import CHECKS

_NOTEBOOK = """# {title}

One paragraph of what is practised here.

Write in an answer cell, run it, then run the check cell below it.
`hint("{exercise}", 1)` asks a question, `2` gives the formula, `3` the line.
"""

_WRONG = """A wrong answer to {exercise}: a mistake that people make.

Meets: values: The factor is 2, not 3.
"""

_IGNORED = """.venv/
__pycache__/
.ipynb_checkpoints/
report/
"""


def write_own_exercise(root: Path, name: str, exercise: str) -> str:
    """Add `exercise` to notebook `name` of a teacher's own course, which is made in `root` where there is none.

    All of it works as it is. Returns what to do next.

    Raises:
        CourseError: a name is wrong or taken.
    """
    from handgrad.exercises import EXERCISES

    require(r"\d\d_[a-z0-9_]+", name, "a notebook is named by two digits and a word, like 01_sines")
    require(r"[a-z][a-z0-9_]*", exercise, "an exercise is named by small letters, like my_sin")
    source = Path("sources", "exercises", f"{name}.md")
    module = Path(CHECKS, f"{exercise}.py")
    if exercise in EXERCISES:
        raise CourseError(f"{exercise}: there is an exercise of this name, in {EXERCISES[exercise].chapter}; take another name")
    if any(known.chapter == name for known in EXERCISES.values()) and not (root / source).exists():
        raise CourseError(f"{name}: handgrad's own course has a notebook of this name; take another name")
    for other in sorted((root / "sources").glob(f"*/{name[:2]}_*.md")):
        if other.stem != name:
            raise CourseError(f"{name}: {other.relative_to(root).as_posix()} has the number {name[:2]}; take another number")
    right, wrong = (Path("tests", "answers", kind, exercise, "first.py") for kind in ("right", "wrong"))
    for path in (module, right, wrong):
        if (root / path).exists():
            raise CourseError(f"{path.as_posix()}: exists already; take another name for the exercise")
    before = (root / source).read_text(encoding="utf-8") if (root / source).exists() else ""
    before = before or _NOTEBOOK.format(title=title_of(name[3:]), exercise=exercise)
    texts = {
        source: before.rstrip("\n") + "\n" + EXERCISE.format(exercise=exercise),
        module: MODULE.format(exercise=exercise, constant=exercise.upper(), name=name),
    }
    for path, docstring, value in ((right, RIGHT, "x + x"), (wrong, _WRONG, "3 * x")):
        texts[path] = ANSWER.format(docstring=docstring.format(exercise=exercise), exercise=exercise, value=value)
    once = {
        Path("requirements.txt"): f"{requirement()}\n",
        Path(".gitignore"): _IGNORED,
        Path(".github", "workflows", "grade.yml"): Path(__file__).with_name("class_workflow.yml").read_text(encoding="utf-8"),
    }
    texts |= {path: text for path, text in once.items() if not (root / path).exists()}
    for path, text in texts.items():
        write(root / path, text)
    return "\n".join(
        [
            *(f"{path.as_posix()}: written" for path in texts),
            "It works as it is:",
            "  handgrad build",
            "  handgrad test",
            "  handgrad grade submissions --out report",
            "Make it yours:",
            f"  1. the task and its solution, in {source.as_posix()}",
            f"  2. what its check asks, in {module.as_posix()}",
            f"  3. answers that it must refuse, in {wrong.parent.as_posix()}/",
            f"  4. answers that it must accept, in {right.parent.as_posix()}/",
        ]
    )


def requirement() -> str:
    """What pip installs this handgrad and all that a course needs from: the repository it came from, else the package index."""
    distribution = metadata.distribution("handgrad")
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if commit := origin.get("vcs_info", {}).get("commit_id"):
        return f"handgrad[course] @ git+{origin['url']}@{commit}"
    return f"handgrad[course]=={distribution.version}"
