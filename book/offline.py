"""The site stands alone and is light: what it does not need is taken out when the build ends."""

import html
import re
from pathlib import Path

from fontTools import subset
from PIL import Image
from sphinx.application import Sphinx

_SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js"></script>')
_CODE = re.compile(r"([^{}]+)\{[^{}]*content:\s*['\"]\\([0-9a-f]+)['\"]")  # a rule that draws one character


def lighten(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    # The theme's CSS and web fonts draw every icon that is shown. The script would draw them once more, for 1.5 MB a page.
    for script in static.rglob("fontawesome.js"):
        script.write_text("", encoding="utf-8")
    for source_map in static.rglob("*.map"):
        source_map.unlink()
    for page in site.rglob("*.html"):
        if page.name != "search.html":  # the other pages do not search as one types
            page.write_text(_SEARCH.sub("", page.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    for picture in (site / "_images").glob("*.png"):
        Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)
    keep_icons(site)
    if app.config.katex_prerender:  # else the browser draws the formulas, with letters that stand on no page yet
        keep_letters(site)


def keep_icons(site: Path) -> None:
    """Keep the icons that are shown, in fonts that have thousands: 270 kB of each first visit.

    Those are the ones whose names a page or a script has, and those that the theme's own rules draw.
    """
    shown = [path for path in site.rglob("*") if path.suffix in (".html", ".js")]
    names = {name for path in shown for name in re.findall(r"\bfa-[a-z0-9-]+", path.read_text(encoding="utf-8"))}
    wanted = set()
    for style in (site / "_static").rglob("*.css"):
        for selectors, code in _CODE.findall(style.read_text(encoding="utf-8")):
            icons = re.findall(r"\.(fa-[a-z0-9-]+):{1,2}before", selectors)
            if not icons or names.intersection(icons):
                wanted.add(int(code, 16))
    for font in (site / "_static").rglob("fa-*.woff2"):
        reduce(font, wanted)


def keep_letters(site: Path) -> None:
    """Of the fonts for formulas, keep the letters and signs that stand on some page."""
    letters = {letter for page in site.rglob("*.html") for letter in html.unescape(page.read_text(encoding="utf-8"))}
    for font in (site / "_static" / "katex").rglob("*.woff2"):
        reduce(font, set(map(ord, letters)))


def reduce(font: Path, characters: set[int]) -> None:
    options = subset.Options(flavor="woff2")
    loaded = subset.load_font(str(font), options)
    kept = subset.Subsetter(options)
    kept.populate(unicodes=characters)
    kept.subset(loaded)
    subset.save_font(loaded, str(font), options)


def lazily(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Pictures further down are fetched when the reader comes near."""
    if app.builder.name == "html" and "body" in context:
        context["body"] = context["body"].replace("<img ", '<img loading="lazy" ')


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", lazily)
    app.connect("build-finished", lighten)
