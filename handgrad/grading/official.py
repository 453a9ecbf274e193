"""Which official notebook a learner's file belongs to."""

import re
from pathlib import Path

import handgrad
from handgrad.errors import CourseError
from handgrad.notebooks.answers import answer_cells, read_notebook
from handgrad.own_course import is_own, own_course


def find_official(path: Path, notebook: dict | None, course: Path | None = None, file: str = "") -> Path | None:
    """The official notebook that the learner's `notebook`, read from `path`, is a copy of.

    `course` is the course's folder, where it is known; `file` the name that the learner's file had. Without a notebook the name
    alone decides, and None says that it does not.

    It is the solved one, in `solutions/`: learners work in `exercises/` itself, so what stands there need not be as built.
    The file's name decides (`03_relu (1).ipynb` and `Copy of 03_relu.ipynb` are 03_relu), else the exercises inside.

    Raises:
        CourseError: there is no course, or nothing of it is in the notebook.
    """
    course = course or course_folder(path)
    if path.resolve().parent == course / "chapters":
        raise CourseError(f"{path}: this is a chapter, and has no answers of yours. Grade exercises/{path.name}.")
    officials = sorted((course / "solutions").glob("*.ipynb"))
    plain = _plain(Path(file or path).stem)
    named = [official for official in officials if re.search(rf"(?<![a-z0-9]){_plain(official.stem)}(?![a-z0-9])", plain)]
    if named:
        return max(named, key=lambda official: len(official.stem))
    if notebook is None:
        return None
    written = answer_cells(notebook).keys()
    for official in officials:
        if written & answer_cells(read_notebook(official)).keys():
            return official
    stems = ", ".join(official.stem for official in officials)
    raise CourseError(f"{path}: no exercise of the course is in it. Expected a notebook from exercises/, of {stems}.")


def course_folder(path: Path) -> Path:
    """The folder of the course: the one that `path` lies in, else the one that we are in, else handgrad's own repository.

    Raises:
        CourseError: none is there, or it is a teacher's own course that we are not in, or that is not built.
    """
    own = own_course()
    for folder in (*path.resolve().parents, *([own] if own else []), Path(handgrad.__file__).resolve().parents[1]):
        if (folder / "sources" / "exercises").is_dir() and (folder / "solutions").is_dir():
            if is_own(folder) and own != folder:
                raise CourseError(
                    f"{path}: it belongs to the course in {folder}, whose checks are not loaded; run handgrad there."
                )
            return folder
        if is_own(folder):
            raise CourseError(
                f"{path}: the course in {folder} has no solutions/ yet, and grading compares with them. "
                "Where its sources/ are, run: handgrad build. Learners run the check cells of the notebook."
            )
    raise CourseError(
        f"{path}: the course's solutions/ are not found, and grading compares with them. "
        "Clone the course's repository, run `pip install -r requirements.txt` in it, and grade from there."
    )


def _plain(stem: str) -> str:
    return re.sub(r"[\s-]", "_", stem.lower())
