"""Whatever is observed leaves the reader's process as it was."""

import contextlib
import io
import warnings
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep an answer's prints, warnings and global settings from leaking."""
    grad_mode, dtype = torch.is_grad_enabled(), torch.get_default_dtype()
    with torch.random.fork_rng(), warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        torch.set_grad_enabled(True)
        try:
            yield
        finally:
            torch.set_grad_enabled(grad_mode)
            torch.set_default_dtype(dtype)
