"""Whether operations are recorded."""

import functools


class _Mode:
    recording = True


def is_grad_enabled() -> bool:
    return _Mode.recording


class set_grad_enabled:
    """Switch recording on or off, at once; as a context manager, until its end."""

    def __init__(self, mode: bool) -> None:
        self.before, self.mode = _Mode.recording, bool(mode)
        _Mode.recording = self.mode

    def __enter__(self) -> None:
        _Mode.recording = self.mode

    def __exit__(self, *error: object) -> None:
        _Mode.recording = self.before


class _Switch:
    mode: bool

    def __enter__(self) -> None:
        self.before, _Mode.recording = _Mode.recording, self.mode

    def __exit__(self, *error: object) -> None:
        _Mode.recording = self.before

    def __new__(cls, function=None):
        self = super().__new__(cls)
        return self(function) if callable(function) else self

    def __call__(self, function):
        @functools.wraps(function)
        def switched(*args, **kwargs):
            with type(self)():
                return function(*args, **kwargs)

        return switched


class no_grad(_Switch):
    """Nothing is recorded within `with torch.no_grad():`, or in a function under `@torch.no_grad()`."""

    mode = False


class enable_grad(_Switch):
    """Operations are recorded within, also inside `no_grad`."""

    mode = True


class inference_mode(no_grad):
    """As `no_grad` here."""
