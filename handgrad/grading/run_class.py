"""Grade a class: find the submissions, hand them to grading processes, keep each result as it comes, write the reports."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import SimpleQueue

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from handgrad.errors import CourseError
from handgrad.grading import box
from handgrad.grading.official import course_folder
from handgrad.grading.reports import show_class, write_reports
from handgrad.grading.results import RESULTS, Writer, digest_of_file, header_of, in_order, key_of, read_results, write_sorted
from handgrad.grading.submissions import Submission, find_submissions
from handgrad.grading.worker import Settings
from handgrad.warm.client import PRELOAD, WarmError, Zygote

_MARGIN = 120.0  # seconds that a worker has beyond the timeouts of its cells, before it counts as lost
_PRELOAD = (*PRELOAD, "torch._dynamo", "handgrad.check", "handgrad.observe", "handgrad.grading.box", "handgrad.grading.tripwire")


@dataclass(frozen=True)
class Options:
    """What a teacher asks for (see `handgrad grade --help`)."""

    kernel: str = "handgrad-cpu"
    jobs: int = 0
    again: bool = False
    trust: bool = False
    real_kernels: bool = False
    seed: int | None = None
    shard: tuple[int, int] = (1, 1)
    timeout: float = 60.0
    dask: str = ""


def grade_class(paths: tuple[Path, ...], out: Path, options: Options) -> int:
    """Grade submissions and write the reports to `out`.

    Returns:
        0 when every submission has a result that says how it was graded; 1 when one could not be graded.

    Raises:
        CourseError: nothing can be graded at all.
    """
    console = Console(highlight=False)
    course = course_folder(Path.cwd() / "submissions")
    if not options.trust and (problem := box.box_problem()):
        raise CourseError(f"a class is graded in a box: {problem}")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="handgrad-") as scratch:
        submissions = find_submissions(paths, Path(scratch))
        part, parts = options.shard
        jobs = [_job(submission, course) for submission in submissions[part - 1 :: parts]]
        settings = {"kernel": options.kernel, "timeout": options.timeout, "real kernels": options.real_kernels}
        settings["boxed"] = not options.trust
        before = _earlier(out / RESULTS, options.again)
        seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        header = header_of(course, seed, settings)
        fine = [result for result in before[1] if result["status"] != "could not be graded"] if before else []
        known = {key_of(before[0], result): result for result in fine}
        kept = [known[key] for job in jobs if (key := key_of(header, job)) in known]
        todo = [job for job in jobs if key_of(header, job) not in known]
        results = _grade(todo, kept, header, out, Settings(seed, options.kernel, cell_timeout=options.timeout), options, console)
    write_reports(header, results, out)
    show_class(console, header, results)
    console.print(f"{out / 'index.html'}: the class; {out / 'learners'}: a page for each learner", soft_wrap=True, markup=False)
    return int(any(result["status"] == "could not be graded" for result in results))


def merge_reports(folders: tuple[Path, ...], out: Path) -> None:
    """Join the reports of shards into one.

    Raises:
        CourseError: one is no report, or they were not graded alike.
    """
    headers, results = [], {}
    for folder in folders:
        header, found = read_results(folder / RESULTS)
        headers.append(header)
        results |= {(result["submission"], result["file"]): result for result in found}
    alike = [{name: value for name, value in header.items() if name != "seed"} for header in headers]
    if any(one != alike[0] for one in alike):
        raise CourseError("these reports were not graded alike (versions, notebooks or settings differ): grade them again alike")
    ordered = in_order(results.values())
    out.mkdir(parents=True, exist_ok=True)
    write_sorted(out / RESULTS, headers[0], ordered)
    write_reports(headers[0], ordered, out)
    show_class(Console(highlight=False), headers[0], ordered)


def parse_shard(text: str) -> tuple[int, int]:
    """`K/N` as two numbers.

    Raises:
        CourseError: it is none, or K is not from 1 to N.
    """
    part, _, parts = text.partition("/")
    if part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts):
        return int(part), int(parts)
    raise CourseError(f"--shard {text}: expected K/N with K from 1 to N, as in --shard 2/5")


def _cores() -> int:
    """Those that this process may use, where the system can tell."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _job(submission: Submission, course: Path) -> dict:
    digest = "" if submission.problem else digest_of_file(submission.path)
    return {
        "learner": submission.learner,
        "file": submission.file,
        "path": str(submission.path),
        "problem": submission.problem,
        "course": str(course),
        "sha256": digest,
    }


def _earlier(path: Path, again: bool) -> tuple[dict, list[dict]] | None:
    return None if again or not path.exists() else read_results(path)


def _grade(
    todo: list[dict], kept: list[dict], header: dict, out: Path, settings: Settings, options: Options, console: Console
) -> list[dict]:
    writer = Writer(out / RESULTS, header, kept)
    results = list(kept)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("grading", total=len(todo) + len(kept), completed=len(kept))
            for result in _results(todo, settings, options):
                writer.add(result)
                results.append(result)
                progress.advance(task)
    except KeyboardInterrupt:
        rest = len(todo) + len(kept) - len(results)
        raise CourseError(f"stopped; {rest} submissions are not graded yet. The same command goes on from here.") from None
    finally:
        writer.close()
    results = in_order(results)
    write_sorted(out / RESULTS, header, results)
    return results


def _results(jobs: list[dict], settings: Settings, options: Options) -> Iterator[dict]:
    if options.dask and jobs:
        from handgrad.grading.cluster import grade_on

        return grade_on(options.dask, jobs, settings, replace(options, dask=""))
    return grade_jobs(jobs, settings, options)


def grade_jobs(jobs: Iterable[dict], settings: Settings, options: Options) -> Iterator[dict]:
    """The results of some jobs, each as soon as it is there."""
    jobs = list(jobs)
    if not jobs:
        return
    count = max(1, min(options.jobs or _cores(), len(jobs)))
    settings = replace(settings, boxed=not options.trust)
    with contextlib.ExitStack() as stack:
        if not options.real_kernels:
            wrapper = () if options.trust else box.box_command()
            try:
                zygote = stack.enter_context(Zygote(_PRELOAD, wrapper=wrapper))
            except WarmError as error:
                raise CourseError(f"{error}\nTo grade without it, in ordinary kernels: --real-kernels") from None
            settings = replace(settings, warm=zygote.path)
        workers: SimpleQueue[Worker] = SimpleQueue()
        for _ in range(count):
            workers.put(stack.enter_context(Worker(settings)))

        def grade(job: dict) -> dict:
            worker = workers.get()
            try:
                return worker.grade(job)
            finally:
                workers.put(worker)

        pool = stack.enter_context(ThreadPoolExecutor(count))
        waiting = [pool.submit(grade, job) for job in jobs]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class Worker:
    """A grading process, started when it is first needed and again when it is lost."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def grade(self, job: dict) -> dict:
        """The result of one job. One that ends or hangs a process twice gets a result that says so."""
        for _ in range(2):
            line = self._ask(json.dumps(job))
            if line:
                return json.loads(line)
            self._end()
        message = "the grading process ended or hung over it, twice"
        receipt = {"file": job["sha256"], "answers": "", "official": "", "seed": self._settings.seed}
        empty = {"submission": job["learner"], "file": job["file"], "notebook": "", "status": "could not be graded"}
        return {**empty, "message": message, "notes": [], "rows": [], "receipt": receipt}

    def _ask(self, line: str) -> str:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "handgrad.grading.worker", json.dumps(asdict(self._settings))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None,
                text=True,
                encoding="utf-8",
                env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
                start_new_session=True,  # Ctrl-C is this process's to handle
            )
        lost = threading.Timer(_MARGIN + 30 * self._settings.cell_timeout, self._process.kill)
        lost.daemon = True
        lost.start()
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            return self._process.stdout.readline()
        except OSError:
            return ""
        finally:
            lost.cancel()

    def _end(self) -> None:
        if self._process is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._process = None
