"""A limit for code that may never come back: works in any thread and on any system, for loops of Python."""

import contextlib
import ctypes
import threading
import time
from collections.abc import Iterator


class TimeUp(BaseException):
    """Raised in the thread that ran past its limit; not an Exception, so that `except Exception` doesn't swallow it."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `TimeUp` in this thread when the body takes longer. One long call into C is only stopped after it returns.

    The exception is sent again every half second until the body ends, for code that swallows it.
    """
    thread = ctypes.c_ulong(threading.get_ident())
    ended, lock, sent = threading.Event(), threading.Lock(), []

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            with lock:
                if not ended.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(TimeUp))
                    sent.append(True)
            wait = 0.5

    watcher = threading.Thread(target=watch, daemon=True, name="handgrad time limit")
    watcher.start()
    try:
        yield
    finally:
        try:
            with lock:
                ended.set()
        except TimeUp:
            ended.set()
    if sent:
        # sent at the very end and not yet raised: let it arrive here, not in the caller's code
        with contextlib.suppress(TimeUp):
            time.sleep(0.01)
        raise TimeUp
