"""Grade on an existing Dask cluster: shards of submissions go to its workers, results come back as they are made.

Each Dask worker has a warm process and grading processes of its own, started once, by a plugin. A shard is a pure function of its
submissions and the seed, so one whose worker is lost is simply sent to another. Notebooks and results travel as plain data.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from handgrad.errors import CourseError
from handgrad.grading.settings import Settings

if TYPE_CHECKING:
    from distributed import Worker

    from handgrad.grading.run_class import Graders, Options

MOST = 100  # submissions in a shard; one that is lost is graded again
_PLUGIN = "handgrad-grading"
_RETRIES = 3
_PATIENCE = 10  # seconds that a scheduler has to answer


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
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except OSError as error:
        raise CourseError(f"--dask {address}: no scheduler answers there ({error}). Start one: dask scheduler") from None
    with client:
        workers = len(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise CourseError(f"--dask {address}: the cluster has no workers. Start some: dask worker {address}")
        size = max(1, min(MOST, len(jobs) // (4 * workers)))
        shards = [[_with_content(job) for job in jobs[k : k + size]] for k in range(0, len(jobs), size)]
        try:
            client.register_plugin(_plugin(settings, options), name=_PLUGIN)
            waiting = client.map(grade_shard, shards, pure=False, retries=_RETRIES)
            for done in as_completed(waiting, loop=client.loop):
                yield from done.result()
                done.release()
        except CourseError:
            raise
        except Exception as error:
            raise CourseError(
                f"--dask {address}: a shard was lost: {error}. The workers need the same handgrad and the course's folder. "
                "What is graded is kept; run it again."
            ) from None
        finally:
            client.unregister_worker_plugin(_PLUGIN)


def _plugin(settings: Settings, options: "Options") -> object:
    from distributed import WorkerPlugin

    class Grading(WorkerPlugin):
        """What grades, from the moment that a Dask worker starts or hears of it until its end."""

        graders: "Graders"

        def setup(self, worker: "Worker") -> None:
            from handgrad.grading.run_class import Graders

            here = replace(options, jobs=options.jobs or worker.state.nthreads)
            self.graders = Graders(settings, here, most=MOST)
            self.graders.__enter__()

        def teardown(self, worker: "Worker") -> None:
            self.graders.__exit__()

    return Grading()


def _with_content(job: dict) -> dict:
    """The job with the notebook itself: the workers need not see this machine's disk."""
    content = b"" if job["problem"] else Path(job["path"]).read_bytes()
    return {**job, "content": content}


def grade_shard(shard: list[dict]) -> list[dict]:
    """Grade some submissions in a Dask worker, with the course that is installed there."""
    from distributed import get_worker

    from handgrad.grading.official import course_folder

    graders = get_worker().plugins[_PLUGIN].graders
    with tempfile.TemporaryDirectory(prefix="handgrad-") as name:
        jobs = []
        for number, job in enumerate(shard):
            path = Path(name) / f"{number}.ipynb"
            path.write_bytes(job["content"])
            here = {key: value for key, value in job.items() if key != "content"}
            jobs.append({**here, "path": str(path), "course": str(course_folder(path))})
        return list(graders.results(jobs))
