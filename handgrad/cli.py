"""The command `handgrad`. Each command's body lives in the package of its subject and is imported when it is called."""

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Gradients by Hand: build the notebooks, grade answers, ask for hints."""


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--again", is_flag=True, help="Execute all of them, even where the code is the same as before.")
def build(names: tuple[str, ...], again: bool) -> None:
    """Write the notebooks of the sources NAME (like 03_relu), or of all sources."""
    from handgrad.notebooks.build import build_sources
    from handgrad.notebooks.course import course_root, read_sources

    root = course_root()
    build_sources(root, read_sources(root, names), again)
