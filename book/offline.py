"""The site stands alone and is light: what it does not need is taken out when the build ends."""

from pathlib import Path

from sphinx.application import Sphinx


def lighten(app: Sphinx, failure: Exception | None) -> None:
    if failure or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    # The theme's CSS and web fonts draw every icon that is shown. The script would draw them once more, for 1.5 MB a page.
    for script in static.rglob("fontawesome.js"):
        script.write_text("", encoding="utf-8")
    for source_map in static.rglob("*.map"):
        source_map.unlink()


def setup(app: Sphinx) -> None:
    app.connect("build-finished", lighten)
