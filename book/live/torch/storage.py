"""Where the numbers lie."""


class Storage:
    """The numbers in memory; None on the meta device. Views of a tensor share it."""

    def __init__(self, values: list | None, itemsize: int, size: int) -> None:
        self.values, self.itemsize, self.size = values, itemsize, size

    def data_ptr(self) -> int:
        return id(self) if self.size else 0

    def nbytes(self) -> int:
        return self.size * self.itemsize
