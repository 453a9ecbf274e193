"""What the builder adds to a source: the badge and the set-up cell, so that a notebook also runs where there is only itself."""

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

SETUP_ID = "setup-cell"
BADGE_ID = "colab-badge"

_INSTALL = '%pip install --quiet "git+{repository}"\n    import handgrad'
_EXPLAIN = """raise ModuleNotFoundError(
        "handgrad is not installed; in the course's folder run: pip install -r requirements.txt"
    ) from None"""
_CHAPTER = "import torch\n\ntorch.set_default_device(handgrad.device())"
_EXERCISE = "from handgrad import check, hint, progress"


def setup_cell(repository: str | None, exercise: bool) -> NotebookNode:
    """The cell that finds handgrad, or installs it from `repository`, or says how to."""
    missing = _INSTALL.format(repository=repository) if repository else _EXPLAIN
    source = f"try:\n    import handgrad\nexcept ModuleNotFoundError:\n    {missing}\n{_EXERCISE if exercise else _CHAPTER}"
    return new_code_cell(source, id=SETUP_ID, metadata={"tags": ["setup", "remove-cell"]})


def badge_cell(repository: str | None, branch: str, notebook: str) -> NotebookNode | None:
    """Colab's badge for `notebook`, a path in the repository; None where Colab could not open it."""
    if not repository or not repository.startswith("https://github.com/"):
        return None
    place = f"{repository.removeprefix('https://github.com/')}/blob/{branch}/{notebook}"
    badge = "![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)"
    link = f"[{badge}](https://colab.research.google.com/github/{place})"
    return new_markdown_cell(link, id=BADGE_ID, metadata={"tags": ["remove-cell"]})
