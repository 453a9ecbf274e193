"""What handgrad imports and a page has no use for: one person, one process, no command line."""

import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType


class ClickException(Exception):
    """An error that is told by its words."""


def _file_lock(*_: object, **__: object) -> nullcontext:
    return nullcontext()


def _user_data_path(name: str) -> Path:
    return Path.home() / name


def install() -> None:
    """Put them where `import` finds them."""
    for module, names in {
        "click": {"ClickException": ClickException},
        "filelock": {"FileLock": _file_lock},
        "platformdirs": {"user_data_path": _user_data_path},
    }.items():
        sys.modules[module] = ModuleType(module, __doc__)
        vars(sys.modules[module]).update(names)
