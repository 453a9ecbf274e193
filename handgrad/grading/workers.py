"""Grading processes from the side of whoever has something to grade: start them, hand them jobs, notice which are lost.

One process imports what grading needs and forks the others, each at the other end of a socket (see `handgrad.grading.worker`).
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from queue import SimpleQueue
from typing import IO

from handgrad.errors import CourseError
from handgrad.grading.settings import Settings

_MARGIN = 120.0  # seconds that a worker has beyond the timeouts of its cells, before it counts as lost


class Workers:
    """`count` grading processes, as a context manager.

    Args:
        log: where what they say of themselves goes; the caller's stderr, if None.
    """

    def __init__(self, settings: Settings, count: int, log: IO | None = None) -> None:
        self._settings, self._count, self._log = settings, count, log

    def __enter__(self) -> "Workers":
        pairs = [socket.socketpair() for _ in range(self._count)]
        theirs = [pair[1] for pair in pairs]
        numbers = [str(end.fileno()) for end in theirs]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "handgrad", "worker", json.dumps(asdict(self._settings)), *numbers],
            pass_fds=[end.fileno() for end in theirs],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
            start_new_session=True,  # Ctrl-C is this process's to handle
        )
        for end in theirs:
            end.close()
        self._workers: SimpleQueue[_Worker] = SimpleQueue()
        self._all = [_Worker(pair[0], self._settings) for pair in pairs]
        for worker in self._all:
            self._workers.put(worker)
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._all:
            worker.end()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def work(self, job: dict) -> dict | None:
        """What a worker that is free says of a job; None when each of two was lost over it.

        Raises:
            CourseError: they are all gone.
        """
        worker = self._workers.get()
        try:
            return worker.ask(job) or worker.ask(job)
        finally:
            self._workers.put(worker)

    def work_all(self, jobs: Iterable[dict]) -> Iterator[tuple[dict, dict | None]]:
        """Each job with what is said of it, as soon as it is there."""
        with ThreadPoolExecutor(self._count) as pool:
            waiting = {pool.submit(self.work, job): job for job in jobs}
            try:
                for done in as_completed(waiting):
                    yield waiting[done], done.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for worker in self._all:
                    worker.end()  # so that nobody waits for what it still says
                raise


class _Worker:
    """One grading process, known by its connection; where it is lost, another one takes its end."""

    def __init__(self, connection: socket.socket, settings: Settings) -> None:
        self._connection = connection
        self._patience = _MARGIN + 30 * settings.cell_timeout
        self._source = connection.makefile(encoding="utf-8")
        self._pid = self._jobs = 0

    def ask(self, job: dict) -> dict | None:
        """What it says of a job; None when it was lost over it."""
        while not self._pid:
            self._read()  # who works there
        lost = threading.Timer(self._patience, os.kill, (self._pid, signal.SIGKILL))
        lost.daemon = True
        lost.start()
        try:
            self._jobs += 1
            self._connection.sendall((json.dumps(job | {"number": self._jobs}) + "\n").encode())
            while (said := self._read()) and said["number"] != self._jobs:
                pass  # late, of a job that counts as lost
            return said and said["result"]
        except OSError:
            raise CourseError(_GONE) from None
        finally:
            lost.cancel()

    def _read(self) -> dict | None:
        """The result of a job with its number; None for a line that says who works there now, or that was cut off."""
        line = self._source.readline()
        if not line:
            raise CourseError(_GONE)
        try:
            said = json.loads(line)
        except ValueError:  # lost in the middle of a line, at whose end stands who came after
            said = json.loads(line[line.rindex('{"worker"') :])
        if "worker" in said:
            self._pid = said["worker"]
            return None
        return said

    def end(self) -> None:
        """Hang up, at which it ends."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


_GONE = "the grading processes ended, all at once; perhaps the machine is out of memory. What is graded is kept; run it again."
