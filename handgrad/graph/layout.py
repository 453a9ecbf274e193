"""Where the boxes of a graph stand and how its edges run: layers after Sugiyama, few crossings, edges that bend round boxes.

Pure, and the same each time. Lengths are pixels of the picture.

Source:
    K. Sugiyama, S. Tagawa, M. Toda, Methods for visual understanding of hierarchical system structures, IEEE SMC 11 (1981).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

SWEEPS = 24  # rounds of ordering at most
_PATIENCE = 8  # rounds without a better order


@dataclass(frozen=True)
class Layout:
    """Centres of the boxes, the points that each edge runs through, and the size of all."""

    centres: list[tuple[float, float]]
    ways: list[list[tuple[float, float]]]
    width: float
    height: float


class Order:
    """Which layer each box is in and in what order they stand there: all of a layout that no size and no direction changes.

    Args:
        count: of boxes; one comes before those that its edges lead to.
        edges: (from, to).
    """

    def __init__(self, count: int, edges: Sequence[tuple[int, int]]) -> None:
        self.chains, rows = _chains(_layers(count, edges), edges)
        self.neighbours = _neighbours(self.chains)
        self.rows = _rerouted(_ordered(rows, self.neighbours), self.chains, self.neighbours)
        self.crossings = _crossings(self.rows, self.neighbours)


def arrange(order: Order, sizes: Sequence[tuple[float, float]], down: bool, gaps: tuple[float, float]) -> Layout:
    """Place boxes in layers.

    Args:
        sizes: width and height of each box.
        down: whether layers follow each other downwards, else to the right.
        gaps: between layers, and between boxes of a layer.
    """
    chains, rows, neighbours = order.chains, order.rows, order.neighbours
    breadth = [size[0] if down else size[1] for size in sizes]
    across = _across(rows, neighbours, breadth, gaps[1])
    depth = [size[1] if down else size[0] for size in sizes]
    along, total = _along(rows, depth, gaps[0])
    half = [max((depth[i] for i in row if i < len(sizes)), default=0) / 2 for row in rows]
    layer_of = {i: number for number, row in enumerate(rows) for i in row}

    def point(i: int, forth: float = 0.0, aside: float = 0.0) -> tuple[float, float]:
        place = (across[i] + aside, along[layer_of[i]] + forth)
        return place if down else place[::-1]

    leave, arrive = _ports(chains, across, breadth, 0), _ports(chains, across, breadth, -1)
    ways = []
    for number, chain in enumerate(chains):
        way = [point(chain[0], depth[chain[0]] / 2, leave[number])]
        for i in chain[1:-1]:  # straight through a layer, so that it does not cut a corner of a box there
            way += [point(i, -half[layer_of[i]]), point(i, half[layer_of[i]])]
        ways.append([*way, point(chain[-1], -depth[chain[-1]] / 2, arrive[number])])
    reach = max((across[i] + (breadth[i] / 2 if i < len(breadth) else 6) for i in across), default=0)
    width, height = (reach, total) if down else (total, reach)
    return Layout([point(i) for i in range(len(sizes))], ways, width, height)


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The longest way from the beginning; then as late as its users allow, where a box has no more edges in than out."""
    layers = [0] * count
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        layers[target] = max(layers[target], layers[source] + 1)
    into = [sum(target == i for _, target in edges) for i in range(count)]
    for i in range(count - 1, -1, -1):
        users = [layers[target] for source, target in edges if source == i]
        if users and into[i] <= len(users):
            layers[i] = min(users) - 1
    return layers


def _ports(chains: list[list[int]], across: dict[int, float], breadth: list[float], end: int) -> list[float]:
    """How far aside of its box's middle each edge leaves (`end` 0) or arrives (-1), in the order of where they lead."""
    shifts = [0.0] * len(chains)
    next_ = 1 if end == 0 else -2
    for box in {chain[end] for chain in chains}:
        here = [number for number, chain in enumerate(chains) if chain[end] == box]
        here.sort(key=lambda number: (across[chains[number][next_]], number))
        step = min(16.0, (breadth[box] - 16) / len(here))
        for k, number in enumerate(here):
            shifts[number] = (k - (len(here) - 1) / 2) * step
    return shifts


def _chains(layers: list[int], edges: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Each edge as a chain with one point in each layer that it passes, and the layers with these points in them."""
    rows: list[list[int]] = [[] for _ in range(max(layers, default=0) + 1)]
    for i, layer in enumerate(layers):
        rows[layer].append(i)
    chains, number = [], len(layers)
    for source, target in edges:
        chain = [source]
        for layer in range(layers[source] + 1, layers[target]):
            rows[layer].append(number)
            chain.append(number)
            number += 1
        chains.append([*chain, target])
    return chains, rows


def _neighbours(chains: list[list[int]]) -> dict[int, tuple[list[int], list[int]]]:
    """Of each box and point, those one layer before and one layer after."""
    neighbours: dict[int, tuple[list[int], list[int]]] = {}
    for chain in chains:
        for one, other in pairwise(chain):
            neighbours.setdefault(one, ([], []))[1].append(other)
            neighbours.setdefault(other, ([], []))[0].append(one)
    return neighbours


def _ordered(rows: list[list[int]], neighbours: dict) -> list[list[int]]:
    """The rows in the order with the fewest crossings that barycentres and exchanges of two find."""
    best, fewest = [list(row) for row in rows], _crossings(rows, neighbours)
    for start in (rows, [row[::-1] for row in rows]):
        rows, last = [list(row) for row in start], 0
        for sweep in range(SWEEPS):
            forward = sweep % 2 == 0
            for number in range(1, len(rows)) if forward else range(len(rows) - 2, -1, -1):
                fixed = {i: place for place, i in enumerate(rows[number - 1 if forward else number + 1])}
                here = {i: place for place, i in enumerate(rows[number])}
                keys = {
                    i: _mean([fixed[j] for j in neighbours.get(i, ([], []))[0 if forward else 1]], here[i]) for i in rows[number]
                }
                # ties the other way round each second time, which gets out of a standstill
                rows[number].sort(key=lambda i: (keys[i], -here[i] if sweep % 4 > 1 else here[i]))
            _exchange(rows, neighbours)
            crossings = _crossings(rows, neighbours)
            if crossings < fewest:
                best, fewest, last = [list(row) for row in rows], crossings, sweep
            if fewest == 0:
                return best
            if sweep - last >= _PATIENCE:
                break
    return best


def _rerouted(rows: list[list[int]], chains: list[list[int]], neighbours: dict) -> list[list[int]]:
    """The rows, with long edges led round the outside where that takes crossings away: no exchange of two finds that."""
    fewest = _crossings(rows, neighbours)
    for chain in chains:
        points = set(chain[1:-1])
        if fewest == 0 or len(points) < 2:
            continue
        apart = [([i for i in row if i not in points], [i for i in row if i in points]) for row in rows]
        for other in ([own + rest for rest, own in apart], [rest + own for rest, own in apart]):
            _exchange(other, neighbours)
            crossings = _crossings(other, neighbours)
            if crossings < fewest:
                rows, fewest = other, crossings
    return rows


def _mean(places: list[int], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise


def _exchange(rows: list[list[int]], neighbours: dict) -> None:
    """Exchange boxes that stand next to each other while that takes crossings away."""
    for number, row in enumerate(rows):
        sides = []
        for side, other in ((0, number - 1), (1, number + 1)):
            if 0 <= other < len(rows):
                place = {i: k for k, i in enumerate(rows[other])}
                sides.append({i: [place[j] for j in neighbours.get(i, ([], []))[side]] for i in row})
        better = True
        while better:
            better = False
            for k in range(len(row) - 1):
                one, other = row[k], row[k + 1]
                now = sum(_crossed(side[one], side[other]) for side in sides)
                if now > sum(_crossed(side[other], side[one]) for side in sides):
                    row[k], row[k + 1] = other, one
                    better = True


def _crossed(left: list[int], right: list[int]) -> int:
    return sum(a > b for a in left for b in right)


def _crossings(rows: list[list[int]], neighbours: dict) -> int:
    count = 0
    for number in range(len(rows) - 1):
        place = {i: k for k, i in enumerate(rows[number + 1])}
        ends = [sorted(place[j] for j in neighbours.get(i, ([], []))[1]) for i in rows[number]]
        count += sum(_crossed(ends[a], ends[b]) for a in range(len(ends)) for b in range(a + 1, len(ends)))
    return count


def _across(rows: list[list[int]], neighbours: dict, breadth: list[float], gap: float) -> dict[int, float]:
    """Where each stands within its row: near its neighbours, in the order that the row has, none closer than `gap`."""
    wide = {i: breadth[i] if i < len(breadth) else 0.0 for row in rows for i in row}
    offsets = []
    for row in rows:
        at, places = 0.0, []
        for k, i in enumerate(row):
            if k:
                at += (wide[row[k - 1]] + wide[i]) / 2 + gap
            places.append(at)
        offsets.append(places)
    across = {i: place for row, places in zip(rows, offsets, strict=True) for i, place in zip(row, places, strict=True)}
    for sweep in range(12):
        order = range(len(rows)) if sweep % 2 == 0 else range(len(rows) - 1, -1, -1)
        for number in order:
            row, places = rows[number], offsets[number]
            wanted, weight = [], []
            for i in row:
                before, after = neighbours.get(i, ([], []))
                near = before + after if sweep > 7 else before if sweep % 2 == 0 else after
                near = near or before + after
                # a long edge stays straight before a box moves
                weights = [8 if i >= len(breadth) and j >= len(breadth) else 1 for j in near]
                wanted.append(
                    sum(across[j] * w for j, w in zip(near, weights, strict=True)) / sum(weights) if near else across[i]
                )
                weight.append(8 if i >= len(breadth) else 1)
            shifts = _monotone([want - place for want, place in zip(wanted, places, strict=True)], weight)
            for i, place, shift in zip(row, places, shifts, strict=True):
                across[i] = place + shift
    least = min((across[i] - wide[i] / 2 for i in across), default=0)
    return {i: place - least for i, place in across.items()}


def _monotone(values: list[float], weights: list[float]) -> list[float]:
    """The non-decreasing values that are nearest to `values`, by weighted squares (pool adjacent violators)."""
    pools: list[list[float]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, total, length = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * total) / (last[1] + total)
            last[1] += total
            last[2] += length
    return [mean for mean, _, length in pools for _ in range(int(length))]


def _along(rows: list[list[int]], depth: list[float], gap: float) -> tuple[list[float], float]:
    """The middle of each layer, and the end of the last."""
    places, at = [], 0.0
    for number, row in enumerate(rows):
        thick = max((depth[i] for i in row if i < len(depth)), default=0.0)
        at += (gap if number else 0) + thick / 2
        places.append(at)
        at += thick / 2
    return places, at
