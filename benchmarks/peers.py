"""The other graders, each in a virtual environment of its own: how a class is laid out for it, graded, and read.

All of them grade the exercise my_relu of 03_relu: the course's cells, the learner's answer, and the check with all its probes.
The check runs in the learner's kernel, as these tools do it. Nothing of theirs is configured for speed or against it.
"""

import csv
import json
import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from handgrad.notebooks.answers import Answer, merge, read_notebook

ROOT = Path(__file__).parents[1]
HOME = Path(__file__).parent / ".peers"
EXERCISE, NOTEBOOK = "my_relu", "03_relu"
TIMEOUT = 10  # seconds that a cell may take, where a tool knows such a limit

_JUDGE = """\
from handgrad.exercises import EXERCISES
from handgrad.observe import observe
from handgrad.verdict import judge_record

"""
_OUTCOME = f'judge_record("{EXERCISE}", observe(EXERCISES["{EXERCISE}"], MyReLU, 0), 0).outcome'


@dataclass(frozen=True)
class Peer:
    """A grader. `requires`: what is installed beside torch, handgrad and a kernel."""

    name: str
    requires: tuple[str, ...]

    @property
    def python(self) -> Path:
        """The interpreter of its environment."""
        return HOME / self.name / "bin" / "python"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that it runs with: its own commands are found first, and nobody's settings are."""
        own = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "HANDGRAD", "JUPYTER"))}
        own["PATH"] = os.pathsep.join([str(self.python.parent), os.environ.get("PATH", os.defpath)])
        return own | {"OMP_NUM_THREADS": "1", "HANDGRAD_PROGRESS": "off"}

    def install(self) -> None:
        """Make its environment, where there is none."""
        done = HOME / self.name / "installed"
        if done.exists():
            return
        print(f"installing {self.name}", flush=True)
        venv.create(HOME / self.name, clear=True, with_pip=True)
        packages = [*(_pinned(name) for name in ("torch", "ipykernel", *self.requires)), str(ROOT)]
        subprocess.run([self.python, "-m", "pip", "install", "-q", *packages], check=True)
        done.touch()

    def lay_out(self, folder: Path, answers: dict[str, str]) -> None:
        """Write what it needs to grade these answers, by learner."""
        raise NotImplementedError

    def command(self, folder: Path) -> list[str]:
        """The command that grades them, run in `folder`."""
        raise NotImplementedError

    def passed(self, folder: Path) -> set[str]:
        """The learners whose answer has all its points."""
        raise NotImplementedError


class Nbval(Peer):
    """Plain nbval, with pytest-xdist on two cores."""

    def lay_out(self, folder: Path, answers: dict[str, str]) -> None:
        for learner, source in answers.items():
            write_notebook(folder / f"{learner}.ipynb", only_exercise(merge(official(), {EXERCISE: Answer(source, "anchor")})))

    def command(self, folder: Path) -> list[str]:
        options = ["-q", "--nbval-lax", f"--nbval-cell-timeout={TIMEOUT}", "--tb=no", "-rN", "--junit-xml=junit.xml"]
        return [str(self.python), "-m", "pytest", "-p", "no:handgrad", "-n", "2", "--dist", "loadfile", *options, "."]

    def passed(self, folder: Path) -> set[str]:
        learners, bad = set(), set()
        for case in ElementTree.parse(folder / "junit.xml").iter("testcase"):
            learner = re.split(r"[./]", case.get("classname", ""))[-2 if case.get("classname", "").endswith("ipynb") else -1]
            learners.add(learner)
            if case.find("failure") is not None or case.find("error") is not None:
                bad.add(learner)
        return learners - bad


class Nbgrader(Peer):
    """nbgrader autograde, which has no option for several cores."""

    def lay_out(self, folder: Path, answers: dict[str, str]) -> None:
        (folder / "nbgrader_config.py").write_text(
            f'c = get_config()\nc.CourseDirectory.course_id = "class"\nc.ExecutePreprocessor.timeout = {TIMEOUT}\n',
            encoding="utf-8",
        )
        write_notebook(folder / f"source/ps/{NOTEBOOK}.ipynb", self._notebook("### BEGIN SOLUTION\npass\n### END SOLUTION"))
        subprocess.run(self._run("generate_assignment", "ps"), cwd=folder, env=self.environment, check=True, capture_output=True)
        for learner, source in answers.items():
            write_notebook(folder / f"submitted/{learner}/ps/{NOTEBOOK}.ipynb", self._notebook(source))

    def _notebook(self, answer: str) -> dict:
        course = [cell for cell in official()["cells"] if "setup" in cell["metadata"].get("tags", ())]
        solution = {"grade": False, "grade_id": "answer", "locked": False, "schema_version": 3, "solution": True, "task": False}
        test = {**solution, "grade": True, "grade_id": EXERCISE, "locked": True, "points": 1, "solution": False}
        judge = _code(f'{_JUDGE}assert {_OUTCOME} == "done"', nbgrader=test)
        return notebook(*course, _code(answer, nbgrader=solution), judge)

    def _run(self, *arguments: str) -> list[str]:
        return [str(self.python), "-m", "nbgrader", *arguments]

    def command(self, folder: Path) -> list[str]:
        return self._run("autograde", "ps")

    def passed(self, folder: Path) -> set[str]:
        subprocess.run(self._run("export"), cwd=folder, env=self.environment, check=True, capture_output=True)
        with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
            return {row["student_id"] for row in csv.DictReader(file) if float(row["score"] or 0) > 0}


class Otter(Peer):
    """otter-grader's API, all submissions in one process: quicker than `otter run` for each, and without containers."""

    def lay_out(self, folder: Path, answers: dict[str, str]) -> None:
        lines = [*(line for line in _JUDGE.splitlines() if line), _OUTCOME]
        code = "\n".join(f">>> {line}" for line in lines) + "\n'done'\n"
        suite = {"cases": [{"code": code, "hidden": False, "locked": False}], "scored": True, "type": "doctest"}
        test = {"name": EXERCISE, "points": 1, "suites": [{**suite, "setup": "", "teardown": ""}]}
        (folder / "tests").mkdir(parents=True)
        (folder / f"tests/{EXERCISE}.py").write_text(f"OK_FORMAT = True\ntest = {test!r}\n", encoding="utf-8")
        make = [str(self.python.with_name("otter")), "generate", "-t", "tests", "-o", "autograder.zip", "--no-environment"]
        subprocess.run(make, cwd=folder, env=self.environment, check=True, capture_output=True)
        course = [cell for cell in official()["cells"] if "setup" in cell["metadata"].get("tags", ())]
        for learner, source in answers.items():
            write_notebook(folder / f"submissions/{learner}.ipynb", notebook(*course, _code(source)))

    def command(self, folder: Path) -> list[str]:
        program = (
            "import json, pathlib\n"
            "from otter.api import grade_submission\n"
            "totals = {}\n"
            "for path in sorted(pathlib.Path('submissions').glob('*.ipynb')):\n"
            "    try:\n"
            "        totals[path.stem] = grade_submission(str(path.resolve()), str(pathlib.Path('autograder.zip').resolve()),"
            " quiet=True).total\n"
            "    except Exception as error:\n"
            "        print(path.stem, repr(error)[:300])\n"
            "pathlib.Path('totals.json').write_text(json.dumps(totals))\n"
        )
        return [str(self.python), "-c", program]

    def passed(self, folder: Path) -> set[str]:
        return {learner for learner, total in json.loads((folder / "totals.json").read_text()).items() if total > 0}


class Handgrad(Peer):
    """`handgrad grade`, in its box; in the environment that the benchmark itself runs in."""

    def install(self) -> None:
        """It is there."""

    def lay_out(self, folder: Path, answers: dict[str, str]) -> None:
        for learner, source in answers.items():
            write_notebook(folder / f"submissions/{learner}/{NOTEBOOK}.ipynb", notebook(_code(source)))

    def command(self, folder: Path) -> list[str]:
        options = ["--out", str(folder / "report"), "--timeout", str(TIMEOUT)]
        return [sys.executable, "-m", "handgrad", "grade", str(folder / "submissions"), *options]

    def passed(self, folder: Path) -> set[str]:
        lines = (folder / "report/results.jsonl").read_text(encoding="utf-8").splitlines()[1:]
        return {result["submission"] for result in map(json.loads, lines) if any(row["points"] for row in result["rows"])}


PEERS = (
    Nbval("nbval", ("nbval", "pytest", "pytest-xdist")),
    Nbgrader("nbgrader", ("nbgrader==0.9.6",)),
    Otter("otter", ("otter-grader==7.0.0",)),
)
HANDGRAD = Handgrad("handgrad", ())


def official() -> dict:
    """The official notebook."""
    return read_notebook(ROOT / f"solutions/{NOTEBOOK}.ipynb")


def only_exercise(merged: dict) -> dict:
    """A merged notebook with the course's own cells and those of the one exercise."""
    cells = [cell for cell in merged["cells"] if cell["cell_type"] == "code"]
    wanted = (None, EXERCISE)
    return {**merged, "cells": [cell for cell in cells if cell["metadata"].get("handgrad", {}).get("exercise") in wanted]}


def notebook(*cells: dict) -> dict:
    """A notebook of these cells."""
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return {"cells": list(cells), "metadata": {**kernel, "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 4}


def write_notebook(path: Path, content: dict) -> None:
    """Write a notebook to a file, whose folder is made; with the kernel of whichever environment runs it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [{key: value for key, value in cell.items() if key != "id"} for cell in content["cells"]]
    path.write_text(json.dumps({**notebook(), "cells": cells}), encoding="utf-8")


def _code(source: str, **metadata: object) -> dict:
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": source}


def _pinned(name: str) -> str:
    """The requirement of requirements.txt, where the course has one."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return next((line for line in lines if line.startswith(f"{name}==")), name)
