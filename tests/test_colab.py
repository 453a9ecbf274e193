"""The set-up cell and the badge: a notebook that is alone on a machine which has torch and Jupyter, but not handgrad."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nbformat
import pytest
import torch
from IPython.core.inputtransformer2 import TransformerManager

from handgrad.notebooks.plan import plan_notebooks
from handgrad.notebooks.repository import repository_branch, repository_url
from handgrad.notebooks.setup_cell import badge_cell, setup_cell
from handgrad.notebooks.source import read_source

ROOT = Path(__file__).parents[1]
REPORT = """import importlib.metadata, json, sys
print(json.dumps({
    "handgrad": handgrad.__file__,
    "from": json.loads(importlib.metadata.distribution("handgrad").read_text("direct_url.json"))["url"],
    "torch": __import__("torch").__version__,
}))"""


@pytest.fixture
def nowhere(monkeypatch, tmp_path) -> Path:
    """A folder of no repository, in an environment that names none."""
    for name in ("HANDGRAD_REPOSITORY", "HANDGRAD_BRANCH", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_REF_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def git(*arguments: str) -> None:
    who = ["-c", "user.name=A Tester", "-c", "user.email=tester@example.org"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def like_colab(folder: Path) -> Path:
    """The Python of a new environment that holds every installed package but handgrad."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", find], check=True, capture_output=True, text=True).stdout.strip())
    for installed in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for entry in Path(installed).iterdir():
            if "handgrad" not in entry.name and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    return python


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_an_exercise_alone_installs_handgrad_and_keeps_torch(nowhere, monkeypatch):
    repository = nowhere / "repository"
    shutil.copytree(ROOT / "handgrad", repository / "handgrad", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, repository)
    git("init", str(repository))
    git("-C", str(repository), "add", ".")
    git("-C", str(repository), "commit", "-m", "The course")

    monkeypatch.setenv("HANDGRAD_REPOSITORY", repository.as_uri())
    solution, exercise = plan_notebooks(read_source(ROOT, Path("sources/exercises/03_relu.md")))
    for cell, filled, written in zip(exercise.notebook.cells, solution.notebook.cells, exercise.written, strict=True):
        if written and written.answers:
            cell.source = filled.source
    exercise.notebook.cells.append(nbformat.v4.new_code_cell(REPORT))
    (nowhere / "content").mkdir()
    nbformat.write(exercise.notebook, nowhere / "content" / "03_relu.ipynb")

    python = like_colab(nowhere / "venv")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HANDGRAD", "PYTEST"))}
    environment |= {"HANDGRAD_PROGRESS": "off", "JUPYTER_DATA_DIR": str(nowhere / "jupyter")}
    assert subprocess.run([python, "-c", "import handgrad"], env=environment, capture_output=True, cwd=nowhere).returncode
    command = [python, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", "03_relu.ipynb"]
    ran = subprocess.run(command, cwd=nowhere / "content", env=environment, capture_output=True, text=True, encoding="utf-8")
    assert ran.returncode == 0, ran.stderr

    cells = nbformat.read(nowhere / "content" / "03_relu.ipynb", as_version=4).cells
    said = {cell.id: "".join(output.get("text", "") for output in cell.get("outputs", [])) for cell in cells}
    names = [cell.checks for cell in exercise.source.cells if cell.checks]
    assert "my_relu" in names
    assert [name for name in names if not said[f"{name}-check"].startswith(f"{name}: done")] == []
    report = json.loads(said[cells[-1].id])
    assert report["from"] == repository.as_uri() and report["torch"] == torch.__version__
    assert Path(report["handgrad"]).is_relative_to(nowhere / "venv")


@pytest.mark.parametrize("repository", [None, "https://github.com/someone/course", "file:///a/course"])
@pytest.mark.parametrize("exercise", [True, False])
def test_the_setup_cell_is_silent_where_handgrad_is(repository, exercise, capsys, monkeypatch):
    monkeypatch.setenv("HANDGRAD_DEVICE", "cpu")
    names: dict = {}
    try:
        exec(TransformerManager().transform_cell(setup_cell(repository, exercise).source), names)
    finally:
        torch.set_default_device(None)
    assert ({"check", "hint", "progress"} if exercise else {"handgrad", "torch"}) <= names.keys()
    assert capsys.readouterr() == ("", "")


def test_the_setup_cell_says_how_to_install_where_no_repository_is_known(monkeypatch):
    monkeypatch.setitem(sys.modules, "handgrad", None)
    with pytest.raises(ModuleNotFoundError, match=r"in the course's folder run: pip install -r requirements\.txt"):
        exec(setup_cell(None, exercise=True).source, {})


def test_the_setup_cell_installs_in_one_line_without_torch():
    lines = [line.strip() for line in setup_cell("https://github.com/a/b", exercise=False).source.splitlines() if "pip" in line]
    assert lines == ['%pip install --quiet "git+https://github.com/a/b"']


def test_the_badge_opens_the_notebook_of_the_repository_that_is_known(nowhere, monkeypatch):
    exercises = read_source(ROOT, Path("sources/exercises/03_relu.md"))
    assert [cell.id for cell in plan_notebooks(exercises)[1].notebook.cells][1] == "setup-cell"
    monkeypatch.setenv("HANDGRAD_REPOSITORY", "https://github.com/someone/course")
    monkeypatch.setenv("HANDGRAD_BRANCH", "spring")
    badge, title, setup = plan_notebooks(exercises)[1].notebook.cells[:3]
    place = "https://colab.research.google.com/github/someone/course/blob/spring/exercises/03_relu.ipynb"
    assert badge.source.endswith(f"]({place})") and badge.metadata.tags == ["remove-cell"]
    assert title.source.startswith("# ") and setup.id == "setup-cell"
    assert badge_cell("https://gitlab.com/someone/course", "main", "exercises/03_relu.ipynb") is None


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/someone/course.git", "https://github.com/someone/course"),
        ("https://someone:secret@github.com/someone/course/", "https://github.com/someone/course"),
        ("git@github.com:someone/course.git", "https://github.com/someone/course"),
        ("ssh://git@git.example.org:2222/some/one/course", "https://git.example.org/some/one/course"),
        ("/home/someone/course", None),
        ("../course", None),
    ],
)
def test_the_repository_is_the_remote_as_others_can_reach_it(nowhere, monkeypatch, remote, url):
    assert repository_url() is None
    git("init", "--initial-branch", "spring", ".")
    assert repository_url() is None
    git("remote", "add", "origin", remote)
    assert (repository_url(), repository_branch()) == (url, "spring")


def test_environment_comes_before_ci_and_ci_before_git(nowhere, monkeypatch):
    assert repository_branch() == "main"
    git("init", "--initial-branch", "spring", ".")
    git("remote", "add", "origin", "https://github.com/a/a")
    monkeypatch.setenv("GITHUB_REPOSITORY", "b/b")
    monkeypatch.setenv("GITHUB_REF_NAME", "summer")
    assert (repository_url(), repository_branch()) == ("https://github.com/b/b", "summer")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://git.example.org")
    assert repository_url() == "https://git.example.org/b/b"
    monkeypatch.setenv("HANDGRAD_REPOSITORY", "git@github.com:c/c.git")
    monkeypatch.setenv("HANDGRAD_BRANCH", "autumn")
    assert (repository_url(), repository_branch()) == ("https://github.com/c/c", "autumn")
    monkeypatch.setenv("HANDGRAD_REPOSITORY", "file:///srv/course.git")
    assert repository_url() == "file:///srv/course.git"
