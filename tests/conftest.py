"""The browser and the site for the tests of pages: Debian's Chromium, the book built once, and no other host within reach."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from playwright.sync_api import Page, Route

ROOT = Path(__file__).parents[1]
_FLAGS = "--no-sandbox --disable-gpu --disable-quic --disable-background-networking --disable-component-update --disable-sync"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests with a browser, and put them last: Playwright keeps an event loop in the process, which kernels cannot stand."""
    for item in items:
        if "page" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
    items.sort(key=lambda item: item.get_closest_marker("browser") is not None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args) -> dict:
    """pytest-playwright's own, with the browser that the system has."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("there is no Chromium (Debian: apt install chromium)")
    return {**browser_type_launch_args, "executable_path": path, "args": _FLAGS.split()}


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """A page that reaches this machine alone; what it asked others for and what it complained about fails the test."""
    wanted: list[str] = []

    def route(route: Route) -> None:
        wanted.append(route.request.url)
        route.abort()

    page.context.route(lambda url: urlsplit(url).hostname not in ("127.0.0.1", "localhost", None), route)
    page.on("pageerror", lambda error: wanted.append(str(error)))
    page.on("response", lambda response: response.status >= 400 and wanted.append(f"{response.status} {response.url}"))
    page.on("console", lambda message: message.type in ("error", "warning") and wanted.append(message.text))
    yield page
    assert wanted == []


@pytest.fixture(scope="session")
def book(tmp_path_factory, worker_id) -> Path:
    """The course's own book, the folder of its pages: the one that `make test` has just built, else one for all workers."""
    if built := os.environ.get("HANDGRAD_SITE"):
        return Path(built).resolve()
    shared = tmp_path_factory.getbasetemp()
    shared = shared if worker_id == "master" else shared.parent
    site = shared / "book" / "_build" / "html"
    with FileLock(shared / "book.lock"):
        if not site.exists():
            command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(ROOT)]
            options = ["--path-output", str(shared / "book"), "--all", "-W", "-n", "--keep-going"]
            run = subprocess.run([*command, *options], capture_output=True, text=True, encoding="utf-8")
            assert run.returncode == 0, run.stdout + run.stderr
    return site


@pytest.fixture(scope="session")
def site(book) -> Iterator[str]:
    """Where the book is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(book))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""
