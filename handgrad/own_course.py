"""A teacher's own course: a folder with exercises that are not in this package, found from where one works.

Its modules stand in `checks/`, beside `sources/exercises/` (the teacher's) or `exercises/` (the learners'). Each holds a tuple
`EXERCISES`, as the modules of `handgrad.exercises` do.
"""

import importlib.util
import os
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from handgrad.errors import CourseError

if TYPE_CHECKING:
    from handgrad.exercises.exercise import Exercise

CHECKS = "checks"
VARIABLE = "HANDGRAD_COURSE"


def own_course() -> Path | None:
    """The folder that `HANDGRAD_COURSE` names, else the nearest one, from the current one upwards; None where there is none.

    Raises:
        CourseError: `HANDGRAD_COURSE` names a folder without `checks/`.
    """
    if named := os.environ.get(VARIABLE):
        if not (Path(named) / CHECKS).is_dir():
            raise CourseError(f"{VARIABLE}: {named} has no folder {CHECKS}; name the folder of a course of your own, or unset it")
        return Path(named).resolve()
    here = Path.cwd()
    return next((folder for folder in (here, *here.parents) if is_own(folder)), None)


def is_own(folder: Path) -> bool:
    """Whether a folder is a teacher's own course."""
    notebooks = (folder / "exercises").is_dir() or (folder / "sources" / "exercises").is_dir()
    return notebooks and (folder / CHECKS).is_dir()


def check_files() -> list[Path]:
    """The modules of the course that we are in; none where we are in no teacher's own."""
    course = own_course()
    return sorted((course / CHECKS).glob("*.py")) if course else []


def own_exercises(known: Iterable["Exercise"]) -> dict[str, "Exercise"]:
    """The exercises of the course that we are in, in the order of their notebooks and files.

    Args:
        known: those of this package, whose names and notebooks are taken.

    Raises:
        CourseError: a module cannot be loaded or has no exercises, or a name is taken.
    """
    known = list(known)
    names = {exercise.name: "handgrad's own course" for exercise in known}
    notebooks = {exercise.chapter for exercise in known}
    own: list[Exercise] = []
    for path in check_files():
        place = f"{CHECKS}/{path.name}"
        for exercise in _exercises_of(path, place):
            if exercise.name in names:
                raise CourseError(f"{place}: {exercise.name} is an exercise of {names[exercise.name]} too; take another name")
            if exercise.chapter in notebooks:
                raise CourseError(f"{place}: {exercise.chapter} is a notebook of handgrad's own course; name yours otherwise")
            names[exercise.name] = place
            own.append(exercise)
    return {exercise.name: exercise for exercise in sorted(own, key=lambda exercise: exercise.chapter)}


def _exercises_of(path: Path, place: str) -> tuple["Exercise", ...]:
    from handgrad.exercises.exercise import Exercise

    found = getattr(_load(path, place), "EXERCISES", None)
    if not isinstance(found, tuple) or not all(isinstance(exercise, Exercise) for exercise in found):
        raise CourseError(f"{place}: no tuple of exercises; end it with EXERCISES = (MY_EXERCISE,), or move it out of {CHECKS}/")
    return found


def _load(path: Path, place: str) -> ModuleType:
    """Run a module. It is not left where an answer could import it, with its reference."""
    name = f"handgrad.{CHECKS}.{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = lines[-1] if lines else getattr(error, "lineno", "?")
        raise CourseError(f"{place}:{line}: it cannot be loaded: {type(error).__name__}: {error}") from None
    finally:
        del sys.modules[name]
    return module
