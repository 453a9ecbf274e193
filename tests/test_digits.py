"""The digits of scikit-learn: what they are, and what is said where scikit-learn is missing."""

import sys

import pytest
import torch

from handgrad.digits import NoDigits, digits


def test_they_are_two_parts_of_the_same_kind(monkeypatch):
    monkeypatch.setenv("HANDGRAD_DEVICE", "cpu")
    images, labels, new_images, new_labels = digits()
    assert [tuple(part.shape) for part in (images, labels, new_images, new_labels)] == [(1347, 64), (1347,), (450, 64), (450,)]
    for pixels, names in ((images, labels), (new_images, new_labels)):
        assert (pixels.dtype, names.dtype) == (torch.float32, torch.int64)
        assert (pixels.min(), pixels.max()) == (0, 1)
        assert names.unique().tolist() == list(range(10))


def test_without_scikit_learn_the_cure_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(NoDigits, match=r"not installed: pip install scikit-learn \(in the course's folder: pip install -r"):
        digits()
