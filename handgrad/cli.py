"""The command `handgrad`. Each command's body lives in the package of its subject and is imported when it is called."""

import sys
from pathlib import Path

import click

from handgrad.errors import CourseError


class _Course(click.Group):
    """A group whose user never meets a traceback of ours for what they can repair."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            raise CourseError(
                f"{error.name} is not installed; in the course's folder run: pip install -r requirements.txt"
            ) from None
        except OSError as error:
            raise CourseError(f"{error.filename or 'handgrad'}: {error.strerror or error}") from None


@click.group(cls=_Course, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Gradients by Hand: build the notebooks, grade answers, ask for hints."""
    # jsonschema, when imported, makes a grammar for a format that no notebook uses: longer than all the rest together
    sys.modules["rfc3987_syntax"] = None


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--check", is_flag=True, help="Write nothing; name each notebook that is not what its source says.")
@click.option("--again", is_flag=True, help="Execute every notebook, even where its code is the same as before.")
def build(names: tuple[str, ...], check: bool, again: bool) -> None:
    """Write the notebooks of the sources NAME (like 03_relu), or of all sources."""
    from handgrad.notebooks.build import build_sources
    from handgrad.notebooks.consistency import require_fit
    from handgrad.notebooks.course import course_root, read_sources
    from handgrad.notebooks.stale import require_current

    root = course_root()
    sources = read_sources(root, names)
    require_fit(root, sources, whole=not names)
    if check:
        require_current(root, sources, whole=not names)
    else:
        build_sources(root, sources, again)


@main.group()
def new() -> None:
    """Write the skeleton of a chapter or an exercise."""


@new.command()
@click.argument("name")
def chapter(name: str) -> None:
    """Write sources/chapters/NAME.md, for NAME like 09_chains."""
    from handgrad.notebooks.course import course_root
    from handgrad.notebooks.skeleton import write_chapter

    click.echo(write_chapter(course_root(), name))


@new.command()
@click.argument("name")
@click.argument("exercise")
def exercise(name: str, exercise: str) -> None:
    """Add EXERCISE (like my_sin) to sources/exercises/NAME.md, with its first right and wrong answer.

    In a folder of your own it writes the check too, and makes the folder a course.
    """
    from handgrad.notebooks.course import find_root
    from handgrad.notebooks.own_skeleton import write_own_exercise
    from handgrad.notebooks.skeleton import write_exercise
    from handgrad.own_course import is_own, own_course

    root = find_root()
    if root and not is_own(root):
        click.echo(write_exercise(root, name, exercise))
    else:
        click.echo(write_own_exercise(root or own_course() or Path.cwd(), name, exercise))


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
def test(names: tuple[str, ...]) -> None:
    """Try every check of the sources NAME, or of all: it must refuse the exercise as shipped and each wrong answer, with the
    message that the answer names, and accept the solution and each right answer."""
    from handgrad.notebooks.consistency import require_fit
    from handgrad.notebooks.course import course_root, read_sources
    from handgrad.notebooks.states import run_states

    root = course_root()
    sources = [source for source in read_sources(root, names) if source.is_exercise]
    require_fit(root, sources, whole=False)
    run_states(root, sources, whole=not names)


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="SUBMISSION...")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Grade a class: write its reports to this folder.")
@click.option("--kernel", default="handgrad-cpu", show_default=True, help="The kernel to grade with.")
@click.option("--jobs", type=click.IntRange(1), help="With --out: grading processes at a time. [default: one a core]")
@click.option("--again", is_flag=True, help="With --out: grade everything, also what has not changed.")
@click.option("--trust", is_flag=True, help="With --out: without a box. Answers run with your rights.")
@click.option("--real-kernels", is_flag=True, help="With --out: in ordinary Jupyter kernels, slowly.")
@click.option("--seed", type=int, help="With --out: draw the inputs from this seed, as an earlier run did.")
@click.option("--shard", metavar="K/N", default="1/1", help="With --out: grade the K-th of N parts; join them with report merge.")
@click.option("--dask", metavar="ADDRESS", default="", help="With --out: grade on the Dask cluster whose scheduler is there.")
@click.option(
    "--timeout", type=click.FloatRange(1), default=60.0, show_default=True, help="With --out: seconds that a cell may take."
)
@click.pass_context
def grade(ctx: click.Context, paths: tuple[Path, ...], out: Path | None, kernel: str, **options: object) -> None:
    """Check the answers in notebooks with nbval. For one's own: a table for each notebook. For a class: folders and archives of
    submissions, graded in a box, with reports in the folder --out."""
    if out is None:
        from handgrad.grading.grade import grade_notebooks

        ctx.exit(grade_notebooks(paths, kernel))
    from handgrad.grading.run_class import Options, grade_class, parse_shard

    options["shard"] = parse_shard(options["shard"])
    options["jobs"] = options["jobs"] or 0
    ctx.exit(grade_class(paths, out, Options(kernel=kernel, **options)))


@main.command(hidden=True)
@click.argument("settings")
@click.argument("connections", nargs=-1, type=int)
def worker(settings: str, connections: tuple[int, ...]) -> None:
    """Grade what arrives on descriptors (see `handgrad.grading.workers`, which alone calls this)."""
    import json
    import socket

    from handgrad.grading.settings import Settings
    from handgrad.grading.worker import fork_workers

    fork_workers(Settings(**json.loads(settings)), [socket.socket(fileno=number) for number in connections])


@main.group()
def report() -> None:
    """Work with the reports of graded classes."""


@report.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="REPORT...")
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="The folder for the joined report.")
def merge(folders: tuple[Path, ...], out: Path) -> None:
    """Join reports that were graded in shards."""
    from handgrad.grading.run_class import merge_reports

    merge_reports(folders, out)


@main.command()
@click.argument("name")
@click.argument("number", type=int, default=1)
def hint(name: str, number: int) -> None:
    """Print hint NUMBER (1 to 3) of the exercise NAME."""
    from handgrad.check import hint

    try:
        hint(name, number)
    except ValueError as error:
        raise CourseError(str(error)) from None


@main.command()
def progress() -> None:
    """Print which exercises are done, and the next one."""
    from handgrad.progress import progress

    progress()
