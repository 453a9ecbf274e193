"""Where a tensor lives: `cpu`, or `meta`, where tensors have shapes and no numbers."""


class device:
    """A device, for example `torch.device("cpu")`. As a context manager, the default within it."""

    def __init__(self, type: object, index: int | None = None) -> None:
        name, _, number = str(type).partition(":")
        if name == "cuda":
            raise AssertionError("Torch not compiled with CUDA enabled")
        if name not in ("cpu", "meta"):
            raise RuntimeError(f"Expected one of cpu, meta device type at start of device string: {name}")
        self.type, self.index = name, int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __str__(self) -> str:
        return self.type

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"

    def __enter__(self) -> "device":
        _default.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        _default.pop()


_default = [device("cpu")]


def get_default_device() -> device:
    return _default[-1]


def set_default_device(d: object) -> None:
    _default[-1] = as_device(d) if d is not None else device("cpu")


def as_device(d: object) -> device:
    if d is None:
        return get_default_device()
    return d if isinstance(d, device) else device(d)


def common_device(*tensors: object) -> device:
    """The device of all of these tensors; one without dimensions may come from the CPU."""
    devices = [t.device for t in tensors]
    if len(set(devices)) <= 1:
        return devices[0] if devices else get_default_device()
    if any(t.device.type == "cpu" and t.shape for t in tensors):
        raise RuntimeError("Tensor on device cpu is not on the expected device meta!")
    return device("meta")
