"""Which cells of a learner's notebook count as answers, whatever an editor or the learner did to it."""

import copy
import json
from pathlib import Path

import pytest

from handgrad.errors import CourseError
from handgrad.notebooks.answers import merge, read_notebook, take_answers


def code(source: str | list[str], **keys: object) -> dict:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source, **keys}


def notebook(*cells: dict) -> dict:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


OFFICIAL = notebook(
    code("def shared(): ...\nfrom handgrad import check", id="setup"),
    {"cell_type": "markdown", "metadata": {}, "source": "# Exercise: double\nDouble the input.", "id": "task"},
    code("# exercise: double\nclass Double:\n    pass\ndef shared(): ...", id="double", metadata={"tags": ["answer"]}),
    code('check("double", Double)', id="double-check", execution_count=2, outputs=[{"output_type": "stream"}]),
    code("# exercise: triple\ndef triple(x):\n    return 3 * x", id="triple"),
    code('print(triple(1))\ncheck("triple", triple)', id="triple-check"),
)


def sources(*cells: dict) -> dict[str, str]:
    return {name: answer.source for name, answer in take_answers(notebook(*cells), OFFICIAL).items()}


@pytest.mark.parametrize(
    "first_line",
    ["# exercise: double", "#exercise:double", "  # Exercise : DOUBLE  ", "\n\n## exercise: double", "# exercise：double"],
)
def test_the_anchor_comment_finds_the_answer(first_line):
    assert sources(code(f"{first_line}\nx = 1")) == {"double": f"{first_line}\nx = 1"}


@pytest.mark.parametrize(
    "first_line", ["# exercise: doubled", "x = 1  # exercise: double", "# the exercise: double", "# exercise:"]
)
def test_what_is_no_anchor_finds_nothing(first_line):
    assert sources(code(f"{first_line}\nx = 1")) == {}


def test_a_source_may_be_a_list_of_lines():
    assert sources(code(["# exercise: double\n", "x = 1"])) == {"double": "# exercise: double\nx = 1"}


def test_the_cell_id_finds_an_answer_without_its_anchor():
    answer = take_answers(notebook(code("x = 1", id="double")), OFFICIAL)["double"]
    assert (answer.source, answer.found_by) == ("x = 1", "cell id")
    assert answer.notes == ("double: found by its cell id, since no cell begins with the comment `# exercise: double`.",)


def test_colab_keeps_the_id_in_the_metadata():
    assert sources(code("x = 1", metadata={"id": "triple", "colab": {}})) == {"triple": "x = 1"}


def test_the_name_that_only_this_answer_defines_finds_it():
    answer = take_answers(notebook(code("x = 0"), code("class Double:\n    y = 1")), OFFICIAL)["double"]
    assert (answer.source, answer.found_by) == ("class Double:\n    y = 1", "name")


def test_a_name_that_another_official_cell_defines_finds_nothing():
    assert sources(code("def shared():\n    return 1")) == {}


def test_an_anchor_beats_the_id_and_the_name():
    assert sources(code("# exercise: triple\nclass Double: ...", id="double")) == {
        "triple": "# exercise: triple\nclass Double: ..."
    }


def test_of_duplicates_the_last_counts():
    answer = take_answers(notebook(code("# exercise: double\n1"), code("# exercise: double\n2")), OFFICIAL)["double"]
    assert answer.source == "# exercise: double\n2"
    assert answer.notes == ("double: 2 answer cells; the last one is graded.",)


@pytest.mark.parametrize("cell_type", ["markdown", "raw"])
def test_a_retyped_answer_counts(cell_type):
    answer = take_answers(notebook({"cell_type": cell_type, "source": "# exercise: double\n1"}), OFFICIAL)["double"]
    assert answer.notes == (f"double: the answer cell is a {cell_type} cell; graded as code.",)


def test_a_heading_of_the_course_is_no_answer():
    assert sources(OFFICIAL["cells"][1]) == {}


def test_prose_is_never_taken_by_id():
    assert sources({"cell_type": "markdown", "id": "double", "source": "I gave up here."}) == {}


@pytest.mark.parametrize(
    "cell", [None, 3, {}, {"source": None}, {"source": [1, None]}, {"metadata": [], "source": "x"}, {"id": 5}]
)
def test_broken_cells_do_no_harm(cell):
    assert sources(cell, code("# exercise: double\n1")) == {"double": "# exercise: double\n1"}


def test_a_syntax_error_elsewhere_does_no_harm():
    assert sources(code("%matplotlib inline\n!ls"), code("def triple(x): return 1")) == {"triple": "def triple(x): return 1"}


def test_merging_keeps_all_that_is_official():
    before = copy.deepcopy(OFFICIAL)
    learner = notebook(
        code("# exercise: double\nclass Double: mine = 1", metadata={"tags": ["nbval-skip"]}),
        code('print("double: done. All 9 probes pass.")', id="double-check"),
    )
    cells = merge(OFFICIAL, take_answers(learner, OFFICIAL))["cells"]
    assert before == OFFICIAL
    assert [cell["source"] for cell in cells] == [
        OFFICIAL["cells"][0]["source"],
        OFFICIAL["cells"][1]["source"],
        "# exercise: double\nclass Double: mine = 1",
        'check("double", Double)',
        "raise NotImplementedError",  # triple is missing: the official answer must not stand in for it
        'print(triple(1))\ncheck("triple", triple)',
    ]
    assert cells[2]["metadata"] == {"tags": ["answer"], "handgrad": {"exercise": "double", "part": "answer"}}
    assert [cell["metadata"].get("handgrad", {}).get("part") for cell in cells] == [
        None,
        None,
        "answer",
        "check",
        "answer",
        "check",
    ]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")


@pytest.mark.parametrize(
    "marker", ["# NBVAL_SKIP", "  #  NBVAL_RAISES_EXCEPTION  ", "#PYTEST_VALIDATE_IGNORE_OUTPUT", "x = 1\x0c# NBVAL_SKIP"]
)
def test_markers_of_nbval_in_an_answer_have_no_effect(marker):
    from nbval.plugin import find_comment_markers

    text = f"# exercise: double\n{marker}\ny = 2"
    assert list(find_comment_markers(text))
    merged = merge(OFFICIAL, take_answers(notebook(code(text)), OFFICIAL))["cells"][2]["source"]
    assert not list(find_comment_markers(merged))
    assert merged.endswith("\ny = 2") and len(merged.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON at line 1"),
        (b'{\n "cells": [\n', "not JSON at line 3"),
        (b"<!DOCTYPE html>", "a web page"),
        (b"\xff\xfe{}", "not UTF-8 text at byte 0"),
        (b"[]", "without a list of cells"),
        (b'{"cells": {}}', "without a list of cells"),
        (b'{"worksheets": [], "nbformat": 3}', "format 3"),
        (b'{"cells": ' + b"[" * 100_000, "not a notebook"),
        (b'{"cells": ' + b"1" * 5000, "not a notebook"),
    ],
)
def test_what_is_no_notebook_is_named_with_a_cure(tmp_path, content, says):
    path = tmp_path / "03_relu.ipynb"
    path.write_bytes(content)
    with pytest.raises(CourseError) as caught:
        read_notebook(path)
    message = caught.value.message
    assert message.startswith(f"{path}: ") and says in message and "\n" not in message
    assert any(cure in message for cure in ("download it again", "Download", "Convert it"))


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    for path in (tmp_path / "none.ipynb", tmp_path):
        with pytest.raises(CourseError, match="cannot be read"):
            read_notebook(path)


def test_a_file_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("handgrad.notebooks.answers._LARGEST", 10)
    path = tmp_path / "large.ipynb"
    path.write_text(json.dumps(OFFICIAL), encoding="utf-8")
    with pytest.raises(CourseError, match="Clear all outputs"):
        read_notebook(path)


def test_a_byte_order_mark_is_tolerated(tmp_path: Path):
    path = tmp_path / "notepad.ipynb"
    path.write_text(json.dumps(OFFICIAL), encoding="utf-8-sig")
    assert read_notebook(path) == OFFICIAL
