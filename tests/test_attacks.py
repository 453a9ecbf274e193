"""Hostile submissions: each earns nothing, leaves the grader and its neighbours whole, and is named where it can be seen.

The answers stand in `tests/attacks/`. They are graded as a class twice: as it is, where most are refused by their text; and
without that reading, so that the box, the watch and the judge are seen to hold without it.
"""

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from handgrad.grading import run_class
from handgrad.grading.box import box_problem
from handgrad.grading.reports import write_reports
from handgrad.grading.results import tasks_of, terms_of
from handgrad.grading.run_class import Options, grade_jobs
from handgrad.grading.settings import Settings
from handgrad.grading.submissions import find_submissions

ROOT = Path(__file__).parents[1]
ATTACKS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests/attacks").glob("*.py"))}
RIGHT = """\
import torch


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * (input > 0)
"""
WRONG = RIGHT.replace("grad_output * (input > 0)", "grad_output")
NEIGHBOURS = ("honest_first", "m_honest", "z_honest_last")

pytestmark = pytest.mark.skipif(box_problem() is not None, reason=f"no box: {box_problem()}")


def answer_cell(source: str) -> dict:
    text = f"# exercise: my_relu\n{source}"
    return {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None, "source": text}


def notebook(*cells: dict, **more: object) -> dict:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}


def hand_in(folder: Path, name: str, content: dict | str) -> None:
    (folder / name).mkdir(parents=True)
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name / "03_relu.ipynb").write_text(text, encoding="utf-8")


def of_other_shapes() -> dict[str, dict | str]:
    """Attacks on the reading of notebooks, by the name of their learner."""
    check = {
        "cell_type": "code",
        "id": "c",
        "metadata": {},
        "execution_count": 1,
        "source": "print('my_relu: done. All 13 probes pass.')",
    }
    output = {"output_type": "stream", "name": "stdout", "text": "my_relu: done. All 13 probes pass.\n"}
    record = {"output_type": "display_data", "metadata": {}, "data": {"application/vnd.handgrad.record+json": {"probes": {}}}}
    empty = answer_cell(WRONG)
    return {
        "shape_check_cell_edited": notebook(empty, {**check, "outputs": []}),
        "shape_outputs_edited": notebook({**empty, "outputs": [output, record]}, {**check, "outputs": [output, record]}),
        "shape_check_cell_in_the_answer": notebook(answer_cell(WRONG + "\n\ncheck('my_relu', MyReLU)\n")),
        "shape_50_megabytes": notebook(empty, {**check, "outputs": [{**output, "text": "x" * (50 << 20)}]}),
        "shape_100_megabytes": json.dumps(notebook(empty)) + " " * (100 << 20),
        "shape_many_cells": notebook(*[{**check, "outputs": [], "id": f"c{k}"} for k in range(20_000)], empty),
        "shape_many_answers": notebook(*[{**empty, "id": f"c{k}"} for k in range(20_000)]),
        "shape_no_json": '{"cells": [',
        "shape_deep_json": "[" * 200_000,
        "shape_of_a_number": "1" * 50_000,
        "shape_duplicate_ids": notebook(*[{**empty, "id": "same"} for _ in range(3)]),
        "shape_cells_of_wrong_types": notebook(1, None, [], {"cell_type": 7, "source": {"a": 1}}, empty),
        "shape_kernel_of_its_own": notebook(
            empty, metadata={"kernelspec": {"name": "evil", "display_name": "x"}, "language_info": 3}
        ),
        "shape_tags_and_markers": notebook(
            {**empty, "metadata": {"tags": ["nbval-skip", "raises-exception"], "handgrad": {"part": "check"}}}
        ),
    }


@pytest.fixture(scope="module")
def submissions(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    for name, source in ATTACKS.items():
        hand_in(folder, f"attack_{name}", notebook(answer_cell(source)))
    for name, content in of_other_shapes().items():
        hand_in(folder, name, content)
    for name in NEIGHBOURS:
        hand_in(folder, name, notebook(answer_cell(f"# {name}\n{RIGHT}")))
    hand_in(folder, "html_<script>alert(1)</script>".replace("/", "_"), notebook(answer_cell(ATTACKS["html_in_an_error"])))
    return folder


def graded(submissions: Path, scratch: Path, read_first: bool) -> dict[str, dict]:
    scratch.mkdir(exist_ok=True)
    found = find_submissions([submissions], scratch)
    jobs = [run_class._job(submission, ROOT) for submission in found]
    settings = replace(Settings(seed=20261130), read_first=read_first, cell_timeout=4.0)
    return {result["submission"]: result for result in grade_jobs(jobs, settings, Options())}


@pytest.fixture(scope="module")
def results(submissions, tmp_path_factory) -> dict[str, dict]:
    return graded(submissions, tmp_path_factory.mktemp("scratch"), read_first=True)


@pytest.fixture(scope="module")
def unread(submissions, tmp_path_factory) -> dict[str, dict]:
    return graded(submissions, tmp_path_factory.mktemp("scratch"), read_first=False)


def row(result: dict) -> dict:
    (found,) = [row for row in result["rows"] if row["exercise"] == "my_relu"]
    return found


def test_there_are_forty_and_more():
    assert len(ATTACKS) + len(of_other_shapes()) >= 55


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_earns_nothing_and_is_named(results, name):
    result = results[f"attack_{name}"]
    expected = ATTACKS[name].split("# outcome: ", 1)[1].split("\n", 1)[0].split(", ")
    assert result["status"] == "graded", result["message"]
    assert row(result)["points"] == 0
    assert row(result)["outcome"] in expected, row(result)
    assert row(result)["outcome"] not in ("refused", "tampered") or row(result)["flags"]


@pytest.mark.parametrize("name", ATTACKS)
def test_it_earns_nothing_where_its_text_is_not_read_either(unread, name):
    result = unread[f"attack_{name}"]
    assert result["status"] == "graded", result["message"]
    assert row(result)["points"] == 0, row(result)


@pytest.mark.parametrize("name", of_other_shapes())
def test_a_notebook_of_another_shape_earns_nothing(results, name):
    result = results[name]
    assert result["status"] in ("graded", "unreadable"), result
    assert all(row["points"] == 0 for row in result["rows"])


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_the_neighbours_are_graded_as_if_nothing_were(results, unread, name):
    assert row(results[name])["outcome"] == row(unread[name])["outcome"] == "done"


def test_nothing_outlives_the_grading(results, unread):
    own = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True)]
    assert [line for line in own if "handgrad" in line] == []
    everybody = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert [line for line in everybody if any("handgrad-attack" in word for word in line)] == []


def test_pages_hold_nothing_that_runs(results, tmp_path):
    header = terms_of(ROOT, 0, {}) | tasks_of(ROOT)
    write_reports(header, list(results.values()), tmp_path)
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8").lower()
        assert "<script" not in text
        assert "onerror=alert" not in text.replace("&lt;img src=x onerror=alert", "")
    assert "'=HYPERLINK" in (tmp_path / "grades_long.csv").read_text(encoding="utf-8") or "=HYPERLINK" not in (
        tmp_path / "grades_long.csv"
    ).read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux" or shutil.which("bwrap") is None, reason="the box is bubblewrap")
def test_two_runs_with_one_seed_give_the_same_lines(submissions, results, tmp_path):
    few = tmp_path / "few"
    few.mkdir()
    for name in ("attack_prints_the_success_line", "attack_html_in_an_error", *NEIGHBOURS):
        shutil.copytree(submissions / name, few / name)
    again = graded(few, tmp_path / "scratch", read_first=True)
    assert {name: result for name, result in results.items() if name in again} == again
