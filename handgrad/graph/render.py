"""A drawing as SVG, and by matplotlib as PNG."""

import html
from pathlib import Path

from handgrad.graph.drawing import HEIGHT, Box, Drawing

_COLOURS = {  # the name that the viewer's CSS gives it, and the colour on white paper
    "text": "#1f2328",
    "soft": "#57606a",
    "paper": "#ffffff",
    "line": "#6e7781",
    "forward": "#0b5fad",
    "backward": "#a8430a",
    "operation": "#f6f8fa",
    "leaf": "#e6f4ea",
    "custom": "#f0e7fb",
    "folded": "#fff4d6",
}


def _paint(what: str, colour: str) -> str:
    return f"{what}:var(--hg-{colour},{_COLOURS[colour]});"


_SMALL = "font-weight:400;font-size:12px;"
_STYLE = {
    "text": f"font:600 13px system-ui,sans-serif;text-anchor:middle;{_paint('fill', 'text')}",
    ".c": _SMALL + _paint("fill", "soft"),
    ".v": f"{_SMALL}paint-order:stroke;stroke-width:6px;stroke-linejoin:round;"
    f"{_paint('stroke', 'paper')}{_paint('fill', 'backward')}",
    ".m": f"{_SMALL}text-anchor:start;{_paint('fill', 'soft')}",
    "rect": f"stroke-width:1.2;{_paint('stroke', 'line')}",
    **{f".{kind} rect": _paint("fill", kind) for kind in ("operation", "leaf", "custom", "folded")},
    ".custom rect,.folded rect": "stroke-width:2.2",
    ".paper": f"stroke:none;{_paint('fill', 'paper')}",
    ".frame": "fill:none;stroke-dasharray:4 4",
    ".l": f"fill:none;stroke-width:1.4;{_paint('stroke', 'line')}",
    ".f,.b": _paint("fill", "line"),
    ".b": "display:none",
    ".s": _paint("fill", "backward"),
}


def svg(drawing: Drawing) -> str:
    """A picture of its own; its colours are those of the page where it stands in one, else those of white paper."""
    style = "".join(f"{selector}{{{rules}}}" for selector, rules in _STYLE.items())
    size = f'width="{drawing.width:.0f}" height="{drawing.height:.0f}" viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style><rect class="paper" width="100%" height="100%"/>'
    ]
    for name, (x, y, u, v) in drawing.frames.items():
        parts.append(f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{u - x:.1f}" height="{v - y:.1f}" rx="8"/>')
        parts.append(f'<text class="m" x="{x + 7:.1f}" y="{y + 14:.1f}">{html.escape(name)}</text>')
    parts += [_edge(drawing, number) for number in range(len(drawing.curves))]
    parts += [_box(i, box) for i, box in enumerate(drawing.boxes)]
    return "".join([*parts, "</svg>"])


def _edge(drawing: Drawing, number: int) -> str:
    curve, (x, y) = drawing.curves[number], drawing.places[number]
    pieces = zip(curve[1::3], curve[2::3], curve[3::3], strict=True)
    path = f"M{_at(curve[0])}" + "".join(f"C{_at(one)} {_at(other)} {_at(end)}" for one, other, end in pieces)
    label = f'<text class="v" x="{x:.1f}" y="{y + 4:.1f}">{html.escape(drawing.labels[number])}</text>'
    tips = f'<path class="f" d="{_tip(drawing, curve[-1], 1)}"/><path class="b" d="{_tip(drawing, curve[0], -1)}"/>'
    return f'<g class="e" data-edge="{number}"><path class="l" d="{path}"/>{tips}{label}</g>'


def _tip(drawing: Drawing, end: tuple[float, float], way: int) -> str:
    """An arrow's head that ends here."""
    return f"M{_at(end)}" + (f"l-4.5 {-8 * way}h9z" if drawing.down else f"l{-8 * way} -4.5v9z")


def _box(i: int, box: Box) -> str:
    middle, rounding = box.x + box.width / 2, HEIGHT / 2 if box.kind == "leaf" else 6
    title = f'<text x="{middle:.1f}" y="{box.y + (18 if box.caption else 26):.1f}">{html.escape(box.title)}</text>'
    below = f'<text class="c" x="{middle:.1f}" y="{box.y + 34:.1f}">{html.escape(box.caption)}</text>' if box.caption else ""
    dot = f'<circle class="s" cx="{box.x + box.width - 8:.1f}" cy="{box.y + 8:.1f}" r="3"/>' if box.saves else ""
    tip = f"<title>saves {html.escape(box.saved)}</title>" if box.saves else ""
    shape = f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{HEIGHT:.0f}" rx="{rounding:.0f}"/>'
    return f'<g class="n {box.kind}" data-node="{i}">{tip}{shape}{title}{below}{dot}</g>'


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def png(drawing: Drawing, path: Path) -> None:
    """Draw it on white paper, two dots for each pixel."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
    from matplotlib.path import Path as Line

    figure = Figure(figsize=(drawing.width / 100, drawing.height / 100), dpi=200, facecolor=_COLOURS["paper"])
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, drawing.width), ylim=(drawing.height, 0))
    axes.axis("off")

    def write(x: float, y: float, words: str, colour: str, pixels: float = 11.5, **style: object) -> None:
        axes.text(x, y, words, size=pixels * 72 / 100, color=_COLOURS[colour], **{"ha": "center", "va": "center", **style})

    def frame(x: float, y: float, width: float, height: float, rounding: float, **style: object) -> None:
        edge = {"edgecolor": _COLOURS["line"], "linewidth": 0.9, **style}
        axes.add_patch(FancyBboxPatch((x, y), width, height, f"round,pad=0,rounding_size={rounding}", **edge))

    for name, (x, y, u, v) in drawing.frames.items():
        frame(x, y, u - x, v - y, 8, fill=False, linestyle=(0, (4, 4)))
        write(x + 7, y + 10, name, "soft", ha="left")
    for curve, label, (x, y) in zip(drawing.curves, drawing.labels, drawing.places, strict=True):
        line = Line(curve, [Line.MOVETO, *[Line.CURVE4] * (len(curve) - 1)])
        axes.add_patch(PathPatch(line, fill=False, edgecolor=_COLOURS["line"]))
        u, v = curve[-1]
        tip = [(u - 4.5, v - 8), (u + 4.5, v - 8)] if drawing.down else [(u - 8, v - 4.5), (u - 8, v + 4.5)]
        axes.add_patch(Polygon([(u, v), *tip], facecolor=_COLOURS["line"]))
        if label:
            write(x, y, label, "backward", 12, bbox={"facecolor": _COLOURS["paper"], "edgecolor": "none", "pad": 0.5})
    for box in drawing.boxes:
        wide = {"linewidth": 1.6} if box.kind in ("custom", "folded") else {}
        frame(box.x, box.y, box.width, HEIGHT, HEIGHT / 2 if box.kind == "leaf" else 6, facecolor=_COLOURS[box.kind], **wide)
        write(box.x + box.width / 2, box.y + (14 if box.caption else 22), box.title, "text", 12.5, weight="bold")
        write(box.x + box.width / 2, box.y + 31, box.caption, "soft")
        if box.saves:
            axes.add_patch(Circle((box.x + box.width - 8, box.y + 8), 3, color=_COLOURS["backward"]))
    figure.savefig(path, dpi=200)
