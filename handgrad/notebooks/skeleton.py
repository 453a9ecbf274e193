"""`handgrad new`: the skeletons of a chapter and of an exercise, which build as they are."""

import re
from pathlib import Path

from handgrad.errors import CourseError

_CHAPTER = """# {title}

One paragraph of why: the question that this chapter answers.

*You will be able to*

- say …
- write …
- check …

+++

## First section

One thought, then the cell that shows it.

```{{code-cell}}
print(2 + 2)
```

+++

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

_EXERCISE = """
+++

## {heading}

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

*Look closer.* A question that the answer raises.
"""

_ANSWER = '''"""{kind} answer to {exercise}: {what}"""


def {exercise}(x):
    return {value}
'''


def write_chapter(root: Path, name: str) -> str:
    """Write the source of chapter `name`. Returns what to do next."""
    _require(r"\d\d_[a-z0-9_]+", name, "a chapter is named by two digits and a word, like 09_chains")
    path = Path("sources", "chapters", f"{name}.md")
    if (root / path).exists():
        raise CourseError(f"{path.as_posix()}: exists already; edit it, or take another name")
    _write(root / path, _CHAPTER.format(title=_title(name[3:]), name=name))
    return (
        f"{path.as_posix()}: written. Next:\n"
        f"  1. write it, and the exercises that its last line links to: handgrad new exercise {name} EXERCISE\n"
        f"  2. add '- file: chapters/{name}' to _toc.yml\n"
        f"  3. handgrad build {name}"
    )


def write_exercise(root: Path, name: str, exercise: str) -> str:
    """Add the section of `exercise` to the exercises of chapter `name`, and one answer of each kind. Returns what to do next."""
    _require(r"\d\d_[a-z0-9_]+", name, "a chapter is named by two digits and a word, like 09_chains")
    _require(r"[a-z][a-z0-9_]*", exercise, "an exercise is named by small letters, like my_sin")
    source = Path("sources", "exercises", f"{name}.md")
    right = Path("tests", "answers", "right", exercise, "first.py")
    wrong = Path("tests", "answers", "wrong", exercise, "first.py")
    written = (root / source).read_text(encoding="utf-8") if (root / source).exists() else ""
    for path in (right.parent, wrong.parent):
        if (root / path).exists():
            raise CourseError(f"{path.as_posix()}: exists already; take another name for the exercise")
    if re.search(rf"^# exercise: {exercise}$", written, re.MULTILINE):
        raise CourseError(f"{source.as_posix()}: {exercise} stands there already; take another name for the exercise")
    written = written or _EXERCISES.format(title=_title(name[3:]), name=name)
    _write(root / source, written.rstrip("\n") + "\n" + _EXERCISE.format(heading=_title(exercise), exercise=exercise))
    _write(root / right, _ANSWER.format(kind="A right", exercise=exercise, what="in another style.", value="x + x"))
    _write(root / wrong, _ANSWER.format(kind="A wrong", exercise=exercise, what="a mistake that people make.", value="3 * x"))
    return (
        f"{source.as_posix()}, {right.as_posix()}, {wrong.as_posix()}: written. Next:\n"
        f"  1. register {exercise} for chapter {name} in handgrad/exercises/: reference, probes, hints\n"
        f"  2. write its section in {source.as_posix()}, and more answers beside the first ones\n"
        f"  3. see that _toc.yml has '- file: exercises/{name}' and '- file: solutions/{name}'\n"
        f"  4. handgrad build {name}"
    )


def _require(pattern: str, name: str, rule: str) -> None:
    if not re.fullmatch(pattern, name):
        raise CourseError(f"{name}: {rule}")


def _title(stem: str) -> str:
    return stem.replace("_", " ").capitalize()


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
