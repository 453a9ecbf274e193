"""The site in a real browser: pages that axe has nothing against, the picture that steps, and a notebook in JupyterLab."""

import contextlib
import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from handgrad import graph

ROOT = Path(__file__).parents[1]
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
PAGES = ("chapters/welcome", "chapters/01_graph", "exercises/03_relu", "solutions/06_linear", "search", "404")


def faults(page: Page) -> list[dict]:
    """What axe finds; it is not to fetch style sheets once more, at addresses of its own."""
    return Axe().run(page, options={"preload": False}).response["violations"]


@pytest.mark.parametrize(("scheme", "size"), [("light", DESKTOP), ("dark", PHONE)])
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_and_nothing_is_too_wide(page: Page, site: str, path: str, scheme: str, size: dict):
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}/{path}.html")
    page.wait_for_load_state("networkidle")
    found = faults(page)
    assert found == [], [(fault["id"], node["html"][:200]) for fault in found for node in fault["nodes"]]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


@pytest.mark.parametrize("path", [f"chapters/{name}" for name in ("01_graph", "03_relu", "06_linear", "08_training", "14_audit")])
def test_a_first_visit_is_light(page: Page, site: str, path: str):
    responses: list = []
    page.on("response", lambda response: responses.append(response))
    page.goto(f"{site}/{path}.html")
    page.wait_for_load_state("networkidle")
    sizes = {one.url: len(one.body() if one.url.endswith((".woff2", ".png")) else gzip.compress(one.body())) for one in responses}
    assert sum(sizes.values()) < 250_000, sorted(sizes.items(), key=lambda item: -item[1])[:5]


def test_the_search_finds_a_word(page: Page, site: str):
    page.goto(f"{site}/search.html?q=AccumulateGrad")
    expect(page.locator("#search-results li").first).to_contain_text("AccumulateGrad")


def three_operations(x, w):
    a = x * w
    b = a + x
    return a * b


def test_the_picture_steps_by_mouse_to_torchs_numbers(page: Page, site: str):
    page.goto(f"{site}/chapters/01_graph.html")
    picture = page.locator(".handgrad-graph").nth(1)
    while picture.get_by_label("Next step").is_enabled():
        picture.get_by_label("Next step").click()
    expect(picture.locator(".hg-count")).to_have_text("backward · 10 / 10")
    x, w = (torch.tensor(number, requires_grad=True) for number in (3.0, 2.0))
    from_x, from_w = torch.autograd.grad(three_operations(x, w), (x, w))
    expect(picture.locator(".hg-text")).to_have_text(f"w gets {from_w:g}. AccumulateGrad adds it to w.grad.")
    picture.get_by_label("One step back").click()
    expect(picture.locator(".hg-text")).to_contain_text(f"add up to {from_x:g}.")
    assert sorted(picture.locator(".e .v").all_text_contents(), key=float) == ["6", "6", "6", "9", "30", "45"]
    picture.get_by_label("Overview").click()
    expect(picture.locator(".hg-count")).to_have_text("overview · 10 steps")


def test_the_picture_steps_by_keyboard_and_slider(page: Page, site: str):
    page.goto(f"{site}/chapters/03_relu.html")
    picture = page.locator(".handgrad-graph").first
    picture.locator(".hg-scroll").focus()
    for key, count in (("ArrowRight", "forward · 1 / 8"), ("End", "backward · 8 / 8"), ("ArrowLeft", "backward · 7 / 8")):
        page.keyboard.press(key)
        expect(picture.locator(".hg-count")).to_have_text(count)
    expect(picture.locator(".hg-text")).to_contain_text("MyReLU sends [0, 10, -100] to x.")
    assert picture.locator(".hg-text").get_attribute("role") == "status", "a screen reader is not told"
    page.keyboard.press("Home")
    expect(picture.locator(".hg-count")).to_have_text("overview · 8 steps")
    picture.get_by_label("Step", exact=True).fill("2")
    expect(picture.locator(".hg-text")).to_contain_text("MyReLU runs on x and gives h = [0, 1, 2].")


def test_the_picture_on_a_phone_shows_the_box_whose_turn_it_is(page: Page, site: str):
    page.set_viewport_size(PHONE)
    page.goto(f"{site}/chapters/08_training.html")
    picture = page.locator(".handgrad-graph").first
    while picture.get_by_label("Next step").is_enabled():
        picture.get_by_label("Next step").click()
        box, frame = (picture.locator(place).bounding_box() for place in (".hg-now rect", ".hg-scroll"))
        assert frame["x"] - 1 <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1


def test_the_picture_in_print_is_whole(page: Page, site: str):
    page.goto(f"{site}/chapters/01_graph.html")
    page.emulate_media(media="print")
    picture = page.locator(".handgrad-graph").nth(1)
    expect(picture.locator("svg").last).to_be_visible()
    expect(picture.locator(".hg-bar")).to_be_hidden()
    assert "45" in picture.locator(".e .v").all_text_contents(), "the gradients are not printed"


def test_the_picture_as_a_file(page: Page, tmp_path: Path):
    x = torch.tensor(0.5, requires_grad=True)

    def recurrent(x):
        h = x
        for _ in range(10):
            h = torch.tanh(1.5 * h + x)
        return h

    graph.trace(recurrent, x=x).save(tmp_path / "graph.html")
    page.goto((tmp_path / "graph.html").as_uri())
    page.get_by_label("Last step").click()
    (gradient,) = torch.autograd.grad(recurrent(x), x)
    expect(page.locator(".hg-text")).to_contain_text(f"add up to {gradient:.4g}.")
    assert faults(page) == []


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[tuple[str, Path]]:
    """JupyterLab with a chapter that nobody has trusted: its address, and its folder."""
    folder = tmp_path_factory.mktemp("lab")
    shutil.copy(ROOT / "chapters/01_graph.ipynb", folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "JUPYTER_DATA_DIR": str(folder / ".data"), "JUPYTER_CONFIG_DIR": str(folder / ".config")}
    environment |= {"HANDGRAD_DEVICE": "cpu", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    command += ["--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", "--LabApp.extension_manager=readonly"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
    try:
        for _ in range(240):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/api"):
                break
            time.sleep(0.25)
        yield f"http://127.0.0.1:{port}/lab/tree", folder
    finally:
        server.terminate()
        server.wait(20)


def test_the_picture_in_jupyterlab_untrusted_then_run(page: Page, lab):
    address, _ = lab
    page.set_viewport_size({"width": 1300, "height": 1000})
    page.goto(f"{address}/01_graph.ipynb")
    picture = page.locator(".handgrad-graph").first
    picture.wait_for(timeout=60_000)
    picture.scroll_into_view_if_needed()
    # untrusted: scripts and styles are taken out; the image and the words are there
    expect(picture.locator("img")).to_be_visible()
    expect(picture.locator("summary")).to_have_text("The steps in words")
    assert picture.locator(".hg-bar").count() == 0
    page.get_by_role("menuitem", name="Run", exact=True).first.click()
    page.get_by_text(re.compile("^Run All Cells$")).click()
    stepping = page.locator(".handgrad-graph[data-ready]").first
    stepping.wait_for(timeout=120_000)
    stepping.get_by_label("Next step").click()
    expect(stepping.locator(".hg-text")).to_have_text("Leaf x = 3.")
