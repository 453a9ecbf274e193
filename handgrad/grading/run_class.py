"""Grade a class: find the submissions, hand them to grading processes, keep each result as it comes, write the reports."""

import os
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from handgrad.errors import CourseError
from handgrad.grading import box
from handgrad.grading.official import course_folder
from handgrad.grading.reports import show_class, write_reports
from handgrad.grading.results import (
    RESULTS,
    Writer,
    digest_of_file,
    in_order,
    key_of,
    read_results,
    tasks_of,
    terms_of,
    write_sorted,
)
from handgrad.grading.settings import Settings
from handgrad.grading.submissions import Submission, find_submissions
from handgrad.grading.workers import Workers
from handgrad.warm.client import PRELOAD, WarmError, Zygote

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
    with ExitStack() as stack:
        submissions = find_submissions(paths, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="handgrad-"))))
        part, parts = options.shard
        jobs = [_job(submission, course) for submission in submissions[part - 1 :: parts]]
        asked = {"kernel": options.kernel, "timeout": options.timeout, "real kernels": options.real_kernels}
        asked["boxed"] = not options.trust
        before = _earlier(out / RESULTS, options.again)
        seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
        header = terms_of(course, seed, asked)
        fine = [result for result in before[1] if result["status"] != "could not be graded"] if before else []
        known = {key_of(before[0], result): result for result in fine}
        kept = [known[key] for job in jobs if (key := key_of(header, job)) in known]
        todo = [job for job in jobs if key_of(header, job) not in known]
        settings = Settings(seed, options.kernel, cell_timeout=options.timeout)
        results: Iterator[dict] = iter(())
        if todo and not options.dask:
            graders = stack.enter_context(Graders(settings, options, len(todo)))
            header |= graders.tasks(course)
            results = graders.results(todo)
        else:
            header |= tasks_of(course)
        if todo and options.dask:
            from handgrad.grading.cluster import grade_on

            results = grade_on(options.dask, todo, settings, replace(options, dask=""))
        results = _keep(results, len(todo), kept, header, out, console)
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


def _keep(results: Iterator[dict], new: int, kept: list[dict], header: dict, out: Path, console: Console) -> list[dict]:
    """Write each of `new` results as it comes, after those that are `kept`; all of them, in order."""
    writer = Writer(out / RESULTS, header, kept)
    graded = list(kept)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=console, transient=True) as progress:
            task = progress.add_task("grading", total=new + len(kept), completed=len(kept))
            for result in results:
                writer.add(result)
                graded.append(result)
                progress.advance(task)
    except KeyboardInterrupt:
        rest = new + len(kept) - len(graded)
        raise CourseError(f"stopped; {rest} submissions are not graded yet. The same command goes on from here.") from None
    finally:
        writer.close()
    graded = in_order(graded)
    write_sorted(out / RESULTS, header, graded)
    return graded


def grade_jobs(jobs: Iterable[dict], settings: Settings, options: Options) -> Iterator[dict]:
    """The results of some jobs, each as soon as it is there."""
    jobs = list(jobs)
    if jobs:
        with Graders(settings, options, len(jobs)) as graders:
            yield from graders.results(jobs)


class Graders:
    """What grades jobs on this machine: grading processes and, unless in real kernels, the warm process that they ask for shells.

    A context manager; both are started at once, and waited for when there is something to grade.
    """

    def __init__(self, settings: Settings, options: Options, most: int) -> None:
        """`most`: the jobs that there can be."""
        self._settings = replace(settings, boxed=not options.trust)
        self._options = options
        self._count = max(1, min(options.jobs or _cores(), most))

    def __enter__(self) -> "Graders":
        self._zygote: Zygote | None = None
        with ExitStack() as stack:
            if not self._options.real_kernels:
                wrapper = () if self._options.trust else box.box_command()
                self._zygote = Zygote(_PRELOAD, wrapper=wrapper, then="handgrad.grading.tripwire:armed")
                self._zygote.start()
                stack.callback(self._zygote.close)
                self._settings = replace(self._settings, warm=self._zygote.path)
            self._workers = stack.enter_context(Workers(self._settings, self._count))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def tasks(self, course: Path) -> dict:
        """What `tasks_of` says, without an import of torch in this process."""
        tasks = self._workers.work({"tasks_of": str(course)})
        if tasks is None:
            raise CourseError("the grading processes end before there is anything to grade; what they say stands above")
        return tasks

    def results(self, jobs: Iterable[dict]) -> Iterator[dict]:
        """The results of some jobs, each as soon as it is there.

        Raises:
            CourseError: there is no warm process, or what grades has ended.
        """
        try:
            if self._zygote:
                self._zygote.wait()
        except WarmError as error:
            raise CourseError(f"{error}\nTo grade without it, in ordinary kernels: --real-kernels") from None
        for job, result in self._workers.work_all(jobs):
            yield result or self._lost(job)

    def _lost(self, job: dict) -> dict:
        receipt = {"file": job["sha256"], "answers": "", "official": "", "seed": self._settings.seed}
        empty = {"submission": job["learner"], "file": job["file"], "notebook": "", "status": "could not be graded"}
        message = "the grading process ended or hung over it, twice"
        return {**empty, "message": message, "notes": [], "rows": [], "receipt": receipt}
