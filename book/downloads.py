"""What one may take along: all notebooks in one file, next to the pages, and the link to it on the first page."""

import zipfile
from pathlib import Path

from sphinx.application import Sphinx

ARCHIVE = "gradients-by-hand.zip"
LINK = f'<p><a href="../{ARCHIVE}" download>All notebooks in one file</a>, to run anywhere.</p>'


def pack(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.name != "html":
        return
    with zipfile.ZipFile(Path(app.outdir) / ARCHIVE, "w", zipfile.ZIP_DEFLATED) as archive:
        for page in sorted(app.env.found_docs):
            path = Path(app.env.doc2path(page))
            if path.suffix == ".ipynb":
                # dated alike, so that the same notebooks give the same file
                archive.writestr(zipfile.ZipInfo(f"gradients-by-hand/{page}.ipynb"), path.read_bytes(), zipfile.ZIP_DEFLATED)


def link(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    if page == app.config.root_doc and app.builder.name == "html":
        context["body"] = context["body"] + LINK


def setup(app: Sphinx) -> None:
    app.connect("build-finished", pack)
    app.connect("html-page-context", link)
