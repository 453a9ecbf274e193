"""How far a learner is: one small JSON file, which survives a crash and two notebooks at once."""

import json
import os
import tempfile
from pathlib import Path

from filelock import FileLock
from platformdirs import user_data_path


def progress_file() -> Path | None:
    """Where progress is kept: `HANDGRAD_PROGRESS`, else the user's data folder. None when it is off.

    It is off under pytest, so that validating the notebooks marks nothing as done.
    """
    chosen = os.environ.get("HANDGRAD_PROGRESS")
    if chosen == "off" or "PYTEST_VERSION" in os.environ:
        return None
    return Path(chosen) if chosen else user_data_path("handgrad") / "progress.json"


def note_check(name: str, outcome: str) -> int:
    """Write down the outcome of a check. Returns how often the exercise was tried without success since.

    A folder that cannot be written to is no reason to fail a check: then nothing is kept.
    """
    path = progress_file()
    if path is None:
        return 1
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_suffix(".lock"), timeout=5):
            kept = read(path)
            entry = kept.setdefault(name, {"done": False, "tries": 0})
            entry["done"] = entry["done"] or outcome == "done"
            entry["tries"] = 0 if outcome == "done" else entry["tries"] + (outcome != "not started")
            _write(path, kept)
    except (OSError, TimeoutError):
        return 1
    return entry["tries"]


def read(path: Path) -> dict[str, dict]:
    """The kept progress; a file that is damaged counts as none, and is set aside as `progress.damaged.json`."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): {"done": bool(entry["done"]), "tries": int(entry["tries"])} for name, entry in kept.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        path.replace(path.with_suffix(".damaged.json"))
        return {}


def _write(path: Path, kept: dict[str, dict]) -> None:
    # written beside and moved into place: a crash leaves the old file or the new one, never half a file
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8", newline="\n") as new:
        json.dump(kept, new, indent=1, sort_keys=True)
    Path(new.name).replace(path)


def progress() -> None:
    """Print how many exercises of each chapter are done, and the next one. In a teacher's own course: of its notebooks."""
    from handgrad.exercises import EXERCISES
    from handgrad.own_course import own_course

    course = own_course()
    exercises = [
        exercise
        for exercise in EXERCISES.values()
        if course is None or (course / "exercises" / f"{exercise.chapter}.ipynb").exists()
    ]
    path = progress_file()
    kept = read(path) if path and path.exists() else {}
    done = {exercise.name for exercise in exercises if kept.get(exercise.name, {}).get("done")}
    for chapter in dict.fromkeys(exercise.chapter for exercise in exercises):
        names = [exercise.name for exercise in exercises if exercise.chapter == chapter]
        ready = [name for name in names if name in done]
        bar = "■" * len(ready) + "□" * (len(names) - len(ready))
        print(f"{chapter:<12} {bar:<6} {len(ready)} of {len(names)}")
    following = next((exercise for exercise in exercises if exercise.name not in done), None)
    if following is None:
        print("Everything is done.")
    else:
        print(f"Next: {following.name}, in exercises/{following.chapter}.ipynb")
