"""The picture of a record: SVG, HTML that steps, words, PNG, and Graphviz's language."""

import html
import importlib.resources
import json
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from handgrad.graph.drawing import Drawing
from handgrad.graph.fold import fold
from handgrad.graph.record import Record
from handgrad.graph.render import png, svg
from handgrad.graph.words import Step, caption, steps, titles

_FILES = importlib.resources.files("handgrad.graph")


class Picture:
    """A graph to look at, in a notebook, a terminal or a file; made by `handgrad.graph.trace` and `draw`.

    The same call gives the same text, so that a notebook's stored output can be compared.

    Attributes:
        record: what is shown: nodes, edges, values, saved tensors, gradients. More than 60 nodes are folded.
        steps: the forward and the backward pass, in words and numbers.
    """

    def __init__(self, record: Record) -> None:
        self.record = fold(record)
        self.steps: list[Step] = steps(self.record)

    @cached_property
    def _drawing(self) -> Drawing:
        return Drawing(self.record, self.steps)

    def svg(self) -> str:
        """A picture of its own, with the gradients at the edges where there was a backward pass."""
        return svg(self._drawing)

    def dot(self) -> str:
        """The graph in Graphviz's language."""
        lines = ["digraph {", "  rankdir=LR; node [shape=box, fontname=Helvetica]; edge [fontname=Helvetica];"]
        gradients = {edge: label for step in self.steps if step.phase == "backward" for edge, label in step.labels.items()}
        for i, (node, title) in enumerate(zip(self.record.nodes, titles(self.record), strict=True)):
            style = {"leaf": ", style=rounded", "custom": ", peripheries=2", "folded": ", shape=box3d"}.get(node.kind, "")
            lines.append(f"  n{i} [label={_quoted(title, caption(node))}{style}];")
        for number, edge in enumerate(self.record.edges):
            lines.append(f"  n{edge.source} -> n{edge.target} [label={_quoted(gradients.get(number, ''))}];")
        return "\n".join([*lines, "}"]) + "\n"

    def save(self, path: str | Path) -> None:
        """Write it to a file: `.svg`, `.png`, `.html` (the page that steps), `.txt` (the words) or `.dot`.

        Raises:
            ValueError: the ending is none of these.
        """
        path = Path(path)
        writers = {".svg": self.svg, ".html": self._page, ".txt": lambda: str(self) + "\n", ".dot": self.dot, ".gv": self.dot}
        if path.suffix == ".png":
            png(self._drawing, path)
        elif path.suffix in writers:
            path.write_text(writers[path.suffix](), encoding="utf-8")
        else:
            raise ValueError(f"{path.name} would have to end in .svg, .png, .html, .txt or .dot")

    def __str__(self) -> str:
        lines = [self.record.note] if self.record.note else []
        for number, step in enumerate(self.steps, 1):
            if number == 1 or step.phase != self.steps[number - 2].phase:
                lines.append(step.phase)
            lines.append(f"{number:3}  {step.text}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """An image and the steps in words; a script makes of them the picture that steps, where scripts run."""
        items = "".join(f"<li>{html.escape(f'{step.phase.capitalize()}. {step.text}')}</li>" for step in self.steps)
        data = [[step.phase, step.node, step.edges, step.text, step.labels] for step in self.steps]
        script = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")  # which could end the element
        note = f"<p>{html.escape(self.record.note)}</p>" if self.record.note else ""
        image = f'<img alt="{html.escape(self._summary(), quote=True)}" src="data:image/svg+xml,{quote(self.svg(), safe=_SAFE)}">'
        return (
            f'<div class="handgrad-graph"><style>{_read("viewer.css")}</style><div class="hg-scroll">{image}</div>{note}'
            f"<details><summary>The steps in words</summary><ol>{items}</ol></details>"
            f'<script type="application/json">{script}</script>'
            f"<script>{_read('viewer.js')}</script></div>"
        )

    def _summary(self) -> str:
        leaves = [title for node, title in zip(self.record.nodes, titles(self.record), strict=True) if node.kind == "leaf"]
        others = len(self.record.nodes) - len(leaves)
        return f"Autograd graph: {others} nodes from {', '.join(leaves[:8])}{' and more' if len(leaves) > 8 else ''}."

    def _page(self) -> str:
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Autograd graph</title>'
        body = f'<body style="font-family: system-ui, sans-serif"><main><h1>Autograd graph</h1>{self._repr_html_()}</main></body>'
        return f'<!doctype html><html lang="en"><head>{head}</head>{body}</html>\n'


# what a URI may hold as it is, and an attribute too
_SAFE = " =:/;,.()[]{}!@*~'-_+$"


def _read(name: str) -> str:
    """A file of the viewer, without its indentation and comments, since every picture carries it along."""
    lines = (line.strip() for line in _FILES.joinpath(name).read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(("//", "/*")))


def _quoted(*lines: str) -> str:
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines if line) + '"'
