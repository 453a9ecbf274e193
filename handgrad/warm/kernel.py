"""A forked child as an ordinary ipykernel: the same application, started in a process that has imported it already."""

import atexit
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Sequence

from traitlets.config import Config

# what an ordinary kernel imports until its first cell has run, found by comparing sys.modules, and what matplotlib imports; not
# matplotlib itself nor what imports it, since it reads MPLBACKEND and the folder's matplotlibrc then
PRELOAD = (
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.magics",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "PIL.PngImagePlugin",
    "contourpy",
    "cycler",
    "dateutil.rrule",
    "executing",
    "jedi",
    "kiwisolver",
    "psutil",
    "pygments.formatters.terminal256",
    "pygments.lexers.python",
    "pyparsing",
    "sqlite3",
    "stack_data",
    "tornado.platform.asyncio",
)


def practise() -> None:
    """Do once what `serve` does until its sockets are bound, and leave nothing of it.

    In a fork most of that time goes into the copying of pages that are written to for the first time (of 94 ms, 37).
    """
    from ipykernel.ipkernel import IPythonKernel
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.zmqshell import ZMQInteractiveShell
    from IPython.core.profiledir import ProfileDir

    IPKernelApp().parse_command_line(["-f", "nowhere.json"])
    for module in sys.modules.copy().values():  # as the debugger looks for its own
        hasattr(module, "__file__")
    with tempfile.TemporaryDirectory(prefix="handgrad-") as folder:
        shell = ZMQInteractiveShell(
            config=Config({"HistoryManager": {"enabled": False}}),
            profile_dir=ProfileDir(location=folder),
            compiler_class=IPythonKernel.compiler_class.default_value,
        )
    atexit.unregister(shell.atexit_operations)


def serve(argv: Sequence[str], ready: int) -> None:
    """Be the kernel that `python -m ipykernel_launcher ARGV` would be; `ready` is written to when its sockets are bound."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "handgrad"]:
        del sys.modules[name]  # a kernel imports the course as it is on disk now, not as it was when the warm process started
    launcher = importlib.util.find_spec("ipykernel_launcher")
    sys.argv = [str(launcher.origin if launcher else "ipykernel_launcher"), *argv]
    from ipykernel.kernelapp import IPKernelApp

    # 1: no thread that watches the parent, since the kernel is killed with the warm process, and that with the last client
    app = IPKernelApp.instance(parent_handle=1)
    app.initialize(list(argv))
    os.write(ready, b"1")
    os.close(ready)
    app.start()
    # an exit as far as it is the kernel's own, as multiprocessing does in a fork; taking down the rest costs half a second
    threading._shutdown()
    atexit._run_exitfuncs()
