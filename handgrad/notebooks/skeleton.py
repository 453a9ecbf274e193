"""`handgrad new`: the skeletons of a chapter and of an exercise, which build as they are."""

import re
from pathlib import Path

from handgrad.errors import CourseError

_CHAPTER = """# {title}

One paragraph of why: the question that this chapter answers.

**You will be able to**

- say …
- write …
- check …

## First section

One thought, then the cell that shows it.

```{{code-cell}}
print(2 + 2)
```

## Summary

- You can say …
- You can write …
- You can check …

## Practice

The exercises of this chapter are in [Practice: {title}](../exercises/{name}.ipynb).
"""

_EXERCISES = """# Practice: {title}

One paragraph of what is practised here, after the chapter [{title}](../chapters/{name}.ipynb).
"""

EXERCISE = """
## {exercise}

The task in one sentence.

$$ y = 2 x $$

Shapes: what comes in, what goes out.

A neighbour, worked:

```{{code-cell}}
def triple(x):
    return 3 * x


print(triple(2))
```

```{{code-cell}}
# exercise: {exercise}
def {exercise}(x):
    \"\"\"y = 2 x. Shape: any, the same comes out.\"\"\"
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION
```

```{{code-cell}}
check("{exercise}", {exercise})
```

**Look closer.**
A question that the answer raises.

<details><summary>Answer</summary>

What a reader who tried it has seen.

</details>
"""

ANSWER = '''"""{docstring}"""


def {exercise}(x):
    return {value}
'''

RIGHT = "A right answer to {exercise}, in another style than the solution."

_WRONG = """A wrong answer to {exercise}: a mistake that people make.

Meets: <probe that is reported first>: <part of the message that check must show>
"""

MODULE = '''"""{exercise}: what is practised."""

from collections.abc import Callable, Iterator

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, plain
from handgrad.audit.subject import numbers
from handgrad.exercises.exercise import Exercise, Probe, Slip


def _values(answer: Callable, draw: Draw) -> Iterator[Case]:
    x = draw.normal(2, 3)
    yield {{"given": f"x = {{numbers(x)}}", "seen": {{"result": plain(answer(x))}}}}


{constant} = Exercise(
    name="{exercise}",
    chapter="{name}",
    probes=(Probe("values", _values, "What is expected, for a mistake that no slip names."),),
    reference=lambda x: 2 * x,
    hints=("A question.", "The formula.", "The line."),
    slips=(Slip(lambda x: 3 * x, "The factor is 2, not 3."),),
)

EXERCISES = ({constant},)
'''


def write_chapter(root: Path, name: str) -> str:
    """Write the source of chapter `name`. Returns what to do next."""
    require(r"\d\d_[a-z0-9_]+", name, "a chapter is named by two digits and a word, like 09_chains")
    path = Path("sources", "chapters", f"{name}.md")
    if (root / path).exists():
        raise CourseError(f"{path.as_posix()}: exists already; edit it, or take another name")
    for folder in ("chapters", "exercises"):
        for other in sorted((root / "sources" / folder).glob(f"{name[:2]}_*.md")):
            if other.stem != name:
                raise CourseError(f"{name}: {other.relative_to(root).as_posix()} has the number {name[:2]}; take another number")
    write(root / path, _CHAPTER.format(title=title_of(name[3:]), name=name))
    return (
        f"{path.as_posix()}: written. Next:\n"
        f"  1. write it\n"
        f"  2. write its exercises, the page that its last line links to: handgrad new exercise {name} EXERCISE\n"
        f"  3. handgrad build {name}\n"
        f"  4. only when the exercises are there too, add one line to each part of _toc.yml, else the book does not build:\n"
        f"{_contents_lines(name)}"
    )


def write_exercise(root: Path, name: str, exercise: str) -> str:
    """Add the section of `exercise` to the exercises of chapter `name`, and one answer of each kind. Returns what to do next."""
    require(r"\d\d_[a-z0-9_]+", name, "a chapter is named by two digits and a word, like 09_chains")
    require(r"[a-z][a-z0-9_]*", exercise, "an exercise is named by small letters, like my_sin")
    if not (root / "sources" / "chapters" / f"{name}.md").exists():
        raise CourseError(f"{name}: there is no such chapter; write the chapter first: handgrad new chapter {name}")
    source = Path("sources", "exercises", f"{name}.md")
    right = Path("tests", "answers", "right", exercise, "first.py")
    wrong = Path("tests", "answers", "wrong", exercise, "first.py")
    written = (root / source).read_text(encoding="utf-8") if (root / source).exists() else ""
    for path in (right.parent, wrong.parent):
        if (root / path).exists():
            raise CourseError(f"{path.as_posix()}: exists already; take another name for the exercise")
    if re.search(rf"^# exercise: {exercise}$", written, re.MULTILINE):
        raise CourseError(f"{source.as_posix()}: {exercise} stands there already; take another name for the exercise")
    written = written or _EXERCISES.format(title=title_of(name[3:]), name=name)
    write(root / source, written.rstrip("\n") + "\n" + EXERCISE.format(exercise=exercise))
    for path, docstring, value in ((right, RIGHT, "x + x"), (wrong, _WRONG, "3 * x")):
        docstring = docstring.format(exercise=exercise)
        write(root / path, ANSWER.format(docstring=docstring, exercise=exercise, value=value))
    return (
        f"{source.as_posix()}, {right.as_posix()}, {wrong.as_posix()}: written. Next:\n"
        f"  1. write handgrad/exercises/{exercise}.py (it begins like the text below), or add to another module there,\n"
        f"     and name a new module in handgrad/exercises/__init__.py: in its import and in MODULES\n"
        f"  2. write the section {exercise} in {source.as_posix()}\n"
        f"  3. write answers beside the first ones: at least 2 right and 3 wrong; each wrong one has in its docstring the line\n"
        f"     Meets: <probe>: <part of the message>\n"
        f"  4. handgrad build {name}\n"
        f"  5. python -m pytest tests/test_exercises.py -k {exercise}\n"
        f"  6. see that the parts of _toc.yml have these lines:\n"
        f"{_contents_lines(name)}\n\n"
        f"{MODULE.format(exercise=exercise, constant=exercise.upper(), name=name)}"
    )


def _contents_lines(name: str) -> str:
    return "\n".join(f"       - file: {folder}/{name}" for folder in ("chapters", "exercises", "solutions"))


def require(pattern: str, name: str, rule: str) -> None:
    """Refuse a name that is not of this pattern."""
    if not re.fullmatch(pattern, name):
        raise CourseError(f"{name}: {rule}")


def title_of(stem: str) -> str:
    """The title of a notebook, from its name without the number."""
    return stem.replace("_", " ").capitalize()


def write(path: Path, text: str) -> None:
    """Write a file, and the folders that it needs."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
