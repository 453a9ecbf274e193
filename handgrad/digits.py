"""The digits that scikit-learn ships: 1797 images of 8 × 8 pixels. Nothing is downloaded."""

import torch
from torch import Tensor

import handgrad

HELD_OUT = 450


class NoDigits(ModuleNotFoundError):
    """scikit-learn is not installed; the message says how to install it."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def digits() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Images and labels to train on, then images and labels that are held out: the last 450, in the order of the file.

    Returns:
        Four tensors on the course's device. Pixels are float32 from 0 to 1, labels int64 from 0 to 9.

    Shape:
        images: (1347, 64) and (450, 64); `images.reshape(-1, 8, 8)` shows them as they were drawn
        labels: (1347,) and (450,)

    Raises:
        NoDigits: a ModuleNotFoundError; scikit-learn is not installed.

    Source: `sklearn.datasets.load_digits`; E. Alpaydin, C. Kaynak, "Optical Recognition of Handwritten Digits", UCI 1998.
    """
    try:
        from sklearn.datasets import load_digits
    except ModuleNotFoundError as error:
        raise NoDigits(
            f"the digits come with scikit-learn, and {error.name} is not installed: pip install scikit-learn "
            "(in the course's folder: pip install -r requirements.txt)"
        ) from None
    file = load_digits()
    images = torch.tensor(file.data / 16, dtype=torch.float32, device=handgrad.device())
    labels = torch.tensor(file.target, dtype=torch.int64, device=handgrad.device())
    return images[:-HELD_OUT], labels[:-HELD_OUT], images[-HELD_OUT:], labels[-HELD_OUT:]
