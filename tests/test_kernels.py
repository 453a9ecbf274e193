"""CPU or GPU: the kernels that come with the course, and outputs that are the same on both."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from jupyter_client.kernelspec import KernelSpecManager

from handgrad.device import device
from handgrad.grading.kernel_choice import pytest_configure
from handgrad.notebooks.answers import read_notebook

ROOT = Path(__file__).parents[1]
OF_ONE_MACHINE = re.compile(r"tensor\(|(?i:cuda|device=|\b0x[0-9a-f]{6,}|/home/|/root/|/Users/|\\Users\\)")


def pytest_run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one notebook, whose only cell says which device its kernel was told to take."""
    text = 'import os\nprint(os.environ.get("HANDGRAD_DEVICE", "none"))'
    output = {"output_type": "stream", "name": "stdout", "text": "cpu\n"}
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "source": text, "execution_count": 1, "outputs": [output]}
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = {"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "one.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", ["cpu", "cuda"])
def test_the_kernels_are_installed_with_the_package(name):
    spec = KernelSpecManager().get_kernel_spec(f"handgrad-{name}")
    assert spec.argv == ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    assert spec.env == {"HANDGRAD_DEVICE": name}
    assert spec.display_name == f"Python (handgrad, {name.upper()})"


def test_the_kernel_for_the_cpu_runs_notebooks(folder):
    done = pytest_run(folder, "--nbval", "--nbval-kernel-name", "handgrad-cpu", "one.ipynb")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(
            ["--nbval-kernel-name", "handgrad-cuda"],
            "finds no CUDA device on this machine. Take the kernel handgrad-cpu",
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has CUDA"),
        ),
        (["--nbval-kernel-name", "handgrad-tpu"], "no Jupyter kernel is named 'handgrad-tpu'"),
        (["-n", "2"], "Add --dist loadfile"),
    ],
)
def test_nbval_with_what_cannot_work_stops_at_once(folder, arguments, says):
    done = pytest_run(folder, "--nbval", *arguments, "one.ipynb")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "one.ipynb" not in done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and says in done.stderr


def test_without_nbval_the_plugin_does_nothing():
    pytest_configure(SimpleNamespace(option=SimpleNamespace(nbval=False, nbval_lax=False, dist="load")))
    pytest_configure(SimpleNamespace(option=SimpleNamespace()))
    loaded = "import sys, handgrad.grading.kernel_choice; print({'torch', 'nbval', 'jupyter_client'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True).stdout.strip() == "set()"


def test_the_device_is_the_one_asked_for(monkeypatch):
    monkeypatch.setenv("HANDGRAD_DEVICE", "cpu")
    assert device() == torch.device("cpu")
    monkeypatch.setenv("HANDGRAD_DEVICE", "gpu")
    with pytest.raises(ValueError, match="'gpu', expected 'cpu' or 'cuda'"):
        device()
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("HANDGRAD_DEVICE", "cuda")
    with pytest.raises(RuntimeError, match="Take the kernel handgrad-cpu"):
        device()
    monkeypatch.delenv("HANDGRAD_DEVICE")
    assert device() == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert device() == torch.device("cuda")


def test_no_stored_output_tells_the_device_or_the_machine():
    paths = sorted((*ROOT.glob("chapters/*.ipynb"), *ROOT.glob("solutions/*.ipynb")))
    assert paths, "no built notebook in chapters/ and solutions/: run `handgrad build`"
    found = []
    for path in paths:
        # torch's own messages, word for word; that page computes on the CPU wherever it runs
        quoted = ("tensor(", "cuda") if path.stem == "90_errors" else ()
        for cell in read_notebook(path)["cells"]:
            for text in texts(cell.get("outputs", [])):
                found += [
                    f"{path.parent.name}/{path.name}: {match[0]!r} in {text[:200]!r}"
                    for match in OF_ONE_MACHINE.finditer(text)
                    if match[0] not in quoted
                ]
    assert not found, "\n".join(found)


def texts(outputs: list[dict]) -> list[str]:
    """What is text in the outputs of a cell; pictures are not."""
    joined = []
    for output in outputs:
        bundles = output.get("data", {}).items()
        parts = [output.get("text", ""), output.get("evalue", ""), *(part for mime, part in bundles if mime.startswith("text/"))]
        joined += ["".join(part) for part in parts if part]
    return joined


@pytest.mark.parametrize("text", ["tensor([1.])", "a CUDA device", "<object at 0x7f00aa10>", "/home/me/x.py", "C:\\Users\\me"])
def test_such_an_output_is_seen(text):
    outputs = [{"output_type": "stream", "text": [text, "\n"]}, {"data": {"text/html": text, "image/png": "cuda"}}]
    assert [bool(OF_ONE_MACHINE.search(found)) for found in texts(outputs)] == [True, True]
