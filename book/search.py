"""An error message that is pasted into the search field finds the heading that holds its fixed words."""

from docutils import nodes
from sphinx.application import Sphinx


def add_script(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    if page == "search":
        app.add_js_file("find_heading.js", loading_method="defer")  # after Sphinx's own, and before it looks at the query


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", add_script)
