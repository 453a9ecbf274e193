"""Plain Markdown quotes that begin with bold words become boxes: `> **Note.** A gate has no memory.`

Colab and JupyterLab show the same text as a quote, where a MyST directive would stand there raw.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

# first word of the title: the theme's colour and icon
COLOURS = {
    "definition": "important",
    "example": "seealso",
    "theorem": "important",
    "tip": "tip",
    "warning": "warning",
    "check": "hint",
}


class QuotesToBoxes(SphinxTransform):
    default_priority = 450

    def apply(self) -> None:
        for quote in list(self.document.findall(nodes.block_quote)):
            box = box_from(quote)
            if box is not None:
                quote.replace_self(box)


def box_from(quote: nodes.block_quote) -> nodes.admonition | None:
    """The box that `quote` stands for; None where it is an ordinary quote."""
    first = quote.next_node(nodes.paragraph)
    if first is None or first.parent is not quote:
        return None
    inline = [child for child in first.children if child.astext().strip()]
    if not inline or not isinstance(inline[0], nodes.strong) or inline[0].astext()[-1] not in ".?":
        return None
    title, *text = inline
    if text and isinstance(text[0], nodes.Text):
        text[0] = nodes.Text(text[0].lstrip())
    kind = COLOURS.get(title.astext().split()[0].strip(".:?").lower(), "note")
    body = [nodes.paragraph("", "", *text)] if text else []
    return nodes.admonition(
        "", nodes.title("", title.astext().rstrip(".")), *body, *quote.children[1:], classes=[kind]
    )


def setup(app: Sphinx) -> None:
    app.add_transform(QuotesToBoxes)
