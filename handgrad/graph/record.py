"""What happened on the way forward and back: the nodes of a real autograd graph, and a real backward pass, step by step.

The picture (`handgrad.graph.picture`) is drawn from the record alone. Nothing here changes what it looks at: leaves have the
same `.grad` afterwards, random generators the same state, and hooks are gone.
"""

import contextlib
import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType

import torch

from handgrad.graph.watch import Calls, Locals, Made, Values, copy, kept_gradients, tensors_of, untouched


@dataclass
class Node:
    """A node of the graph.

    Attributes:
        function: the name that torch gives it, such as `MulBackward0`; for a leaf, `torch::autograd::AccumulateGrad`.
        kind: `leaf`, `operation`, `custom` (an `autograd.Function` of one's own), or `folded`, several nodes in one.
        names: of the tensors that it made, by output number; of a folded node, the module's.
        values: what it gave, by output number, as far as it was seen.
        saved: what it keeps for its backward, by name.
        path: the modules in whose forward it was made, outermost first, each with the number of its call.
        parameter: whether a leaf is a module's parameter.
        unneeded: how many of its inputs need no gradient: their edges are `(None, 0)`.
        members: how many nodes a folded one holds.
    """

    function: str
    kind: str
    names: dict[int, str] = field(default_factory=dict)
    values: dict[int, torch.Tensor] = field(default_factory=dict)
    saved: list[tuple[str, object]] = field(default_factory=list)
    path: tuple[str, ...] = ()
    parameter: bool = False
    unneeded: int = 0
    members: int = 1


@dataclass(frozen=True)
class Edge:
    """From the node that made a tensor to one that uses it, as its input `slot`: the gradient runs the other way.

    `output` is the number of the tensor among those that the first made, torch's `input_nr`.
    """

    source: int
    target: int
    slot: int
    output: int


@dataclass
class Event:
    """A node's turn in the backward pass: what it got, by output, and what it sent along each of its edges."""

    node: int
    got: list[torch.Tensor | None]
    sent: dict[int, torch.Tensor | None]


@dataclass
class Record:
    """A graph, its nodes in the order of the forward pass, and the events of its backward pass, if there was one."""

    nodes: list[Node]
    edges: list[Edge]
    events: list[Event] = field(default_factory=list)
    note: str = ""


def record_graph(outputs: tuple[torch.Tensor, ...], names: Mapping[str, torch.Tensor]) -> Record:
    """The graph behind tensors, as it is.

    Raises:
        ValueError: there is none.
    """
    return _Walk(_with_graph(outputs), names, {}, []).record


def record_run(function: Callable, tensors: Mapping[str, torch.Tensor], upstream: object) -> Record:
    """Run a function and its backward pass.

    Args:
        upstream: the gradient of the result, one for each where there are several; ones where it is None.

    Raises:
        ValueError: the result has no graph.
    """
    names, modules = _names(function, tensors)
    with untouched(tensors), torch.enable_grad():
        seen, made, calls, inside = Values(), Made(), Calls(modules), Locals(function)
        with seen, made, calls, inside:
            result = function(**tensors)
        outputs = _with_graph(tensors_of(result))
        walk = _Walk(outputs, inside.tensors | names, made.values() | seen.values, calls.calls)
        with kept_gradients([node.variable for node in walk.nodes if hasattr(node, "variable")], tensors.values()):
            walk.record.events = list(walk.backward(outputs, upstream))
    return walk.record


def _with_graph(outputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    found = tuple(output for output in outputs if output.grad_fn is not None)
    if not found:
        what = "no tensor" if not outputs else "a tensor without grad_fn"
        raise ValueError(f"there is no graph to draw: the result is {what}. Give at least one tensor that requires grad.")
    return found


def _names(function: Callable, tensors: Mapping[str, torch.Tensor]) -> tuple[dict[str, torch.Tensor], dict[int, str]]:
    """Names for tensors and for modules: those given, those of a module's parts, and what the function uses from around it."""
    around = {"": function} if isinstance(function, torch.nn.Module) else _around(function)
    names: dict[str, torch.Tensor] = {}
    modules: dict[int, str] = {}
    for name, thing in around.items():
        if isinstance(thing, torch.nn.Module):
            for inner, module in thing.named_modules(prefix=name):
                modules.setdefault(id(module), inner)
            names.update(thing.named_parameters(prefix=name))
        elif isinstance(thing, torch.Tensor):
            names[name] = thing
    return {**names, **tensors}, modules


class _Walk:
    """From the outputs down to the leaves."""

    def __init__(self, outputs: tuple[torch.Tensor, ...], names: Mapping[str, torch.Tensor], values: dict, calls: list) -> None:
        self.nodes = _in_order([output.grad_fn for output in outputs])
        index = {node: i for i, node in enumerate(self.nodes)}
        made = {(tensor.grad_fn, tensor.output_nr): name for name, tensor in names.items() if _grad_fn(tensor) is not None}
        leaves = {id(tensor): name for name, tensor in reversed(names.items()) if isinstance(tensor, torch.Tensor)}
        known = dict(values)
        for node in self.nodes:
            for _, tensor in _saved(node):  # what one node saved, another has made
                if isinstance(tensor, torch.Tensor) and tensor.grad_fn is not None:
                    known.setdefault((tensor.grad_fn, tensor.output_nr), copy(tensor))
        for output in outputs:
            known.setdefault((output.grad_fn, output.output_nr), copy(output))
        self.record = Record([_node(node, leaves, made, known, calls) for node in self.nodes], [])
        self.edges: dict[tuple[int, int], int] = {}
        for i, node in enumerate(self.nodes):
            for slot, (source, output) in enumerate(node.next_functions):
                if source is not None:
                    self.edges[i, slot] = len(self.record.edges)
                    self.record.edges.append(Edge(index[source], i, slot, output))
        self._put_leaves_in_modules()

    def _put_leaves_in_modules(self) -> None:
        """A parameter belongs where all that use it are; a tensor that was given belongs to nobody."""
        for i, node in enumerate(self.record.nodes):
            if node.parameter:
                paths = [self.record.nodes[edge.target].path for edge in self.record.edges if edge.source == i]
                node.path = _common(paths)

    def backward(self, outputs: tuple[torch.Tensor, ...], upstream: object) -> Iterator[Event]:
        """Run it, and tell each node's turn in the order of the engine."""
        events: list[tuple[int, tuple, tuple]] = []
        handles = []
        for i, node in enumerate(self.nodes):
            if hasattr(node, "variable"):
                handles.append(node.register_prehook(lambda got, i=i: events.append((i, _copies(got), ()))))
            else:
                handles.append(
                    node.register_hook(lambda sent, got, i=i: events.append((i, _copies(got), _copies(sent))))  # both as they are
                )
        try:
            # what was there before `function` ran keeps what it saved
            torch.autograd.backward(outputs, _upstream(outputs, upstream), retain_graph=True)
        finally:
            for handle in handles:
                handle.remove()
        for i, got, sent in events:
            yield Event(i, list(got), {self.edges[i, slot]: one for slot, one in enumerate(sent) if (i, slot) in self.edges})


def _around(function: Callable) -> dict[str, object]:
    """What a function uses from around it, by name: globals, also of functions within it, and variables that it encloses."""
    code, found = getattr(function, "__code__", None), {}
    waiting = [code] if code else []
    while waiting:
        one = waiting.pop()
        found |= {name: function.__globals__[name] for name in one.co_names if name in function.__globals__}
        waiting += [constant for constant in one.co_consts if isinstance(constant, CodeType)]
    for name, cell in zip(code.co_freevars if code else (), function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not assigned yet
            found[name] = cell.cell_contents
    return found


def _upstream(outputs: tuple[torch.Tensor, ...], upstream: object) -> list[torch.Tensor]:
    """A gradient for each output.

    Raises:
        ValueError: there are more or fewer than outputs.
    """
    if upstream is None:
        return [torch.ones_like(output) for output in outputs]
    given = [upstream] if len(outputs) == 1 else list(upstream) if isinstance(upstream, (tuple, list)) else []
    if len(given) != len(outputs):
        raise ValueError(f"upstream must be a tuple of {len(outputs)} gradients: the result has so many tensors with a graph")
    return [torch.as_tensor(one, dtype=output.dtype, device=output.device) for one, output in zip(given, outputs, strict=True)]


def _in_order(roots: list) -> list:
    """All nodes below `roots`, each before those that use it, and otherwise in the order in which they were made.

    A leaf comes right before its first user.
    """
    users: dict = {root: 0 for root in roots}
    stack = list(users)
    while stack:
        for source, _ in stack.pop().next_functions:
            if source is None:
                continue
            if source not in users:
                users[source] = 0
                stack.append(source)
            users[source] += 1
    # from the end, the youngest first: sequence numbers grow with time, but another thread counts for itself
    ready = [(-_age(node), number, node) for number, node in enumerate(users) if users[node] == 0]
    heapq.heapify(ready)
    backwards, number = [], len(users)
    while ready:
        _, _, node = heapq.heappop(ready)
        backwards.append(node)
        for source, _ in node.next_functions:
            if source is None:
                continue
            users[source] -= 1
            if users[source] == 0:
                number += 1
                heapq.heappush(ready, (-_age(source), number, source))
    forward: dict = {}
    for node in reversed(backwards):
        if hasattr(node, "variable"):
            continue
        for source, _ in node.next_functions:
            if source is not None and hasattr(source, "variable"):
                forward.setdefault(source)
        forward.setdefault(node)
    return list(forward)


def _age(node) -> int:
    return 0 if hasattr(node, "variable") else node._sequence_nr()


def _node(node, leaves: dict[int, str], made: dict, values: dict, calls: list) -> Node:
    if hasattr(node, "variable"):
        leaf = node.variable
        return Node(
            node.name(), "leaf", {0: leaves.get(id(leaf), "")}, {0: copy(leaf)}, parameter=isinstance(leaf, torch.nn.Parameter)
        )
    number = node._sequence_nr()
    return Node(
        node.name(),
        "custom" if hasattr(type(node), "saved_tensors") else "operation",
        {output: name for (one, output), name in made.items() if one is node},
        {output: value for (one, output), value in values.items() if one is node},
        [(name, copy(value) if isinstance(value, torch.Tensor) else value) for name, value in _saved(node)],
        tuple(name for name, begin, end in calls if name and begin <= number < end),
        unneeded=sum(source is None for source, _ in node.next_functions),
    )


def _saved(node) -> list[tuple[str, object]]:
    """What the forward pass left in a node, by torch's own names; what can no longer be read, as words."""
    if hasattr(node, "variable"):
        return []
    found: list[tuple[str, object]] = []
    if hasattr(type(node), "saved_tensors"):
        try:
            found += [(f"saved_tensors[{i}]", tensor) for i, tensor in enumerate(node.saved_tensors)]
        except RuntimeError as error:
            found.append(("saved_tensors", _unreadable(error)))
        found += [(name, value) for name, value in vars(node).items() if not name.startswith("_")]
    else:
        for name in sorted(
            (name for name in dir(node) if name.startswith("_saved_")), key=lambda name: (name != "_saved_self", name)
        ):
            try:
                found.append((name.removeprefix("_saved_").replace("_sym_", " "), getattr(node, name)))
            except RuntimeError as error:
                found.append((name.removeprefix("_saved_"), _unreadable(error)))
    found = [(name, value) for name, value in found if _tells(value)]
    if any(isinstance(value, torch.Tensor) for _, value in found):  # which has a size itself
        found = [(name, value) for name, value in found if not name.endswith((" sizes", " strides"))]
    return found


def _unreadable(error: RuntimeError) -> str:
    return "written into since" if "modified by an inplace operation" in str(error) else "freed"


def _tells(value: object) -> bool:
    """Whether a saved value is one that a reader understands; 2**64 - 1 is torch's way to say none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return abs(value) < 2**31
    if isinstance(value, (tuple, list)):
        return 0 < len(value) <= 4 and all(isinstance(one, int) for one in value)
    return isinstance(value, (torch.Tensor, float, str, bool))


def _grad_fn(tensor: object):
    return tensor.grad_fn if isinstance(tensor, torch.Tensor) else None


def _copies(tensors: tuple) -> tuple:
    return tuple(None if tensor is None else copy(tensor) for tensor in tensors)


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The beginning that all paths share."""
    shared = []
    for names in zip(*paths, strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return tuple(shared)
