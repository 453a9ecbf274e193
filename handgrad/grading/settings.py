"""How answers are graded: what a grading process is told, and so what a result depends on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """How a grading process works (see `handgrad.grading.worker`).

    Attributes:
        seed: the checks draw their inputs from it and publish their records.
        kernel: name of a Jupyter kernel, for answers that are not run in a forked shell.
        warm: where the warm process listens; empty where there is none.
        boxed: whether answers run in the box; the warm process is in it already.
        cell_timeout: seconds.
        read_first: whether the text of an answer is read before it runs, and refused by it.
    """

    seed: int
    kernel: str = "handgrad-cpu"
    warm: str = ""
    boxed: bool = False
    cell_timeout: float = 60.0
    read_first: bool = True
