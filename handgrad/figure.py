"""Figures that read well on white and on dark, on a wide screen and on a phone, and that carry their words."""

from base64 import b64encode
from io import BytesIO

import matplotlib
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Shown at 86 CSS pixels an inch, a figure of 6 inches fills a column of 516 pixels, and its 15 pt text is
# as large as the prose. A phone of 390 pixels shows it at 350: there the same text still measures 9 pt.
_PIXELS_PER_INCH = 86
_STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same letters
    "font.size": 15,
    "axes.titlesize": 15,
    "figure.facecolor": "white",  # opaque: a dark notebook must not swallow the dark text
    "axes.facecolor": "white",
    "axes.edgecolor": "#59626e",
    "axes.labelcolor": "#24292f",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    # blue, orange, green, purple: at least 4.5 to 1 against white, and as clear when the book's dark page inverts them
    "axes.prop_cycle": matplotlib.cycler(color=["#0969b8", "#b54708", "#1a7f37", "#8250a8"]),
    "grid.color": "#dfe3e8",
    "lines.linewidth": 2.5,
    "lines.markersize": 8,
    "legend.frameon": False,
    "text.color": "#24292f",
    "xtick.color": "#59626e",
    "ytick.color": "#59626e",
    "xtick.labelcolor": "#24292f",
    "ytick.labelcolor": "#24292f",
}


def figure(width: float = 6, height: float = 3, **subplots_kw) -> tuple[Figure, Axes]:
    """An empty figure in the course's style, and its axes.

    The first call sets the style for all that is drawn afterwards in the notebook.

    Args:
        width: in inches. Text is drawn for 6; a wider figure is too small to read on a phone.
        height: in inches.
        subplots_kw: passed on to `Figure.subplots`, as `nrows=2, sharex=True`.

    Returns:
        The figure, and one `Axes`, or an array of them as `Figure.subplots` gives it.

    Example:
        >>> fig, ax = figure()
        >>> _ = ax.plot([-1, 0, 2], [0, 0, 2], label="relu(x)")
        >>> _ = ax.set(xlabel="x", title="forward")
    """
    matplotlib.rcParams.update(_STYLE)
    fig = Figure(figsize=(width, height), layout="constrained")
    return fig, fig.subplots(**subplots_kw)


def show(fig: Figure, alt: str) -> None:
    """Display `fig` as a PNG image that carries `alt`, the picture in words.

    The words are the output's plain text, which nbval compares, and the image's alternative text in the book.
    Drawn anew in the same way, a figure has the same bytes.

    Raises:
        ValueError: `alt` is empty.

    Source: the keys `width` and `alt` are those of `IPython.display.Image`.
    """
    if not alt.strip():
        raise ValueError('this picture says nothing to a reader who cannot see it: show(fig, "what one sees in it")')
    file = BytesIO()
    fig.savefig(file, format="png", dpi=2 * _PIXELS_PER_INCH, metadata={"Software": None})
    width = round(fig.get_figwidth() * _PIXELS_PER_INCH)
    display(
        {"image/png": b64encode(file.getvalue()).decode("ascii"), "text/plain": alt},
        metadata={"image/png": {"width": width, "alt": alt}},
        raw=True,
    )
