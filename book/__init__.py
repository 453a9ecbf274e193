"""The book's Sphinx extension: what Jupyter Book does not do by itself, one job a module.

Jupyter Book loads it by the name that `_config.yml` gives.
"""

from sphinx.application import Sphinx

from book import boxes, downloads, glossary, live_cells, maths, offline, pages, repository, search


def setup(app: Sphinx) -> dict[str, bool]:
    for part in (boxes, downloads, glossary, live_cells, maths, offline, pages, repository, search):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
