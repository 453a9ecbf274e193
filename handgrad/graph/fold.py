"""A large graph in fewer boxes: what a module's call has made becomes one; without modules, what follows in time."""

from collections.abc import Hashable
from itertools import groupby

import torch

from handgrad.graph.record import Edge, Event, Node, Record

LIMIT = 60  # nodes that a picture shows at most
LEFT_OUT = -1


def fold(record: Record, limit: int = LIMIT) -> Record:
    """The record as it is where it has at most `limit` nodes, else with as few folds as suffice.

    Calls of modules are folded, the innermost first; what is still too large is folded in blocks of nodes that follow each other.
    """
    if len(record.nodes) <= limit:
        return record
    depth = max(len(node.path) for node in record.nodes)
    for level in range(depth, 0, -1):
        owners = _owners(record, [node.path[:level] or i for i, node in enumerate(record.nodes)])
        if len(set(owners)) <= limit:
            return _folded(record, owners, "by module")
    keys = [node.path[:1] or i for i, node in enumerate(record.nodes)]
    size = 2
    while True:
        owners = _owners(record, _blocks(record, keys, size))
        if len(set(owners)) <= limit:
            return _folded(record, owners, "in the order of their making")
        size *= 2


def _blocks(record: Record, keys: list[Hashable], size: int) -> list[Hashable]:
    """Keys that `size` folds in a row share; a leaf keeps its own."""
    order = list(dict.fromkeys(key for node, key in zip(record.nodes, keys, strict=True) if node.kind != "leaf"))
    block = {key: ("block", place // size) for place, key in enumerate(order)}
    return [key if node.kind == "leaf" else block[key] for node, key in zip(record.nodes, keys, strict=True)]


def _owners(record: Record, keys: list[Hashable]) -> list[int]:
    """For each node the first of those that it is folded with, or LEFT_OUT.

    Only nodes that follow each other are: with another one between, the fold could lead into itself. A parameter goes with its
    users where they are one fold, and is left out where they are several: it would be tied to each of them.
    """
    operations = [i for i, node in enumerate(record.nodes) if node.kind != "leaf"]
    owners = list(range(len(record.nodes)))
    folds = set()
    for _, run in groupby(operations, key=lambda i: keys[i]):
        members = list(run)
        for i in members:
            owners[i] = members[0]
        if len(members) > 1:
            folds.add(members[0])
    for i, node in enumerate(record.nodes):
        users = {owners[edge.target] for edge in record.edges if edge.source == i}
        if node.parameter and users <= folds:
            owners[i] = users.pop() if len(users) == 1 else LEFT_OUT
    return owners


def _folded(record: Record, owners: list[int], how: str) -> Record:
    # by the last of their members, so that an edge leads on: a fold's own parameters may come before what leads into it
    first = sorted(set(owners) - {LEFT_OUT}, key=lambda owner: max(i for i, one in enumerate(owners) if one == owner))
    place = {owner: i for i, owner in enumerate(first)}
    groups = [[i for i, one in enumerate(owners) if one == owner] for owner in first]
    nodes = [record.nodes[group[0]] if len(group) == 1 else _one(record, group) for group in groups]
    edges: dict[tuple[int, int, int], int] = {}  # by the tensor that runs along it and where to
    merged: list[Edge] = []
    along: dict[int, int] = {}
    for number, edge in enumerate(record.edges):
        if LEFT_OUT in (owners[edge.source], owners[edge.target]):
            continue
        source, target = place[owners[edge.source]], place[owners[edge.target]]
        if source == target:
            continue
        key = (edge.source, edge.output, target)
        if key not in edges:
            edges[key] = len(merged)
            slot = sum(one.target == target for one in merged) if nodes[target].kind == "folded" else edge.slot
            merged.append(Edge(source, target, slot, edge.output))
        along[number] = edges[key]
    events = _merge(record.events, [place.get(owner) for owner in owners], along, nodes)
    note = f"{len(record.nodes)} nodes, folded {how} into {len(nodes)} boxes"
    if LEFT_OUT in owners:
        note += "; parameters that several of these share are left out"
    return Record(nodes, merged, events, note)


def _one(record: Record, group: list[int]) -> Node:
    members = [record.nodes[i] for i in group]
    shared = [name for name, *others in zip(*(node.path for node in members), strict=False) if set(others) <= {name}]
    last = members[-1]
    operations = sum(node.kind != "leaf" for node in members)
    name = shared[-1] if shared else f"{operations} operations"
    return Node(last.function, "folded", {0: name}, last.values, [], tuple(shared[:-1]), members=len(group))


def _merge(events: list[Event], place: list[int | None], along: dict[int, int], nodes: list[Node]) -> list[Event]:
    """The turns of a folded node as one, where they follow each other; what is sent along one edge several times adds up."""
    merged: list[Event] = []
    for event in events:
        node = place[event.node]
        if node is None:
            continue
        sent = [(along[edge], gradient) for edge, gradient in event.sent.items() if edge in along]
        if not merged or merged[-1].node != node or nodes[node].kind != "folded":
            merged.append(Event(node, event.got, {}))
        into = merged[-1].sent
        for edge, gradient in sent:
            into[edge] = _sum(into.get(edge), gradient)
    return merged


def _sum(one: torch.Tensor | None, other: torch.Tensor | None) -> torch.Tensor | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
