"""`handgrad grade --out`: a class from a folder to reports; stopped, gone on with, done again, in parts, without a box."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from distributed import LocalCluster

from handgrad.errors import CourseError
from handgrad.grading.box import box_problem
from handgrad.grading.cluster import grade_on
from handgrad.grading.run_class import Options
from handgrad.grading.settings import Settings
from handgrad.grading.workers import Workers

ROOT = Path(__file__).parents[1]
RIGHT = (ROOT / "tests/answers/right/my_relu/f_threshold.py").read_text(encoding="utf-8")
WRONG = "import torch\n\n\nclass MyReLU(torch.autograd.Function):\n    pass\n"

pytestmark = pytest.mark.skipif(box_problem() is not None, reason=f"no box: {box_problem()}")


def hand_in(folder: Path, name: str, source: str) -> None:
    cell = {"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], "execution_count": None}
    cell["source"] = f"# exercise: my_relu\n# {name}\n{source}"
    (folder / name).mkdir(parents=True, exist_ok=True)
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (folder / name / "03_relu.ipynb").write_text(text, encoding="utf-8")


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "handgrad", *map(str, arguments)]


def run(*arguments: object, **more: object) -> subprocess.CompletedProcess:
    env = os.environ | {"COLUMNS": "200"} | more.pop("env", {})
    return subprocess.run(command(*arguments), cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env=env, **more)


def lines(report: Path) -> dict[str, dict]:
    results = [json.loads(line) for line in (report / "results.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    return {result["submission"]: result for result in results}


def outcome(result: dict) -> str:
    return next(row["outcome"] for row in result["rows"] if row["exercise"] == "my_relu")


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("handed_in")
    for name in ("ada", "emmy", "sofia"):
        hand_in(folder, name, RIGHT)
    hand_in(folder, "bernhard", WRONG)
    (folder / "carl").mkdir()
    (folder / "carl/03_relu.ipynb").write_text("not a notebook", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(handed_in, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("out") / "report"
    done = run("grade", handed_in, "--out", out, "--seed", 7)
    assert done.returncode == 0, done.stderr
    assert "ada" in done.stdout
    return out


def test_every_submission_has_a_row_and_every_report_is_written(report):
    results = lines(report)
    assert list(results) == ["ada", "bernhard", "carl", "emmy", "sofia"]
    assert [outcome(results[name]) for name in results] == ["done", "raised", "unreadable", "done", "done"]
    with (report / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["learner"]: row for row in csv.DictReader(file)}
    assert float(rows["ada"]["my_relu"]) == 10
    for name in ("index.html", "grades_long.csv", "moodle.csv", "canvas.csv", "junit.xml"):
        assert (report / name).stat().st_size > 0
    assert len(list((report / "learners").glob("*.html"))) == 5


def test_a_regrade_with_the_seed_gives_the_same_lines_also_in_parts(handed_in, report, tmp_path):
    one, two, joined = (tmp_path / name for name in ("one", "two", "joined"))
    for part, out in ((1, one), (2, two)):
        assert run("grade", handed_in, "--out", out, "--seed", 7, "--jobs", 1, "--shard", f"{part}/2").returncode == 0
    assert 0 < len(lines(one)) < 5
    assert run("report", "merge", one, two, "--out", joined).returncode == 0
    assert (joined / "results.jsonl").read_bytes() == (report / "results.jsonl").read_bytes()
    assert (joined / "grades.csv").read_bytes() == (report / "grades.csv").read_bytes()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_what_ends_a_run_loses_nothing(tmp_path, how):
    folder, out = tmp_path / "in", tmp_path / "out"
    for k in range(4):
        hand_in(folder, f"a{k}", RIGHT)
    hand_in(folder, "z", "import time\n\nwhile True:\n    time.sleep(1)")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background of a shell ignores it
    process = subprocess.Popen(
        command("grade", folder, "--out", out, "--jobs", 1, "--timeout", 4), cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and not (out.exists() and len(_whole(out)) >= 3):
        time.sleep(0.05)
    kept = _whole(out)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert how == signal.SIGKILL or "goes on from here" in said
    if how == signal.SIGKILL:
        with (out / "results.jsonl").open("a", encoding="utf-8") as file:
            file.write('{"submission": "z", "fi')  # as if it had died in the middle of a line
    assert run("grade", folder, "--out", out, "--jobs", 1, "--timeout", 4).returncode == 0
    after = (out / "results.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    assert set(kept) <= set(after)
    assert [outcome(result) for result in lines(out).values()] == ["done"] * 4 + ["timed out"]


def _whole(out: Path) -> list[str]:
    path = out / "results.jsonl"
    return path.read_text(encoding="utf-8").split("\n")[1:-1] if path.exists() else []


def test_without_a_box_a_class_is_refused_and_with_trust_it_is_graded(handed_in, tmp_path):
    nowhere = {"PATH": str(tmp_path)}
    refused = run("grade", handed_in, "--out", tmp_path / "report", env=nowhere)
    assert refused.returncode == 1
    assert "bubblewrap is not installed" in refused.stderr
    assert "--trust" in refused.stderr
    assert run("grade", handed_in, "--out", tmp_path / "report", "--jobs", 1, "--trust", env=nowhere).returncode == 0
    assert outcome(lines(tmp_path / "report")["ada"]) == "done"


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can be somebody else")
def test_the_box_is_there_for_an_ordinary_user_too():
    nobody = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/", "capture_output": True, "text": True}
    try:
        able = [
            subprocess.run(words, **nobody).returncode == 0
            for words in (
                [sys.executable, "-c", "import handgrad.grading.box"],
                ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"],
            )
        ]
    except PermissionError:
        able = [False]
    if not all(able):
        pytest.skip("an ordinary user has no use of this Python, or of bubblewrap")
    done = subprocess.run([sys.executable, "-c", "from handgrad.grading.box import box_problem; print(box_problem())"], **nobody)
    assert done.stdout == "None\n", done.stdout + done.stderr


def test_real_kernels_say_the_same(handed_in, report, tmp_path):
    out = tmp_path / "real"
    assert run("grade", handed_in, "--out", out, "--seed", 7, "--real-kernels").returncode == 0
    forked = {
        name: [(row["exercise"], row["outcome"], row["points"]) for row in result["rows"]]
        for name, result in lines(report).items()
    }
    real = {
        name: [(row["exercise"], row["outcome"], row["points"]) for row in result["rows"]] for name, result in lines(out).items()
    }
    assert real == {name: rows for name, rows in forked.items() if name in real}


def test_a_cluster_of_two_says_the_same_also_where_a_worker_is_lost(handed_in, report, tmp_path):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        out = tmp_path / "far"
        process = subprocess.Popen(
            command("grade", handed_in, "--out", out, "--seed", 7, "--dask", cluster.scheduler_address),
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        end = time.monotonic() + 120
        while time.monotonic() < end and not (busy := _at_work(cluster)):
            time.sleep(0.02)
        os.kill(busy[0], signal.SIGKILL)
        said, _ = process.communicate(timeout=240)
    assert process.returncode == 0, said
    assert (out / "results.jsonl").read_bytes() == (report / "results.jsonl").read_bytes()


def _at_work(cluster: LocalCluster) -> list[int]:
    """The processes of the workers that have a shard."""
    nannies = cluster.workers.values()
    return [nanny.pid for nanny in nannies if cluster.scheduler.workers[nanny.worker_address].processing]


def test_a_grading_process_that_is_lost_is_replaced_and_the_end_of_all_is_said():
    job = {"tasks_of": str(ROOT)}
    with Workers(Settings(seed=1), 1) as workers:
        first = workers.work(job)
        assert "my_relu" in first["exercises"]["03_relu"]
        os.kill(workers._all[0]._pid, signal.SIGKILL)
        assert workers.work(job) == workers.work(job) == first
        os.kill(workers._process.pid, signal.SIGKILL)
        os.kill(workers._all[0]._pid, signal.SIGKILL)
        with pytest.raises(CourseError, match="ended, all at once"):
            workers.work(job)


def test_a_shard_that_cannot_be_is_said(handed_in, tmp_path):
    done = run("grade", handed_in, "--out", tmp_path / "out", "--shard", "3/2")
    assert done.returncode != 0
    assert "expected K/N" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_scheduler_that_is_not_there_is_said(monkeypatch):
    monkeypatch.setattr("handgrad.grading.cluster._PATIENCE", 1)
    with pytest.raises(CourseError, match=r"--dask tcp://127\.0\.0\.1:1: no scheduler answers there"):
        next(grade_on("tcp://127.0.0.1:1", [], Settings(seed=1), Options()))


def test_a_second_run_grades_only_what_is_new_or_changed(handed_in, report, tmp_path):
    before = (report / "results.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    hand_in(handed_in, "zoe", RIGHT)
    try:
        assert run("grade", handed_in, "--out", report, "--jobs", 1).returncode == 0
        after = (report / "results.jsonl").read_text(encoding="utf-8").splitlines()[1:]
        assert after[:-1] == before  # word for word, with the seed that they were graded with
        new = json.loads(after[-1])
        assert (new["submission"], outcome(new)) == ("zoe", "done")
        assert new["receipt"]["seed"] != 7
    finally:
        (handed_in / "zoe/03_relu.ipynb").unlink()
        (handed_in / "zoe").rmdir()
