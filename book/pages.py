"""What the book adds to a notebook while it reads it; the file itself stays plain.

The three pages of one stem (`chapters/03_relu`, `exercises/03_relu`, `solutions/03_relu`) link to each other, a
solution is called so and its code is folded, and a picture's words become its alternative text.
"""

import re
from collections.abc import Collection

import nbformat
from nbformat.v4 import new_markdown_cell
from sphinx.application import Sphinx
from sphinx.util import logging

# folder of a page: links below its title, and at its end
BELOW_TITLE = {
    "exercises": {"chapters": "Read the chapter first"},
    "solutions": {"exercises": "Back to the exercises", "chapters": "Back to the chapter"},
}
AT_END = {
    "chapters": {"exercises": "Practise this chapter"},
    "exercises": {"solutions": "Compare with the solutions", "chapters": "Back to the chapter"},
    "solutions": {"exercises": "Back to the exercises"},
}


def prepare(app: Sphinx, page: str, source: list[str]) -> None:
    if app.env.doc2path(page).endswith(".ipynb"):
        notebook = nbformat.reads(source[0], as_version=4)
        if page.startswith("solutions/"):
            notebook.cells[0].source = re.sub(r"^# (Practice: )?", "# Solutions: ", notebook.cells[0].source)
            fold_answers(notebook)
        for number in describe_pictures(notebook):
            logging.getLogger(__name__).warning(
                "Code cell %d needs one picture with words: end it with handgrad.figure.show(fig, alt).", number, location=page
            )
        add_links(notebook, page, app.env.found_docs)
        source[0] = nbformat.writes(notebook)


def fold_answers(notebook: nbformat.NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.source.startswith("# exercise: "):
            cell.metadata["tags"] = [*cell.metadata.get("tags", []), "hide-input"]
            name = cell.source.splitlines()[0].removeprefix("# exercise: ").strip()
            prompts = {"code_prompt_show": f"Show the solution of {name}", "code_prompt_hide": "Hide the solution"}
            cell.metadata["mystnb"] = prompts


def describe_pictures(notebook: nbformat.NotebookNode) -> list[int]:
    """Give each picture its words; return the numbers of the code cells where that fails, counted from 1.

    The book takes one text a cell, so a cell with two pictures counts as failed too.
    """
    failed = []
    for number, cell in enumerate((cell for cell in notebook.cells if cell.cell_type == "code"), start=1):
        pictures = [output for output in cell.outputs if "image/png" in output.get("data", {})]
        words = [output.metadata.get("image/png", {}).get("alt") for output in pictures]
        if len(pictures) > 1 or None in words:
            failed.append(number)
        elif pictures:
            cell.metadata["mystnb"] = cell.metadata.get("mystnb", {}) | {"image": {"alt": words[0]}}
    return failed


def add_links(notebook: nbformat.NotebookNode, page: str, pages: Collection[str]) -> None:
    folder, _, stem = page.rpartition("/")

    def block(links: dict[str, str]) -> str:
        there = [f"[{words}](../{other}/{stem}.ipynb)" for other, words in links.items() if f"{other}/{stem}" in pages]
        return "\n".join(["```{container} companions", " · ".join(there), "```"]) if there else ""

    title, _, text = notebook.cells[0].source.partition("\n")
    notebook.cells[0].source = f"{title}\n\n{block(BELOW_TITLE.get(folder, {}))}\n{text}"
    notebook.cells.append(new_markdown_cell(block(AT_END.get(folder, {}))))


def setup(app: Sphinx) -> None:
    app.connect("source-read", prepare)
