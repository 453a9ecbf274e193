"""Plain Markdown quotes that begin with bold words become boxes: `> **Note.** A gate has no memory.`

Colab and JupyterLab show the same text as a quote, where a MyST directive would stand there raw.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

# first word of the title: the theme's class for it, which gives colour and icon
CLASSES = {"definition": "definition", "example": "seealso", "tip": "tip", "warning": "warning", "check": "hint"}


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
    while first.children and not first[0].astext():  # the parser leaves an empty text before the bold words
        del first[0]
    if not first.children or not isinstance(first[0], nodes.strong) or first[0].astext()[-1:] not in (".", "?"):
        return None
    title = first.pop(0).astext()
    if first.children and isinstance(first[0], nodes.Text):
        first[0] = nodes.Text(first[0].lstrip())
    kind = CLASSES.get(title.split()[0].strip(".:?").lower(), "note")
    return nodes.admonition("", nodes.title("", title.rstrip(".")), *quote.children, classes=[kind])


def setup(app: Sphinx) -> None:
    app.add_transform(QuotesToBoxes)
