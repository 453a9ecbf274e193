"""A record in words: what each box is called, and what happens at each step."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field

import torch

from handgrad.graph.record import Edge, Event, Node, Record

_DIGITS = 4  # significant
_MOST = 6  # numbers of a tensor that are said
_SHORT = 18  # characters of a value that stands in a picture; a longer one stands there as its shape


@dataclass(frozen=True)
class Step:
    """One step of the picture.

    Attributes:
        phase: `forward` or `backward`.
        node: the box whose turn it is.
        edges: those that it reads from, forward, or sends along, backward.
        text: the step in words.
        labels: what stands at an edge from now on, by edge.
    """

    phase: str
    node: int
    edges: list[int]
    text: str
    labels: dict[int, str] = field(default_factory=dict)


def number(value: complex) -> str:
    """A number with four significant digits, and no minus before a zero."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, complex):
        return f"{number(value.real)}{'-' if math.copysign(1, value.imag) < 0 else '+'}{number(abs(value.imag))}j"
    return f"{value + 0.0:.{_DIGITS}g}".replace("e+0", "e").replace("e-0", "e-")


def words_of(value: object) -> str:
    """A value in words: all its numbers where they are few, else its shape, and its dtype if not float32."""
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        if not _few(value):
            dtype = "" if value.dtype == torch.float32 else f" {str(value.dtype).removeprefix('torch.')}"
            return shape(value) + dtype
        return _nested(value.tolist())
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(words_of, value)) + ("," if len(value) == 1 else "") + ")"
    return number(value) if isinstance(value, (int, float, complex)) else str(value)


def short(value: object) -> str:
    """A value as it stands in a box or at an edge."""
    words = words_of(value)
    return words if not isinstance(value, torch.Tensor) or (len(words) <= _SHORT and _few(value)) else shape(value)


def shape(tensor: torch.Tensor) -> str:
    """A shape such as 64×1000, or 3-vector."""
    return f"{len(tensor)}-vector" if tensor.ndim == 1 else "×".join(map(str, tensor.shape)) or "a number"


def _few(tensor: torch.Tensor) -> bool:
    """Whether its numbers are so few that they can be said."""
    return tensor.numel() <= _MOST and tensor.layout is torch.strided and tensor.device.type != "meta"


def _nested(value: object) -> str:
    return "[" + ", ".join(map(_nested, value)) + "]" if isinstance(value, list) else number(value)


def titles(record: Record) -> list[str]:
    """What each box is called: a leaf by its name, a node by its Function, numbered where there are several."""
    plain = [_title(node) for node in record.nodes]
    several = {title for title, count in Counter(plain).items() if count > 1}
    met: Counter[str] = Counter()
    found = []
    for title in plain:
        met[title] += 1
        found.append(f"{title} {met[title]}" if title in several else title)
    return found


def _title(node: Node) -> str:
    if node.kind == "leaf":
        return node.names[0] or "leaf"
    if node.kind == "folded":
        return node.names[0]
    return re.sub(r"Backward\d*$", "", node.function.rpartition("::")[2]) or node.function


def caption(node: Node) -> str:
    """The second line of a box: what it gave, by name where the tensor has one."""
    if node.kind == "leaf":
        return short(node.values[0])
    names = {} if node.kind == "folded" else node.names
    outputs = sorted(names.keys() | node.values.keys())
    return ", ".join(
        _given(names.get(output, ""), short(node.values[output]) if output in node.values else "") for output in outputs
    )


def _given(name: str, value: str) -> str:
    return " = ".join(filter(None, (name, value)))


def steps(record: Record) -> list[Step]:
    """The forward pass, box by box, and the backward pass in the order of the engine."""
    called = titles(record)
    found = [_forward(record, i, called) for i in range(len(record.nodes))]
    sent: dict[int, torch.Tensor | None] = {}
    for event in record.events:
        found.append(_backward(record, event, called, sent))
        sent.update(event.sent)
    return found


def _forward(record: Record, i: int, called: list[str]) -> Step:
    node = record.nodes[i]
    if node.kind == "leaf":
        return Step("forward", i, [], f"Leaf {called[i]} = {words_of(node.values[0])}.")
    into = sorted((edge.slot, number) for number, edge in enumerate(record.edges) if edge.target == i)
    numbers = [number for _, number in into]
    inputs = _listed(list(dict.fromkeys(_tensor(record, record.edges[one], called) for one in numbers)))
    inside = f", in {node.path[-1]}," if node.path else ""
    text = f"{called[i]}{inside} runs on {inputs or 'what needs no gradient'}"
    if node.kind == "folded":
        text = f"{called[i]}, {node.members} nodes in one box, runs on {inputs}"
    names = {} if node.kind == "folded" else node.names
    plain = "" if len(node.values) == 1 and 0 in node.values else "output {}"
    given = [_given(names.get(one) or plain.format(one), words_of(value)) for one, value in sorted(node.values.items())]
    text += f" and gives {_listed(given)}." if given else "."
    if node.unneeded and node.kind != "folded":
        text += " One of its inputs needs" if node.unneeded == 1 else f" {node.unneeded} of its inputs need"
        text += " no gradient: no edge leads there."
    if node.kind != "folded":
        text += f" It saves {_saved(node)}." if node.saved else " It saves nothing."
    labels = {one: short(record.nodes[record.edges[one].source].values.get(record.edges[one].output)) for one in numbers}
    return Step("forward", i, numbers, text, {one: label for one, label in labels.items() if label != "None"})


def _backward(record: Record, event: Event, called: list[str], sent: dict[int, torch.Tensor | None]) -> Step:
    i, node = event.node, record.nodes[event.node]
    text = _arrival(record, event, called, sent)
    if node.kind == "leaf":
        then = "AccumulateGrad adds " + ("nothing" if event.got[0] is None else "it")
        return Step("backward", i, [], f"{text} {then} to {called[i]}.grad.", {})
    ways = sorted(event.sent, key=lambda one: record.edges[one].slot)
    parts = [f"{words_of(event.sent[one])} to {_tensor(record, record.edges[one], called)}" for one in ways]
    text += f" {called[i]} sends {_listed(parts) or 'nothing'}."
    if node.saved:
        text += f" It reads {_saved(node)}."
    return Step(
        "backward", i, [one for one in ways if event.sent[one] is not None], text, {one: short(event.sent[one]) for one in ways}
    )


def _arrival(record: Record, event: Event, called: list[str], sent: dict[int, torch.Tensor | None]) -> str:
    """What a box gets, and from where: gradients that meet there add up."""
    here = called[event.node]
    sentences = []
    for output, got in enumerate(event.got):
        if got is None:
            sentences += [f"{here} gets None."] if len(event.got) == 1 else []
            continue
        parts = [one for one, edge in enumerate(record.edges) if edge.source == event.node and edge.output == output]
        parts = [one for one in parts if sent.get(one) is not None]
        which = f" for output {output}" if len(event.got) > 1 else ""
        if len(parts) > 1:
            meet = _listed([f"{words_of(sent[one])} from {called[record.edges[one].target]}" for one in parts])
            sentences.append(f"At {here}{which}, {meet} meet and add up to {words_of(got)}.")
        elif parts:
            sentences.append(f"{here} gets {words_of(got)}{which}.")
        else:
            sentences.append(f"The backward pass starts at {here}{which} with {words_of(got)}.")
    return " ".join(sentences)


def _tensor(record: Record, edge: Edge, called: list[str]) -> str:
    """The tensor that runs along an edge: its name, or whose result it is."""
    node = record.nodes[edge.source]
    if node.kind in ("operation", "custom") and edge.output in node.names:
        return node.names[edge.output]
    return f"output {edge.output} of {called[edge.source]}" if edge.output else called[edge.source]


def _saved(node: Node) -> str:
    return _listed([f"{name} = {words_of(value)}" for name, value in node.saved])


def _listed(parts: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
