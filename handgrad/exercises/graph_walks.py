"""The first two exercises of chapter 01: walk a graph, and turn its edges round."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch.autograd.graph import Node

from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described
from handgrad.exercises.exercise import Exercise, Probe, Slip

# how it is written, its leaves by name, and the tensor at its end
Graph = tuple[str, dict[str, torch.Tensor], torch.Tensor]


def _leaves(draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    return draw.normal(2).requires_grad_(), draw.normal(2).requires_grad_()


def _chain(draw: Draw) -> Graph:
    x, _ = _leaves(draw)
    return "y = sin(exp(x))", {"x": x}, x.exp().sin()


def _diamond(draw: Draw) -> Graph:
    x, _ = _leaves(draw)
    a = x.exp()
    return "a = exp(x), y = a * sin(a)", {"x": x}, a * a.sin()


def _namesakes(draw: Draw) -> Graph:
    x, w = _leaves(draw)
    return "y = (x * w) * w", {"x": x, "w": w}, (x * w) * w


def _twice(draw: Draw) -> Graph:
    x, _ = _leaves(draw)
    return "y = exp(x * x)", {"x": x}, (x * x).exp()


def _constant(draw: Draw) -> Graph:
    x, _ = _leaves(draw)
    return "y = exp(x) * c, where c requires no gradient", {"x": x}, x.exp() * draw.normal(2)


def _two_outputs(draw: Draw) -> Graph:
    x, _ = _leaves(draw)
    first, second = x.unbind()
    return "first, second = x.unbind(), y = second * exp(first)", {"x": x}, second * first.exp()


def _drawn(draw: Draw) -> Graph:
    """Four operations, each on tensors that are there already."""
    tensors = dict(zip("xw", _leaves(draw), strict=True))
    leaves, lines = dict(tensors), []
    for name in "abcy":
        left = list(tensors)[-1]
        right = draw.choice(list(tensors))
        sign, operation = draw.choice([("+", torch.add), ("*", torch.mul), ("-", torch.sub), ("/", torch.div)])
        tensors[name] = operation(tensors[left], tensors[right])
        lines.append(f"{name} = {left} {sign} {right}")
    return ", ".join(lines), leaves, tensors["y"]


def _label(node: object, leaves: dict[str, torch.Tensor]) -> str:
    """A node in words: its name, and for an AccumulateGrad its leaf."""
    if not isinstance(node, Node):
        return described(node)
    return _name_with_leaf(node.name(), getattr(node, "variable", None), leaves)


def _name_with_leaf(name: object, leaf: object, leaves: dict[str, torch.Tensor]) -> str:
    name = str(name).removeprefix("torch::autograd::")
    if leaf is None:
        return name
    return f"{name} of {next((word for word, known in leaves.items() if known is leaf), 'something that is no leaf here')}"


def _counted(kind: str, words: list[str]) -> dict[str, int]:
    """How often each stands there, so that a message names the one that differs; in any order."""
    times = {f"times that the {kind} {word} is listed": count for word, count in sorted(Counter(words).items())}
    return {**times, f"{kind}s in all": len(words)}


Walk = Callable[[torch.Tensor], tuple[list, list]]


def _walk_form(answer: Walk, draw: Draw) -> Iterator[Case]:
    given, _, y = _namesakes(draw)
    found = answer(y)
    expected = "two lists, (nodes, edges)"
    if not (isinstance(found, (list, tuple)) and len(found) == 2 and all(isinstance(part, (list, tuple)) for part in found)):
        yield {"given": given, "seen": {"what it returns": described(found)}, "accept": {"what it returns": [expected]}}
        return
    yield {"given": given, "seen": {"what it returns": expected}}
    nodes, edges = found
    pair, triple = "a pair (name, leaf or None)", "a triple (i, j or None, input_nr)"
    odd = [node for node in nodes if not (isinstance(node, (list, tuple)) and len(node) == 2)]
    yield {"given": given, "seen": {"each node": f"{described(odd[0])}, not a pair" if odd else pair}}
    names = [name for name, _ in nodes if not isinstance(name, str)]
    yield {"given": given, "seen": {"each name": described(names[0]) if names else "a str"}}
    address = any(" at 0x" in name for name, _ in nodes)
    yield {"given": given, "seen": {"each name": "one with an address in it" if address else "one without an address"}}
    odd = [edge for edge in edges if not (isinstance(edge, (list, tuple)) and len(edge) == 3)]
    yield {"given": given, "seen": {"each edge": f"{described(odd[0])}, not a triple" if odd else triple}}
    odd = [j for i, j, nr in edges if not (_is_index(i, nodes) and (j is None or _is_index(j, nodes)) and isinstance(nr, int))]
    yield {"given": given, "seen": {"each i and j": "no place in nodes" if odd else "a place in nodes"}}


def _is_index(i: object, nodes: list) -> bool:
    return isinstance(i, int) and 0 <= i < len(nodes)


def _walk_nodes(answer: Walk, draw: Draw) -> Iterator[Case]:
    """Each node once: a node that two paths reach is no second node, two nodes of one name are no single one."""
    for graph in (_chain, _diamond, _namesakes, _twice, _drawn):
        given, _, y = graph(draw)
        nodes, _ = answer(y)
        yield {"given": given, "seen": _counted("node", [_name_with_leaf(name, None, {}) for name, _ in nodes])}


def _walk_leaves(answer: Walk, draw: Draw) -> Iterator[Case]:
    for graph in (_chain, _namesakes, _drawn):
        given, leaves, y = graph(draw)
        nodes, _ = answer(y)
        yield {"given": given, "seen": _counted("node", [_name_with_leaf(name, leaf, leaves) for name, leaf in nodes])}


def _walk_edges(answer: Walk, draw: Draw) -> Iterator[Case]:
    for graph in (_chain, _constant, _diamond, _namesakes, _twice, _two_outputs, _drawn):
        given, leaves, y = graph(draw)
        nodes, edges = answer(y)
        labels = [_name_with_leaf(name, leaf, leaves) for name, leaf in nodes]
        words = [_edge(labels[i], "None" if j is None else labels[j], nr) for i, j, nr in edges]
        yield {"given": given, "seen": _counted("edge", words)}


def _edge(sender: str, receiver: str, input_nr: int) -> str:
    return f"from {sender} to input {input_nr} of {receiver}"


def _walk(y: torch.Tensor, key: Callable = lambda node: node, once: bool = True, constants: bool = True) -> tuple[list, list]:
    places: dict = {}
    nodes: list = []
    edges: list = []

    def visit(node: Node | None) -> int | None:
        if node is None:
            return None
        if once and key(node) in places:
            return places[key(node)]
        here = places[key(node)] = len(nodes)
        nodes.append((node.name(), getattr(node, "variable", None)))
        for following, input_nr in node.next_functions:
            if constants or following is not None:
                edges.append((here, visit(following), input_nr))
        return here

    visit(y.grad_fn)
    return nodes, edges


WALK_THE_GRAPH = Exercise(
    name="walk_the_graph",
    chapter="01_graph",
    probes=(
        Probe(
            "form", _walk_form, "Return (nodes, edges): pairs (name, leaf or None), triples (i, j or None, input_nr).", gate=True
        ),
        Probe("nodes", _walk_nodes, "Every node that can be reached from y.grad_fn stands in the list exactly once."),
        Probe("leaves", _walk_leaves, "An AccumulateGrad keeps its leaf as .variable; for every other node write None."),
        Probe("edges", _walk_edges, "One triple for each entry of next_functions, with the number that stands there."),
    ),
    reference=_walk,
    slips=(
        Slip(
            partial(_walk, once=False),
            "A node that two paths reach is written down twice: remember which nodes you have seen, and where they stand.",
        ),
        Slip(
            partial(_walk, key=lambda node: node.name()),
            "Two nodes may have one name: remember the node itself (it works as a key of a dict), not its name.",
        ),
        Slip(
            partial(_walk, constants=False),
            "An entry (None, 0) is dropped: it stands for an argument without gradient, and keeps the others in their places.",
        ),
        Slip(
            lambda y: ([(name, None) for name, _ in _walk(y)[0]], _walk(y)[1]),
            "The leaves are missing: an AccumulateGrad keeps its leaf as .variable.",
        ),
        Slip(
            lambda y: (_walk(y)[0], [(j, i, nr) for i, j, nr in _walk(y)[1] if j is not None]),
            "The edges point the other way: i is the node that has the entry in its next_functions.",
        ),
        Slip(
            lambda y: (_walk(y)[0], [(i, j, 0) for i, j, _ in _walk(y)[1]]),
            "The third number is always 0: take it from next_functions, where an operation with two outputs has a 1 too.",
        ),
    ),
    errors=((r"'NoneType' object has no attribute", "An edge may lead to None, and a leaf has no grad_fn: stop there."),),
    hints=(
        "Which nodes have you seen already, and at which place of the list did you put them?",
        "visit(node): None gives None, a known node its place; a new one gets a place, then an edge for each "
        "(following, input_nr) of node.next_functions.",
        "A dict {node: place} is the memory; `nodes.append((node.name(), getattr(node, 'variable', None)))` and "
        "`edges.append((place, visit(following), input_nr))` are the two lines that fill the lists.",
    ),
)

Incoming = Callable[[torch.Tensor], dict[Node, list[tuple[Node, int]]]]


def _incoming_form(answer: Incoming, draw: Draw) -> Iterator[Case]:
    given, _, y = _diamond(draw)
    found = answer(y)
    yield {"given": given, "seen": {"what it returns": "a dict" if isinstance(found, dict) else described(found)}}
    if not isinstance(found, dict):
        return
    odd = [key for key in found if not isinstance(key, Node)]
    yield {"given": given, "seen": {"each key": described(odd[0]) if odd else "a node"}}
    odd = [edges for edges in found.values() if not isinstance(edges, (list, tuple))]
    yield {"given": given, "seen": {"each value": described(odd[0]) if odd else "a list"}}
    odd = [edge for edges in found.values() if isinstance(edges, (list, tuple)) for edge in edges if not _is_edge(edge)]
    yield {"given": given, "seen": {"each edge": _odd_edge(odd[0]) if odd else "a pair (node, input_nr)"}}


def _is_edge(edge: object) -> bool:
    return isinstance(edge, (list, tuple)) and len(edge) == 2 and isinstance(edge[0], Node) and isinstance(edge[1], int)


def _odd_edge(edge: object) -> str:
    if isinstance(edge, (list, tuple)):
        return f"({', '.join(described(part) for part in edge)})"
    return described(edge)


def _incoming_nodes(answer: Incoming, draw: Draw) -> Iterator[Case]:
    for graph in (_chain, _diamond, _constant, _drawn):
        given, leaves, y = graph(draw)
        yield {"given": given, "seen": _counted("node", [_label(node, leaves) for node in answer(y)])}


def _incoming_edges(answer: Incoming, draw: Draw) -> Iterator[Case]:
    yield from _edges_of(answer, draw, _chain, _constant, _diamond)


def _incoming_fan_out(answer: Incoming, draw: Draw) -> Iterator[Case]:
    yield from _edges_of(answer, draw, _twice, _namesakes, _drawn)


def _incoming_numbers(answer: Incoming, draw: Draw) -> Iterator[Case]:
    yield from _edges_of(answer, draw, _two_outputs)


def _edges_of(answer: Incoming, draw: Draw, *graphs: Callable[[Draw], Graph]) -> Iterator[Case]:
    for graph in graphs:
        given, leaves, y = graph(draw)
        edges = [(receiver, *edge) for receiver, received in answer(y).items() for edge in received]
        words = [_edge(_label(sender, leaves), _label(receiver, leaves), nr) for receiver, sender, nr in edges]
        yield {"given": given, "seen": _counted("edge", words)}


def _incoming(y: torch.Tensor) -> dict[Node, list[tuple[Node, int]]]:
    graph: dict = {y.grad_fn: []}
    waiting = [y.grad_fn]
    while waiting:
        node = waiting.pop()
        for following, input_nr in node.next_functions:
            if following is not None:
                if following not in graph:
                    graph[following] = []
                    waiting.append(following)
                graph[following].append((node, input_nr))
    return graph


def _outgoing(y: torch.Tensor) -> dict[Node, list[tuple[Node, int]]]:
    return {node: [edge for edge in node.next_functions if edge[0] is not None] for node in _incoming(y)}


def _changed(change: Callable[[list], list]) -> Incoming:
    return lambda y: {node: change(edges) for node, edges in _incoming(y).items()}


NODES_AND_EDGES = Exercise(
    name="nodes_and_edges",
    chapter="01_graph",
    probes=(
        Probe(
            "form",
            _incoming_form,
            "Return a dict: each node with the list of (sender, input_nr) that it receives from.",
            gate=True,
        ),
        Probe("nodes", _incoming_nodes, "Each node has a key, y's own (with an empty list) and the leaves' AccumulateGrads too."),
        Probe(
            "edges",
            _incoming_edges,
            "node.next_functions holds (receiver, input_nr): write (node, input_nr) into the receiver's list.",
        ),
        Probe(
            "fan-out",
            _incoming_fan_out,
            "An operation may take one tensor twice: then two edges lead to the same node, and both count.",
        ),
        Probe(
            "two outputs",
            _incoming_numbers,
            "The number says to which output of the receiver a gradient belongs: keep it with its edge.",
        ),
    ),
    reference=_incoming,
    slips=(
        Slip(_outgoing, "These are the edges that leave each node, next_functions itself; asked are those that arrive."),
        Slip(
            lambda y: {node: edges for node, edges in _incoming(y).items() if edges},
            "y's own node is missing: nobody sends to it, so its list is empty.",
        ),
        Slip(
            lambda y: {node: edges for node, edges in _incoming(y).items() if node.next_functions},
            "The AccumulateGrads are missing: a node without next_functions receives too.",
        ),
        Slip(
            _changed(lambda edges: list(dict.fromkeys(edges))),
            "An edge that stands there twice is kept once: both bring a gradient, and both are added.",
        ),
        Slip(
            _changed(lambda edges: [(sender, 0) for sender, _ in edges]),
            "The number is always 0: take it from next_functions, next to the node.",
        ),
        Slip(_changed(lambda edges: edges[-1:]), "Each node keeps its last sender only: append to the list, do not replace it."),
        Slip(_changed(lambda edges: edges[:1]), "Each node keeps its first sender only: a known node receives again."),
    ),
    errors=(
        (
            r"'NoneType' object has no attribute|KeyError: None",
            "next_functions holds None for an argument without gradient: pass over it.",
        ),
    ),
    hints=(
        "Stand on a node: which list does each of its next_functions belong into?",
        "For each node, once: for (receiver, input_nr) in node.next_functions, add (node, input_nr) to the receiver's list.",
        "`if receiver not in graph: graph[receiver] = []; waiting.append(receiver)`, then "
        "`graph[receiver].append((node, input_nr))`; start with `graph = {y.grad_fn: []}`.",
    ),
)
