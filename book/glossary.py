"""The first use of a glossary's word on each chapter leads to the glossary, and shows the word's sentence.

The glossary is a notebook like any other: a heading a word, with its spellings between commas, then its sentence.
A heading in code stands for inline code of just that text; any other stands for plain words, their plurals included.
"""

import re
from dataclasses import dataclass

from docutils import nodes
from sphinx.application import Sphinx

GLOSSARY = "chapters/91_glossary"
UNTOUCHED = (nodes.title, nodes.reference, nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.math_block)


@dataclass(frozen=True)
class Term:
    """A word of the glossary; `place` is the id of its heading."""

    spellings: tuple[str, ...]
    code: bool
    sentence: str
    place: str


def read_terms(glossary: nodes.document) -> list[Term]:
    """The words of a glossary, the longest first, so that none is found within a longer one."""
    terms = []
    for section in glossary.findall(nodes.section):
        if isinstance(section.parent, nodes.section):
            title, sentence = section.next_node(nodes.title), section.next_node(nodes.paragraph)
            code = title.next_node(nodes.literal) is not None
            terms.append(Term(tuple(title.astext().split(", ")), code, sentence.astext(), section["ids"][0]))
    return sorted(terms, key=lambda term: -max(map(len, term.spellings)))


def pattern(terms: list[Term]) -> re.Pattern[str]:
    """Finds any of the plain words; the number of the matching group is the term's, from 1."""
    ways = ("|".join(f"[{s[0]}{s[0].upper()}]{re.escape(s[1:])}" for s in term.spellings) for term in terms)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(f'({way})' for way in ways)})(?:s|es)?(?![\w-])")


def link_first_uses(app: Sphinx, doctree: nodes.document, page: str) -> None:
    paged = app.builder.format == "html" and app.builder.name != "singlehtml"
    if not paged or GLOSSARY not in app.env.found_docs or page == GLOSSARY or not page.startswith("chapters/"):
        return
    terms = read_terms(app.env.get_doctree(GLOSSARY))
    plain = [term for term in terms if not term.code]
    codes = {spelling: term for term in terms if term.code for spelling in term.spellings}
    find, seen, address = pattern(plain), set(), app.builder.get_relative_uri(page, GLOSSARY)

    def link(term: Term, content: nodes.Node) -> nodes.reference:
        seen.add(term)
        to = f"{address}#{term.place}"
        return nodes.reference("", "", content, internal=True, refuri=to, reftitle=term.sentence, classes=["term"])

    for node in list(doctree.findall(lambda node: isinstance(node, nodes.Text | nodes.literal))):
        if lies_in(node, UNTOUCHED):
            continue
        if isinstance(node, nodes.literal):
            term = codes.get(node.astext())
            if term and term not in seen:
                node.replace_self(link(term, node.deepcopy()))
            continue
        parts, end = [], 0
        for match in find.finditer(node):
            term = plain[match.lastindex - 1]
            if term not in seen:
                parts += [nodes.Text(node[end : match.start()]), link(term, nodes.Text(match[0]))]
                end = match.end()
        if parts:
            node.parent.replace(node, [*parts, nodes.Text(node[end:])])


def lies_in(node: nodes.Node, kinds: tuple[type[nodes.Node], ...]) -> bool:
    parent = node.parent
    while parent is not None and not isinstance(parent, kinds):
        parent = parent.parent
    return parent is not None


def follow_glossary(app: Sphinx, page: str, source: list[str]) -> None:
    """A page is built anew when the glossary has changed."""
    if GLOSSARY in app.env.found_docs and page.startswith("chapters/"):
        app.env.note_dependency(app.env.doc2path(GLOSSARY))


def setup(app: Sphinx) -> None:
    app.connect("source-read", follow_glossary)
    app.connect("doctree-resolved", link_first_uses)
