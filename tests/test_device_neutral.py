"""The chapters on a second device, on a machine that has none: everything lies on meta, whose numbers are made up.

A tensor made on a fixed device then meets one on meta, and torch raises. What cannot be seen so is numbers: nbval with
the kernel handgrad-cuda compares them where there is a GPU.
"""

import runpy
import warnings
from functools import wraps
from pathlib import Path
from unittest.mock import MagicMock

import nbformat
import pytest
import torch

import handgrad
from handgrad.audit.report import Report

ROOT = Path(__file__).parents[1]
# 11 shows an operator that has no shapes on meta, 14 pins the CPU
CHAPTERS = sorted(path.stem for path in (ROOT / "chapters").glob("[01]*.ipynb") if path.stem[:2] not in ("11", "14", "15"))
MADE_UP = {
    "tolist": lambda t: 0.5 if t.dim() == 0 else [MADE_UP["tolist"](row) for row in t],
    "item": lambda t: 0.5,
    "__bool__": lambda t: True,
    "__float__": lambda t: 0.5,
    "__int__": lambda t: 0,
    "equal": lambda t: False,
    "cpu": lambda t: torch.full(t.shape, 0.5, dtype=t.dtype, device="cpu"),
}


@pytest.fixture
def on_meta(monkeypatch):
    """`handgrad.device()` is meta, and reading a number of a meta tensor gives one."""
    monkeypatch.setattr(handgrad, "device", lambda: torch.device("meta"))
    monkeypatch.setattr(handgrad, "check", lambda *_: None)  # a check makes its own inputs
    monkeypatch.setattr("handgrad.figure.show", lambda *_: None)
    monkeypatch.setattr("handgrad.testing.devices", lambda: ["meta"])
    monkeypatch.setattr(Report, "raise_if_failed", lambda _: None)
    for name, value in MADE_UP.items():
        monkeypatch.setattr(torch.Tensor, name, reading(getattr(torch.Tensor, name), value))
    monkeypatch.setattr(torch.Tensor, "__setitem__", writing(torch.Tensor.__setitem__))
    for name in ("equal", "allclose"):
        monkeypatch.setattr(torch, name, lambda *_, **__: True)
    for name in ("gradcheck", "gradgradcheck"):
        monkeypatch.setattr(torch.autograd, name, wraps(getattr(torch.autograd, name))(checking))
    yield
    torch.set_default_device(None)


def reading(real, made_up):
    return lambda t, *args, **kwargs: made_up(t) if t.is_meta else real(t, *args, **kwargs)


def writing(real):
    def setitem(t, index, value):
        one = index if isinstance(index, torch.Tensor) else t
        return None if t.is_meta and not one.dim() else real(t, index, value)  # torch would ask that one for its number

    return setitem


def checking(*_, **__):
    warnings.warn("made up", stacklevel=2)  # as it warns of float32
    return MagicMock()  # true, and whatever a chapter does with it


def run(cells, tmp_path) -> None:
    """Run the cells as one program; those that show an error on purpose are left out."""
    codes = [
        cell.source for cell in cells if cell.cell_type == "code" and "raises-exception" not in cell.metadata.get("tags", [])
    ]
    program = tmp_path / "chapter.py"
    program.write_text("\n\n".join(codes), encoding="utf-8", newline="\n")
    runpy.run_path(str(program))


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_runs_where_no_tensor_lies_on_the_cpu(chapter, on_meta, tmp_path, capsys):
    run(nbformat.read(ROOT / "chapters" / f"{chapter}.ipynb", as_version=4).cells, tmp_path)
    assert capsys.readouterr().out


@pytest.mark.parametrize("mistake", ["torch.ones(2, device='cpu') + x", "x.cpu() + x", "x.numpy()"])
def test_a_fixed_device_is_seen(mistake, on_meta, tmp_path):
    setup = "import torch, handgrad\ntorch.set_default_device(handgrad.device())\nx = torch.ones(2)\n"
    cell = nbformat.v4.new_code_cell(setup + mistake)
    with pytest.raises((RuntimeError, NotImplementedError, TypeError), match=r"device|meta"):
        run([cell], tmp_path)


def test_the_chapters_are_there():
    assert len(CHAPTERS) >= 6, "run `handgrad build`"
    assert "torch.set_default_device(handgrad.device())" in (ROOT / "chapters" / f"{CHAPTERS[0]}.ipynb").read_text("utf-8")
