"""Where boxes, edges and labels stand in a picture."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from handgrad.graph.layout import Layout, Order, arrange
from handgrad.graph.record import Record
from handgrad.graph.words import Step, caption, titles

COLUMN = 720.0  # pixels of a page's column: a picture that is wider when it runs to the right runs downwards
_MARGIN = 10.0
_TITLE, _SMALL = 7.6, 6.7  # pixels of a character, of 13 and of 12 pixels height, on the safe side
HEIGHT = 44.0
_LABEL = 15.0  # height of a label

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
        return self.x, self.y, self.x + self.width, self.y + HEIGHT


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
        self._order = Order(len(record.nodes), [(edge.source, edge.target) for edge in record.edges])
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
        return Box(node.kind, self._titles[i], self._captions[i], x - width / 2, y - HEIGHT / 2, width, bool(saved), saved)

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
            self._order,
            [(self._width(i), HEIGHT) for i in range(len(self.record.nodes))],
            self.down,
            (layers * stretch, between * stretch),
        )

    def _curve(self, way: list[tuple[float, float]]) -> Curve:
        curve = [way[0]]
        for (x, y), (u, v) in pairwise(way):
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
        """The middle of each edge's label, where it covers no box and no other label, and the area that they still cover."""
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


def _overlap(one: Area, other: Area) -> float:
    """The area that two share."""
    return max(0.0, min(one[2], other[2]) - max(one[0], other[0])) * max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
