"""Boxes, edges and labels with their places, drawn as SVG or by matplotlib."""

import html
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from handgrad.graph.layout import Layout, arrange
from handgrad.graph.record import Record
from handgrad.graph.words import Step, caption, titles

COLUMN = 720.0  # pixels of a page's column: a picture that is wider when it runs to the right runs downwards
_MARGIN = 10.0
_TITLE, _SMALL = 7.6, 6.7  # pixels of a character, of 13 and of 12 pixels height, on the safe side
_HEIGHT = 44.0
_LABEL = 15.0  # height of a label

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

Area = tuple[float, float, float, float]  # left, top, right, bottom
Curve = list[tuple[float, float]]  # a start, then two control points and an end for each piece


@dataclass(frozen=True)
class Box:
    """A node's box; its place is that of its left upper corner."""

    kind: str
    title: str
    caption: str
    x: float
    y: float
    width: float
    saves: bool
    saved: str

    @property
    def area(self) -> Area:
        return self.x, self.y, self.x + self.width, self.y + _HEIGHT


class Drawing:
    """Where everything stands."""

    def __init__(self, record: Record, steps: list[Step]) -> None:
        self.record = record
        self._titles = titles(record)
        self._captions = [caption(node) for node in record.nodes]
        self.labels = ["" for _ in record.edges]  # as they are in the end: gradients, where there are any
        self._widest = [0.0 for _ in record.edges]
        for step in steps:
            for edge, label in step.labels.items():
                self._widest[edge] = max(self._widest[edge], _SMALL * len(label) + 6)
                self.labels[edge] = label if step.phase == "backward" else self.labels[edge]
        self.down = False
        flat, self.down = self._layout(1), True
        self.down = flat.width > COLUMN and self._layout(1).width < flat.width
        if self._place():
            # where a module's boxes stand too far apart for a frame, each says where it belongs
            for name in self._groups.keys() - self.frames.keys():
                for i in self._groups[name]:
                    self._captions[i] = f"{name}: {self._captions[i]}" if record.nodes[i].kind != "leaf" else self._captions[i]
            self._place()

    def _place(self) -> bool:
        """Find everything its place, further apart where labels would overlap; whether a module stays without its frame."""
        for stretch in (1.0, 1.4, 2.0, 3.0):
            layout = self._layout(stretch)
            frame = 16.0 if self._groups else 0.0
            left, top = _MARGIN + frame / 2, _MARGIN + frame
            self.width, self.height = layout.width + left + _MARGIN + frame / 2, layout.height + top + _MARGIN + frame / 2
            self.boxes = [self._boxed(i, left + x, top + y) for i, (x, y) in enumerate(layout.centres)]
            self.curves = [self._curve([(x + left, y + top) for x, y in way]) for way in layout.ways]
            self.frames = dict(self._frames())
            self.places, covered = self._places()
            if not covered:
                break
        return self.frames.keys() != self._groups.keys()

    def _boxed(self, i: int, x: float, y: float) -> Box:
        """The box of a node whose middle is here."""
        node, width = self.record.nodes[i], self._width(i)
        saved = ", ".join(name for name, _ in node.saved)
        return Box(node.kind, self._titles[i], self._captions[i], x - width / 2, y - _HEIGHT / 2, width, bool(saved), saved)

    def _width(self, i: int) -> float:
        title = _TITLE * len(self._titles[i]) + (14 if self.record.nodes[i].saved else 0)  # beside the dot
        return max(58.0, 22 + max(title, _SMALL * len(self._captions[i])))

    @cached_property
    def _groups(self) -> dict[str, list[int]]:
        """The outermost modules' boxes, where there are several of a module; one that holds all others says nothing."""
        paths = {i: node.path for i, node in enumerate(self.record.nodes) if node.path}
        while paths and len({path[0] for path in paths.values()}) == 1:
            paths = {i: path[1:] for i, path in paths.items() if path[1:]}
        groups: dict[str, list[int]] = {}
        for i, path in paths.items():
            groups.setdefault(path[0], []).append(i)
        return {name: boxes for name, boxes in groups.items() if len(boxes) > 1}

    def _layout(self, stretch: float) -> Layout:
        between = 40.0 if self._groups else 22.0
        layers = 54.0 if self.down else min(130.0, max([40.0, *(width + 18 for width in self._widest)]))
        return arrange(
            [(self._width(i), _HEIGHT) for i in range(len(self.record.nodes))],
            [(edge.source, edge.target) for edge in self.record.edges],
            self.down,
            (layers * stretch, between * stretch),
        )

    def _curve(self, way: list[tuple[float, float]]) -> Curve:
        curve = [way[0]]
        for (x, y), (u, v) in zip(way, way[1:], strict=False):
            middle = ((x, (y + v) / 2), (u, (y + v) / 2)) if self.down else (((x + u) / 2, y), ((x + u) / 2, v))
            curve += [*middle, (u, v)]
        return curve

    def _frames(self) -> Iterator[tuple[str, Area]]:
        """A frame round each module that has no other box between its own."""
        taken: list[Area] = []
        for name, members in self._groups.items():
            areas = [self.boxes[i].area for i in members]
            frame = (
                min(area[0] for area in areas) - 8,
                min(area[1] for area in areas) - 20,
                max(area[2] for area in areas) + 8,
                max(area[3] for area in areas) + 8,
            )
            others = [box.area for i, box in enumerate(self.boxes) if i not in members]
            if not any(_overlap(frame, area) for area in [*others, *taken]):
                taken.append(frame)
                yield name, frame

    def _places(self) -> tuple[list[tuple[float, float]], float]:
        """The middle of each edge's label, where it covers no box and no other label, and the area that they cover all the same."""
        taken = [box.area for box in self.boxes]
        taken += [(x, y, x + _SMALL * len(name) + 12, y + 18) for name, (x, y, _, _) in self.frames.items()]
        places, total = [], 0.0
        for number, (width, curve) in enumerate(zip(self._widest, self.curves, strict=True)):
            best, least = (0.0, 0.0), float("inf")
            for x, y in self._candidates(curve, self._fans_out(number)):
                area = (x - width / 2, y - _LABEL / 2, x + width / 2, y + _LABEL / 2)
                covered = sum(_overlap(area, other) for other in taken)
                covered += 1e6 * (area[0] < 0 or area[2] > self.width)
                if covered < least:
                    best, least = (x, y), covered
                if not covered:
                    break
            if width:
                total += least
                taken.append((best[0] - width / 2, best[1] - _LABEL / 2, best[0] + width / 2, best[1] + _LABEL / 2))
            places.append(best)
        return places, total

    def _fans_out(self, number: int) -> bool:
        """Whether more edges leave with this one than arrive with it, so that there is more room at its end."""
        this = self.record.edges[number]
        leave, arrive = (
            sum(getattr(edge, end) == getattr(this, end) for edge in self.record.edges) for end in ("source", "target")
        )
        return leave > arrive

    def _candidates(self, curve: Curve, from_the_end: bool) -> Iterator[tuple[float, float]]:
        pieces = [curve[k : k + 4] for k in range(0, len(curve) - 1, 3)][:: -1 if from_the_end else 1]
        for t in (0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9):
            for start, one, other, end in pieces:
                x, y = (
                    (1 - t) ** 3 * start[k] + 3 * (1 - t) ** 2 * t * one[k] + 3 * (1 - t) * t**2 * other[k] + t**3 * end[k]
                    for k in (0, 1)
                )
                yield from ((x, y),) if self.down else ((x, y - 9), (x, y + 10))

    def svg(self) -> str:
        """The picture as SVG; colours are those of the page where it stands in one, else those of white paper."""
        style = "".join(
            (
                "text{font:600 13px system-ui,sans-serif;text-anchor:middle;" + _paint("fill", "text") + "}",
                ".c{font-weight:400;font-size:12px;" + _paint("fill", "soft") + "}",
                ".v{font-weight:400;font-size:12px;paint-order:stroke;stroke-width:4px;"
                + _paint("stroke", "paper")
                + _paint("fill", "backward")
                + "}",
                "rect{stroke-width:1.2;" + _paint("stroke", "line") + "}",
                *(f".{kind} rect{{{_paint('fill', kind)}}}" for kind in ("operation", "leaf", "custom", "folded")),
                ".custom rect,.folded rect{stroke-width:2.2}",
                ".frame{fill:none;stroke-dasharray:4 4}.m{text-anchor:start;font-weight:400;font-size:12px;"
                + _paint("fill", "soft")
                + "}",
                ".l{fill:none;stroke-width:1.4;"
                + _paint("stroke", "line")
                + "}.f,.b{"
                + _paint("fill", "line")
                + "}.b{display:none}",
                ".s{stroke:none;" + _paint("fill", "backward") + "}",
            )
        )
        size = f'width="{self.width:.0f}" height="{self.height:.0f}" viewBox="0 0 {self.width:.0f} {self.height:.0f}"'
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size}><style>{style}</style>']
        parts.append(f'<rect class="paper" width="100%" height="100%" style="stroke:none;{_paint("fill", "paper")}"/>')
        for name, (x, y, u, v) in self.frames.items():
            parts.append(f'<rect class="frame" x="{x:.1f}" y="{y:.1f}" width="{u - x:.1f}" height="{v - y:.1f}" rx="8"/>')
            parts.append(f'<text class="m" x="{x + 7:.1f}" y="{y + 14:.1f}">{html.escape(name)}</text>')
        for number in range(len(self.curves)):
            parts.append(self._edge(number))
        parts += [self._box(i, box) for i, box in enumerate(self.boxes)]
        return "".join([*parts, "</svg>"])

    def _edge(self, number: int) -> str:
        curve, (x, y) = self.curves[number], self.places[number]
        path = f"M{_at(curve[0])}" + "".join(
            f"C{_at(a)} {_at(b)} {_at(c)}" for a, b, c in zip(*[iter(curve[1:])] * 3, strict=True)
        )
        label = f'<text class="v" x="{x:.1f}" y="{y + 4:.1f}">{html.escape(self.labels[number])}</text>'
        tips = f'<path class="f" d="{self._tip(curve[-1], 1)}"/><path class="b" d="{self._tip(curve[0], -1)}"/>'
        return f'<g class="e" data-edge="{number}"><path class="l" d="{path}"/>{tips}{label}</g>'

    def _tip(self, end: tuple[float, float], way: int) -> str:
        """An arrow's head that ends here."""
        return f"M{_at(end)}" + (f"l-4.5 {-8 * way}h9z" if self.down else f"l{-8 * way} -4.5v9z")

    def _box(self, i: int, box: Box) -> str:
        middle, round_ = box.x + box.width / 2, _HEIGHT / 2 if box.kind == "leaf" else 6
        title = f'<text x="{middle:.1f}" y="{box.y + (18 if box.caption else 26):.1f}">{html.escape(box.title)}</text>'
        below = f'<text class="c" x="{middle:.1f}" y="{box.y + 34:.1f}">{html.escape(box.caption)}</text>' if box.caption else ""
        dot = f'<circle class="s" cx="{box.x + box.width - 8:.1f}" cy="{box.y + 8:.1f}" r="3"/>' if box.saves else ""
        tip = f"<title>saves {html.escape(box.saved)}</title>" if box.saves else ""
        shape = f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{_HEIGHT:.0f}" rx="{round_:.0f}"/>'
        return f'<g class="n {box.kind}" data-node="{i}">{tip}{shape}{title}{below}{dot}</g>'

    def png(self, path: Path) -> None:
        """Draw it by matplotlib, two dots for each pixel."""
        from matplotlib.figure import Figure
        from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
        from matplotlib.path import Path as Line

        figure = Figure(figsize=(self.width / 100, self.height / 100), dpi=200, facecolor=_COLOURS["paper"])
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, self.width), ylim=(self.height, 0))
        axes.axis("off")
        points = 72 / 100  # of a pixel
        for name, (x, y, u, v) in self.frames.items():
            frame = FancyBboxPatch((x, y), u - x, v - y, "round,pad=0,rounding_size=8", fill=False, edgecolor=_COLOURS["line"])
            frame.set_linestyle((0, (4, 4)))
            axes.add_patch(frame)
            axes.text(x + 7, y + 10, name, size=11.5 * points, color=_COLOURS["soft"], va="center")
        for number, curve in enumerate(self.curves):
            axes.add_patch(
                PathPatch(Line(curve, [Line.MOVETO, *[Line.CURVE4] * (len(curve) - 1)]), fill=False, edgecolor=_COLOURS["line"])
            )
            x, y = curve[-1]
            tip = [(x, y), (x - 4.5, y - 8), (x + 4.5, y - 8)] if self.down else [(x, y), (x - 8, y - 4.5), (x - 8, y + 4.5)]
            axes.add_patch(Polygon(tip, facecolor=_COLOURS["line"]))
            x, y = self.places[number]
            ground = {"facecolor": _COLOURS["paper"], "edgecolor": "none", "pad": 0.5}
            if self.labels[number]:
                text = self.labels[number]
                axes.text(x, y, text, size=12 * points, color=_COLOURS["backward"], ha="center", va="center", bbox=ground)
        for box in self.boxes:
            rounding = _HEIGHT / 2 if box.kind == "leaf" else 6
            shape = FancyBboxPatch((box.x, box.y), box.width, _HEIGHT, f"round,pad=0,rounding_size={rounding}")
            shape.set(
                facecolor=_COLOURS[box.kind],
                edgecolor=_COLOURS["line"],
                linewidth=1.6 if box.kind in ("custom", "folded") else 0.9,
            )
            axes.add_patch(shape)
            middle = box.x + box.width / 2
            axes.text(
                middle,
                box.y + (14 if box.caption else 22),
                box.title,
                size=12.5 * points,
                weight="semibold",
                color=_COLOURS["text"],
                ha="center",
                va="center",
            )
            axes.text(middle, box.y + 31, box.caption, size=11.5 * points, color=_COLOURS["soft"], ha="center", va="center")
            if box.saves:
                axes.add_patch(Circle((box.x + box.width - 8, box.y + 8), 3, color=_COLOURS["backward"]))
        figure.savefig(path, dpi=200)


def _paint(what: str, colour: str) -> str:
    return f"{what}:var(--hg-{colour},{_COLOURS[colour]});"


def _at(point: tuple[float, float]) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def _overlap(one: Area, other: Area) -> float:
    """The area that two share."""
    return max(0.0, min(one[2], other[2]) - max(one[0], other[0])) * max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
