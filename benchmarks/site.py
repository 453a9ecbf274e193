"""Pages of our book beside the same pages as plain Jupyter Book makes them: bytes, requests, other hosts, first paint.

Install Chromium (Debian: `apt install chromium`), then run `python benchmarks/site.py`; it takes about four minutes. Both books
are built in a temporary folder, from this folder: ours as `make book` does, the other with Jupyter Book's own configuration.

*KiB*: all that a first visit transfers, compressed by gzip (fonts and pictures as they are). *Other hosts*: requests
to them, which are refused, so that a page that needs them is seen as it is without a network. *First paint*: milliseconds until
the browser shows something, the median of `--rounds` visits with an empty cache, the two books in turn; the last column is its
ratio. Times depend on the machine, so read the ratios.
"""

import argparse
import gzip
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import yaml
from playwright.sync_api import Browser, Response, Route, sync_playwright

ROOT = Path(__file__).parents[1]
PAGES = ("chapters/welcome", "chapters/01_graph", "chapters/03_relu", "chapters/08_training", "exercises/03_relu")
STORED_AS_THEY_ARE = (".woff2", ".woff", ".png", ".jpg")
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"


@dataclass(frozen=True)
class Visit:
    """A first visit to a page: bytes and requests from the page's own host, requests to others, milliseconds to first paint."""

    bytes: int
    requests: int
    others: int
    paint: float


def build(folder: Path, config: dict | None) -> Path:
    """Build the book into `folder`, with a configuration of its own or, for None, with ours."""
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(ROOT), "--all"]
    command += ["--path-output", str(folder)]
    if config is not None:
        folder.mkdir()
        path = folder / "_config.yml"
        path.write_text(yaml.safe_dump(config), encoding="utf-8", newline="\n")
        command += ["--config", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if run.returncode:
        sys.exit(f"jupyter-book failed:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return folder / "_build" / "html"


def plain() -> dict:
    """What Jupyter Book needs to build the same pages, and nothing more."""
    ours = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    return {key: ours[key] for key in ("title", "only_build_toc_files", "exclude_patterns", "execute", "parse")}


class Quiet(SimpleHTTPRequestHandler):
    """A file server that says nothing."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def visit(browser: Browser, address: str) -> Visit:
    """Open a page with nothing in the cache and no way to other hosts."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    others: list[str] = []
    responses: list[Response] = []

    def refuse(route: Route) -> None:
        others.append(route.request.url)
        route.abort()

    context.route(lambda url: urlsplit(url).hostname != "127.0.0.1", refuse)
    page = context.new_page()
    page.on("response", lambda response: responses.append(response))
    page.goto(address)
    page.wait_for_load_state("networkidle")
    paint = page.evaluate(PAINT)
    bodies = [(one.url, one.body()) for one in responses if one.ok]
    size = sum(len(body if url.endswith(STORED_AS_THEY_ARE) else gzip.compress(body)) for url, body in bodies)
    context.close()
    return Visit(size, len(bodies), len(others), paint)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="visits to each page (7)")
    rounds = parser.parse_args().rounds
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("This needs Chromium (Debian: apt install chromium), and there is none.")
    print(f"{'page':24}{'':14}{'KiB':>6}{'requests':>10}{'other hosts':>13}{'first paint, ms':>17}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        sites = {"handgrad": build(folder / "ours", None), "Jupyter Book": build(folder / "plain", plain())}
        with served(sites["handgrad"]) as ours, served(sites["Jupyter Book"]) as theirs:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            visit(browser, f"{ours}/{PAGES[0]}.html")  # the browser itself warms up
            for name in PAGES:
                visits: dict[str, list[Visit]] = {site: [] for site in sites}
                for _ in range(rounds):
                    for site, address in zip(sites, (ours, theirs), strict=True):
                        visits[site].append(visit(browser, f"{address}/{name}.html"))
                paints = {site: statistics.median(one.paint for one in visits[site]) for site in sites}
                for site in sites:
                    one, ratio = visits[site][-1], paints[site] / paints["Jupyter Book"]
                    figures = f"{one.bytes / 1024:6.0f}{one.requests:10}{one.others:13}{paints[site]:17.0f}{ratio:7.2f}"
                    print(f"{name:24}{site:14}{figures}")
            browser.close()


if __name__ == "__main__":
    main()
