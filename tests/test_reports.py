"""Reports of a graded class: what they say, and that nothing a learner wrote can do more than be read."""

import csv
import itertools
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from handgrad.grading import reports
from handgrad.grading.reports import best_rows, maths, show_class, write_reports
from handgrad.grading.reports.pages import course_words

HEADER = {
    "handgrad": "0.1",
    "torch": "2.13.0",
    "seed": 1,
    "settings": {},
    "exercises": {"03_relu": {"my_relu": 10, "leaky_relu": 5}, "06_linear": {"linear": 10}, "07_module": {"prelu": 10}},
    "hints": {"my_relu": ["Which `inputs`?", "The slope is 0 or 1.", "grad_output * (input > 0)"]},
    "tasks": {
        "my_relu": "Write ReLU, see [the chapter](https://example.org/x).\n\n![p](https://example.org/p.png) $x^2$ <b>b</b>"
    },
}
TEXT = """\
my_relu: 6 of 9 probes pass
  upstream untouched — relu(h) + h at h = [-1., 2.]
    expected [1., 2.]   got [0., 2.]
    backward wrote into grad_output. Work on a copy.   More: hint("my_relu", 1)
  also failing, perhaps for the same reason: shapes"""
HOSTILE = (
    "<script>alert(1)</script> <img src=https://evil.example/x onerror=alert(1)> "
    "]]> \x00\x08\x1b[31mred\x1b[0m \ud800 \uffff {{ 7 * 7 }} é"
)
NAMES = ["../../x", "..", "<script>alert(1)</script>", "n" * 5_000, "Ada", "ada", "ADA", "李 明", "王 芳", ""]
NAMES += ["con", "a\nb\x1b[2J", "=1+1", "\ud800"]
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLES = (Path(reports.__file__).with_name("templates") / "page.css").read_text(encoding="utf-8")


def row(exercise: str, outcome: str = "done", points: float = 0, of: float = 10, **more: object) -> dict:
    return {"exercise": exercise, "outcome": outcome, "points": points, "of": of, "probe": "", "text": "", "flags": [], **more}


def result(submission: str, *rows: dict, notebook: str = "03_relu", **more: object) -> dict:
    base = {"submission": submission, "file": f"{submission}/{notebook}.ipynb", "notebook": notebook, "status": "graded"}
    return {**base, "message": "", "notes": [], "rows": list(rows), "receipt": {}, **more}


def small_class() -> list[dict]:
    mistake = row("my_relu", "not yet", probe="upstream untouched", text=TEXT)
    refused = row("leaky_relu", "refused", of=5, text="not run", flags=["line 3 uses sys.modules"])
    raised = row("leaky_relu", "raised", of=5, probe="the answer cell: NameError", text="leaky_relu: it raised\nT")
    return [
        result("ada", row("my_relu", points=10), row("leaky_relu", points=5, of=5)),
        result("bob", mistake, refused, notes=["2 cells"]),
        result("cyd", mistake, raised),
        result("cyd", row("linear", "timed out", text="linear: stopped after 60 seconds."), notebook="06_linear"),
        result("dan", status="unreadable", message="not JSON", notebook=""),
    ]


def hostile_class() -> list[dict]:
    outcomes, statuses = itertools.cycle(["not yet", "raised", "tampered", "what?"]), itertools.cycle(["graded", "unreadable"])
    anywhere = {"message": HOSTILE, "notes": [HOSTILE] * 100}
    return [
        result(
            name,
            row("my_relu", next(outcomes), probe=HOSTILE, text=HOSTILE, flags=[HOSTILE]),
            file=f"{name}/{HOSTILE}.ipynb",
            status=next(statuses),
            **anywhere,
        )
        for name in NAMES
    ]


class Page(HTMLParser):
    """What a test asks of a page."""

    VOID = frozenset(["meta", "br"])

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.open: list[str] = []
        self.text = ""
        self.headings: list[int] = []
        self.feed(path.read_text(encoding="utf-8"))
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.tags.append((tag, dict(attrs)))
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data

    def all(self, tag: str) -> list[dict]:
        return [attrs for name, attrs in self.tags if name == tag]


def pages(out: Path) -> list[Page]:
    return [Page(path) for path in sorted(out.rglob("*.html"))]


def learner(out: Path, name: str) -> Page:
    (path,) = (out / "learners").glob(f"{name}-*.html")
    return Page(path)


def sheet(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    write_reports(HEADER, small_class(), tmp_path)
    return tmp_path


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    write_reports(HEADER, hostile_class(), tmp_path)
    return tmp_path


def snapshot(out: Path) -> dict[str, bytes]:
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


# which row counts


def test_of_several_files_the_one_with_most_points_counts_then_the_outcome_nearer_to_done_then_the_first_name():
    files = [
        result("ada", row("my_relu", "not started"), row("leaky_relu", "raised"), file="a"),
        result("ada", row("my_relu", points=10), row("leaky_relu", "not yet"), file="b"),
        result("ada", row("my_relu", "tampered"), row("leaky_relu", "not yet"), file="c"),
    ]
    for order in itertools.permutations(files):
        best = best_rows(list(order))["ada"]
        assert best["my_relu"][0]["points"] == 10 and best["my_relu"][1]["file"] == "b" and best["my_relu"][2] == ["a", "c"]
        assert best["leaky_relu"][0]["outcome"] == "not yet" and best["leaky_relu"][1]["file"] == "b"


def test_the_page_says_which_of_several_files_counts(tmp_path: Path):
    again = result("ada", row("my_relu", "not yet"), file="ada/again.ipynb")
    write_reports(HEADER, [*small_class(), again], tmp_path)
    text = learner(tmp_path, "ada").text
    assert (
        "the one with the most points counts" in text and "Here it is ada/03_relu.ipynb; ada/again.ipynb does not count" in text
    )
    assert "most points" not in learner(tmp_path, "bob").text.replace("Of several", "")


def test_an_exercise_that_the_header_lacks_stands_with_its_notebook(tmp_path: Path):
    results = [result("ada", row("my_relu"), row("extra", points=3, of=4)), result("ada", row("own", of=1), notebook="mine")]
    write_reports(HEADER, [*results, *small_class()], tmp_path)
    assert sheet(tmp_path / "grades.csv")[0][1:-3] == ["my_relu", "leaky_relu", "extra", "linear", "own"]
    assert sheet(tmp_path / "grades.csv")[1] == ["ada", "10", "5", "3", "", "0", "18", "30", "60"]


# pages


def test_the_class_page_says_scores_difficulty_mistakes_and_what_needs_a_look(out: Path):
    page = Page(out / "index.html")
    words = " ".join(page.text.split())
    assert "learners4 files5 mean, of 253.75 median0 with all done0" in words
    assert "backward wrote into grad_output. Work on a copy." in words and "More: hint" not in words
    assert "line 3 uses sys.modules" in words and "refused" in words
    assert "not JSON" in words and "unreadable" in words
    assert "1 of 3" in words and "3.33 of 10" in words  # my_relu
    assert "prelu" not in words  # nobody handed in its notebook
    links = [attrs["href"] for attrs in page.all("a") if attrs["href"].startswith("learners/")]
    assert len(set(links)) == 4 and all((out / link).is_file() for link in links)
    assert (
        ElementTree.fromstring(re.search(r"<svg.*?</svg>", (out / "index.html").read_text(encoding="utf-8"), re.DOTALL)[0])
        is not None
    )


def test_a_mistake_is_counted_once_a_learner_and_the_commonest_stands_first(out: Path):
    text = (out / "index.html").read_text(encoding="utf-8")
    table = text[text.index('id="mistakes"') : text.index('id="difficulty"')]
    assert re.findall(r'class="n big">(\d+)<', table) == ["2", "1", "1"]


def test_an_outcome_is_told_by_colour_and_mark_and_word(out: Path):
    text = (out / "index.html").read_text(encoding="utf-8")
    assert re.search(
        r'<td class="good" title="my_relu: done"><i aria-hidden="true">✓</i> 10<span class="vh"> done</span></td>', text
    )
    cells = re.findall(r'<i aria-hidden="true">(.)</i>(?: [\d.]+)?<span class="vh"> ([a-z ]+)</span>', text)
    assert len(set(cells)) == len({mark for mark, _ in cells}) == len({word for _, word in cells}) > 4


def test_a_learners_page_has_task_outcome_text_and_folded_hints_and_nothing_for_the_teacher(out: Path):
    page = learner(out, "bob")
    assert "Write ReLU, see the chapter." in page.text and "Not yet" in page.text and "upstream untouched" in page.text
    assert "got [0., 2.]" in page.text and "Which inputs?" in page.text and "2 cells" in page.text
    assert len(page.all("details")) == 4 and all(
        "open" not in attrs for attrs in page.all("details")
    )  # the task's rest, three hints
    assert len(page.all("math")) == 1
    assert "Not handed in" in page.text
    assert "sys.modules" not in page.text  # a flag
    assert not any(other in page.text for other in ("ada", "cyd", "dan"))
    assert "The slope is 0 or 1" not in learner(out, "ada").text  # done: no hints


def test_formulas_are_drawn_where_they_can_be(monkeypatch):
    good, bad = ("x^2", False), (r"\frac{", True)
    assert list(maths.mathml([good, bad, good])) == [good]
    assert "<math" in maths.mathml([good])[good] and "<script" not in maths.mathml([good])[good]
    monkeypatch.setattr(maths, "_node", lambda: None)
    assert maths.mathml([good]) == {}
    words = course_words({"tasks": {"a": "One <b>\n\n$a<b$"}, "hints": {"a": ["two"]}})
    assert words["two"] == "<p>two</p>\n" and "<b>" not in "".join(words.values()) and "a&lt;b" in words["$a<b$"]


def test_a_learner_whose_file_could_not_be_read_is_told_so(out: Path):
    assert "not graded: unreadable" in learner(out, "dan").text and "not JSON" in learner(out, "dan").text
    write_reports(HEADER, [result("eve", status="could not be graded", message="the box is broken")], out)
    assert "not graded: could not be graded" in learner(out, "eve").text and "the box" not in learner(out, "eve").text


@pytest.mark.parametrize("results", [small_class, hostile_class, list])
def test_pages_run_nothing_load_nothing_and_are_built_for_every_reader(tmp_path: Path, results):
    write_reports(HEADER, results(), tmp_path)
    for page in pages(tmp_path):
        names = {tag for tag, _ in page.tags}
        assert not names & {"script", "img", "iframe", "link", "object", "embed", "form", "base"}
        policies = [attrs for attrs in page.all("meta") if attrs.get("http-equiv") == "Content-Security-Policy"]
        assert len(policies) == 1 and policies[0]["content"].startswith(
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        )
        assert page.all("html")[0]["lang"] == "en"
        for _, attrs in page.tags:
            assert not any(name.startswith("on") for name in attrs)
            assert not re.search(r"https?:|javascript:|data:|//", attrs.get("href", "") + attrs.get("src", ""))
        assert page.headings[0] == 1 and page.headings.count(1) == 1
        assert all(after - before <= 1 for before, after in itertools.pairwise(page.headings))
        assert all("scope" in attrs for attrs in page.all("th"))
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        assert len(ids) == len(set(ids))
        named = [attrs["aria-labelledby"] for _, attrs in page.tags if "aria-labelledby" in attrs]
        jumps = [attrs["href"][1:] for attrs in page.all("a") if attrs["href"].startswith("#")]
        assert {*named, *jumps} <= set(ids)
    assert "url(" not in STYLES and "@import" not in STYLES


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1, 2], ids=["light", "dark", "print"])
def test_text_has_contrast(theme: int):
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", re.findall(r":root \{(.*?)\}", STYLES, re.DOTALL)[theme]))
    pairs = [(ink, paper) for ink in ("ink", "quiet", "link") for paper in ("page", "paper", "code")]
    pairs += [(kind, f"{kind}-paper") for kind in ("good", "partly", "bad", "blocked", "empty")]
    for ink, paper in pairs:
        low, high = sorted(_luminance(colours[name]) for name in (ink, paper))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (ink, paper)


# hostile names and texts


def test_names_make_safe_unique_stable_file_names(hostile: Path):
    stems = [path.stem for path in (hostile / "learners").iterdir()]
    assert len(stems) == len({stem.casefold() for stem in stems}) == len(NAMES)
    assert all(re.fullmatch(r"[a-z0-9-]{16,60}", stem) for stem in stems)
    assert {path.relative_to(hostile).parts[0] for path in hostile.rglob("*")} <= {
        *("index.html", "learners", "gradescope", "junit.xml", ".written.json"),
        *("grades.csv", "grades_long.csv", "moodle.csv", "canvas.csv"),
    }
    write_reports(HEADER, hostile_class()[:3], hostile)
    assert {path.stem for path in (hostile / "learners").iterdir()} < set(stems)


def test_hostile_text_is_shown_and_does_nothing(hostile: Path):
    for name, content in snapshot(hostile).items():
        text = content.decode("utf-8")
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", text), name
    page = learner(hostile, "script-alert-1-script")
    assert (
        "<script>alert(1)</script>" in page.text
        and "]]>" in page.text
        and "{{ 7 * 7 }}" in page.text
        and " red é" in page.text.replace("{{ 7 * 7 }} ", "").replace("  ", " ")
    )


def test_a_megabyte_is_capped_and_says_so(tmp_path: Path):
    text = "my_relu: raised\n" + "x" * 1_000_000
    write_reports(HEADER, [result("ada", row("my_relu", "raised", text=text), notes=["n" * 10_000] * 10_000)], tmp_path)
    assert all(len(content) < 250_000 for content in snapshot(tmp_path).values())
    assert "980,016 more characters are left out here" in learner(tmp_path, "ada").text
    assert "9,960 more" in learner(tmp_path, "ada").text


# sheets


def test_the_wide_sheet(out: Path):
    head, *lines = sheet(out / "grades.csv")
    assert head == ["learner", "my_relu", "leaky_relu", "linear", "total", "of", "percent"]
    assert lines == [
        ["ada", "10", "5", "", "15", "25", "60"],
        ["bob", "0", "0", "", "0", "25", "0"],
        ["cyd", "0", "0", "0", "0", "25", "0"],
        ["dan", "", "", "", "0", "25", "0"],
    ]


def test_the_long_sheet_has_a_line_a_learner_and_exercise(out: Path):
    head, *lines = sheet(out / "grades_long.csv")
    assert head == ["learner", "notebook", "exercise", "outcome", "points", "of", "probe", "flags"]
    assert len(lines) == 4 * 3
    assert ["bob", "03_relu", "leaky_relu", "refused", "0", "5", "", "line 3 uses sys.modules"] in lines
    assert ["dan", "06_linear", "linear", "not handed in", "0", "10", "", ""] in lines


def test_moodle_and_canvas_find_the_learners_that_their_names_tell(tmp_path: Path):
    results = [
        result("Ada Lovelace_12345_assignsubmission_file_", row("my_relu", points=10)),
        result("Eve", row("my_relu"), file="m.zip!/Eve_9_assignsubmission_file/Ada Lovelace_12345_assignsubmission_file_.ipynb"),
        result("Two", row("my_relu"), file="a/Two_1_assignsubmission_file_/03_relu.ipynb"),
        result("Two", row("leaky_relu"), file="b/Two_2_assignsubmission_file_/03_relu.ipynb"),
        result("lovelaceada", row("my_relu", "not yet", points=2.5), file="submissions/lovelaceada_LATE_777_888_03_relu.ipynb"),
        result("bob", status="unreadable", message="not JSON", notebook=""),
    ]
    write_reports(HEADER, results, tmp_path)
    head, *lines = sheet(tmp_path / "moodle.csv")
    assert head == ["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "my_relu", "leaky_relu"]
    assert ["Participant 12345", "Ada Lovelace", "10", "15", "", "10", ""] in lines
    assert ["Participant 9", "Eve", "0", "15", "", "0", ""] in lines and ["", "Two", "0", "15", "", "0", "0"] in lines
    assert ["", "bob", "", "15", "", "", ""] in lines  # no grade: nothing was graded
    head, possible, *lines = sheet(tmp_path / "canvas.csv")
    assert head == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "my_relu", "leaky_relu"]
    assert possible == ["Points Possible", "", "", "", "", "10", "5"]
    assert ["lovelaceada", "777", "", "", "", "2.5", ""] in lines and ["bob", "", "", "", "", "", ""] in lines


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "＝"])
def test_no_cell_of_a_sheet_is_a_formula(tmp_path: Path, start: str):
    name = f'{start}1+1,"x'
    write_reports(HEADER, [result(name, row("my_relu", "raised", probe=name, flags=[name]))], tmp_path)
    for path in tmp_path.glob("*.csv"):
        cells = [cell for line in sheet(path) for cell in line]
        assert not any(cell.startswith(tuple("=+-@\t\r\n＝")) for cell in cells)
        assert any(cell.startswith("'") and "1+1" in cell for cell in cells)


# other programs


def test_junit_is_xml_whatever_the_text_and_counts(hostile: Path):
    root = ElementTree.parse(hostile / "junit.xml").getroot()
    assert len(root.findall("testsuite")) == len(NAMES)
    assert any("]]>" in (failure.text or "") for failure in root.iter("failure"))
    assert root.get("tests") == str(len(list(root.iter("testcase"))))


def test_junit_outcomes(out: Path):
    root = ElementTree.parse(out / "junit.xml").getroot()
    found = {(suite.get("name"), case.get("name")): [child.tag for child in case] for suite in root for case in suite}
    assert found["ada", "my_relu"] == [] and found["bob", "my_relu"] == ["failure"] and found["bob", "leaky_relu"] == ["failure"]
    assert (
        found["cyd", "leaky_relu"] == ["error"] and found["cyd", "linear"] == ["error"] and found["ada", "linear"] == ["skipped"]
    )
    assert found["dan", "dan/.ipynb"] == ["error"]
    (failure,) = root.findall(".//testsuite[@name='bob']/testcase[@name='my_relu']/failure")
    assert failure.get("message") == "not yet: backward wrote into grad_output. Work on a copy." and failure.text == TEXT
    assert (root.get("failures"), root.get("errors"), root.get("skipped")) == ("3", "3", "5")


def test_gradescope_has_a_test_an_exercise_and_no_flag(out: Path):
    (path,) = (out / "gradescope").glob("bob-*.json")
    results = json.loads(path.read_text(encoding="utf-8"))
    assert results["score"] == 0 and [test["name"] for test in results["tests"]] == ["my_relu", "leaky_relu", "linear"]
    test = results["tests"][0]
    assert (test["score"], test["max_score"], test["status"], test["visibility"]) == (0, 10, "failed", "visible")
    assert test["output"] == TEXT and "sys.modules" not in path.read_text(encoding="utf-8")
    (path,) = (out / "gradescope").glob("ada-*.json")
    assert [test["status"] for test in json.loads(path.read_text(encoding="utf-8"))["tests"]] == ["passed", "passed", "failed"]


# files


def test_a_rerun_gives_the_same_bytes_in_whatever_order_the_results_came(out: Path):
    before = snapshot(out)
    write_reports(HEADER, small_class()[::-1], out)
    assert snapshot(out) == before and not any(name.endswith(".part") for name in before)


def test_pages_of_learners_who_are_gone_are_removed_and_no_other_file(out: Path):
    own = out / "learners" / "notes-of-the-teacher.html"
    own.write_text("mine", encoding="utf-8")
    (out / "results.jsonl").write_text("{}", encoding="utf-8")
    outside = out.parent / "outside.html"
    outside.write_text("mine", encoding="utf-8")
    listed = json.loads((out / ".written.json").read_text(encoding="utf-8"))
    forged = [*listed, "../outside.html", "results.jsonl", "learners/../../outside.html", 7]
    (out / ".written.json").write_text(json.dumps(forged), encoding="utf-8")
    write_reports(HEADER, small_class()[:1], out)
    assert {path.name.split("-")[0] for path in (out / "learners").iterdir()} == {"ada", "notes"}
    assert len(list((out / "gradescope").iterdir())) == 1
    assert own.is_file() and outside.is_file() and (out / "results.jsonl").is_file()


def test_a_file_is_whole_or_not_there_at_all(out: Path, monkeypatch: pytest.MonkeyPatch):
    before = snapshot(out)
    monkeypatch.setattr("handgrad.grading.reports.files.os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_reports(HEADER, small_class()[:1], out)
    assert {name: content for name, content in snapshot(out).items() if not name.endswith(".part")} == before


def test_a_class_of_nobody_has_its_pages(tmp_path: Path):
    write_reports(HEADER, [], tmp_path)
    assert "nothing that was tried failed" in Page(tmp_path / "index.html").text


# the terminal


def shown(results: list[dict], width: int = 100) -> list[str]:
    console = Console(width=width, record=True, file=open("/dev/null", "w", encoding="utf-8"))  # noqa: SIM115
    show_class(console, HEADER, results)
    return console.export_text().splitlines()


def test_the_terminal_shows_points_what_is_open_and_the_commonest_mistakes():
    text = "\n".join(shown(small_class()))
    assert re.search(r"ada +15 +25 +2/3 +1 not handed in", text)
    assert re.search(r"bob +0 +25 +0/3 +1 not yet, 1 refused, 1 not handed in", text)
    assert re.search(r"mean of 4 +3.75 +25 +2/12", text)
    assert "2 × my_relu, upstream untouched: backward wrote into grad_output. Work on a copy." in text


@pytest.mark.parametrize("width", [60, 200])
def test_the_terminal_stays_short_and_takes_no_markup_from_names(width: int):
    results = [
        result(f"[red]n{place:03}[/red]\n\x1b[2J", row("my_relu", "raised", text=f"my_relu: e{place}")) for place in range(400)
    ]
    lines = shown(results, width)
    assert len(lines) <= 42 and any("… and 370 more; see index.html" in line for line in lines)
    assert any("[red]n000[/red]" in line for line in lines) and not any("\x1b" in line for line in lines)


def test_reports_need_no_torch():
    code = "import sys, handgrad.grading.reports; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
