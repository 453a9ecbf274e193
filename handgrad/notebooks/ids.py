"""Cell ids that stay the same as long as the text does: from the exercise's name, else from the section's heading."""

import re
from collections import Counter
from collections.abc import Iterable

from markdown_it import MarkdownIt

from handgrad.notebooks.source import SourceCell

_LONGEST = 64


def cell_ids(cells: Iterable[SourceCell]) -> list[str]:
    """One id a cell, unique in the notebook: `my_relu`, `my_relu-check`, else `the-section-3`."""
    ids = []
    section, used = "start", Counter()
    for cell in cells:
        if cell.type == "markdown":
            section = _slug(_heading(cell.solution)) or section
        if cell.answers:
            ids.append(cell.answers[:_LONGEST])
        elif cell.checks:
            ids.append(f"{cell.checks[: _LONGEST - len('-check')]}-check")
        else:
            used[section] += 1
            ids.append(f"{section}-{used[section]}")
    return ids


def _heading(text: str) -> str:
    tokens = MarkdownIt().parse(text)
    return next((tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"), "")


def _slug(heading: str) -> str:
    # leaves room for the counter
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")[: _LONGEST - 4].rstrip("-")
