"""Grade on an existing Dask cluster: shards of submissions go to its workers, results come back as they are made.

A shard is a pure function of its submissions and the seed, so one whose worker is lost is simply sent to another. It has a warm
process of its own: a fork must not come from Dask's worker, which has threads, and its start is a small part of a shard's time.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from handgrad.errors import CourseError
from handgrad.grading.settings import Settings

if TYPE_CHECKING:
    from handgrad.grading.run_class import Options

SHARD = 100  # submissions; the start of a warm process is then a small part
_RETRIES = 3


def grade_on(address: str, jobs: list[dict], settings: Settings, options: "Options") -> Iterator[dict]:
    """The results of some jobs, each shard's as soon as it is there.

    Raises:
        CourseError: Dask is not installed, nothing answers at the address, or a shard was lost again and again.
    """
    try:
        from distributed import Client, as_completed
    except ModuleNotFoundError:
        raise CourseError("--dask needs Dask here and on its workers: python -m pip install distributed") from None
    try:
        client = Client(address, timeout=30, set_as_default=False)
    except OSError as error:
        raise CourseError(f"--dask {address}: no scheduler answers there ({error}). Start one: dask scheduler") from None
    with client:
        size = max(1, min(SHARD, -(-len(jobs) // max(1, 2 * len(client.scheduler_info()["workers"])))))
        shards = [[_with_content(job) for job in jobs[k : k + size]] for k in range(0, len(jobs), size)]
        waiting = client.map(grade_shard, shards, settings=settings, options=options, pure=False, retries=_RETRIES)
        for done in as_completed(waiting):
            try:
                yield from done.result()
            except Exception as error:
                raise CourseError(f"--dask {address}: a shard was lost: {error}. What is graded is kept; run it again.") from None
            done.release()


def _with_content(job: dict) -> dict:
    """The job with the notebook itself: the workers need not see this machine's disk."""
    content = b"" if job["problem"] else Path(job["path"]).read_bytes()
    return {**job, "content": content}


def grade_shard(shard: list[dict], settings: Settings, options: "Options") -> list[dict]:
    """Grade some submissions on this machine, with the course that is installed on it."""
    from handgrad.grading.official import course_folder
    from handgrad.grading.run_class import grade_jobs

    with tempfile.TemporaryDirectory(prefix="handgrad-") as name:
        jobs = []
        for number, job in enumerate(shard):
            path = Path(name) / f"{number}.ipynb"
            path.write_bytes(job["content"])
            here = {key: value for key, value in job.items() if key != "content"}
            jobs.append({**here, "path": str(path), "course": str(course_folder(path))})
        return list(grade_jobs(jobs, settings, options))
