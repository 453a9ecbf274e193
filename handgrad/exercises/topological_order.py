"""The exercise `topological_order` of chapter 02: all nodes behind a node, each after all that send to it."""

import ast
import contextlib
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence

from handgrad import engine
from handgrad.audit.draw import Draw
from handgrad.audit.record import Case, described
from handgrad.exercises.exercise import Exercise, Probe, Slip

MOST_READS = 500
RUNGS = 25  # a walk that comes by again on every path would take 2 ** 25 steps


class _Spot:
    """A node with a name and edges, and nothing else that a walk could lean on."""

    def __init__(self, name: str) -> None:
        self._name, self.next_functions = name, ()

    def name(self) -> str:
        return self._name


class _CountingSpot(_Spot):
    """A node that notices how often it is asked for its edges."""

    reads = 0

    @property
    def next_functions(self) -> tuple:
        self.reads += 1
        if self.reads > MOST_READS:
            raise RuntimeError(f"next_functions of one node was read {MOST_READS} times")
        return self._edges

    @next_functions.setter
    def next_functions(self, edges: tuple) -> None:
        self._edges = edges


Arrows = dict[str, list]  # the first is the root; None where nobody takes the gradient
Order = Callable[[object], Sequence]

CHAIN: Arrows = {"y": ["b"], "b": ["a"], "a": ["x"]}
CONSTANT: Arrows = {"y": [None, "a"], "a": ["x", None]}
DIAMOND: Arrows = {"y": ["a", "b"], "a": ["x"], "b": ["a"]}
MIRRORED: Arrows = {"y": ["b", "a"], "a": ["x"], "b": ["a"]}
TWICE: Arrows = {"y": ["a", "a"], "a": ["x", "x"]}
SHORTCUTS: Arrows = {"y": ["x", "c", "w"], "c": ["w", "b", "a"], "b": ["x", "a"], "a": ["x", "w"]}
LADDER: Arrows = {f"r{i}": [f"r{i + 1}", f"r{i + 1}"] for i in range(RUNGS)}
DEEP: Arrows = {f"n{i}": [f"n{i + 1}"] for i in range(5000)}


def _drawn(draw: Draw) -> Arrows:
    """Six to nine nodes; each has a sender, and some edges lie across."""
    names = draw.shuffled([f"n{i}" for i in range(draw.integer(6, 9))])
    arrows: Arrows = {names[0]: []}
    for place, name in enumerate(names[1:], 1):
        for sender in draw.shuffled(names[:place])[: draw.integer(1, 3)]:
            arrows.setdefault(sender, []).append(name)
    return {name: draw.shuffled(sent) for name, sent in arrows.items()}


def _built(arrows: Arrows, kind: type[_Spot] = _Spot) -> dict[str, _Spot]:
    """The nodes by name, the root first."""
    names = [*arrows, *(name for sent in arrows.values() for name in sent if name is not None)]
    spots = {name: kind(name) for name in dict.fromkeys(names)}
    for name, sent in arrows.items():
        spots[name].next_functions = tuple((None if following is None else spots[following], 0) for following in sent)
    return spots


def _words(arrows: Arrows) -> str:
    return "; ".join(f"{name} sends to {', '.join(map(str, sent))}" for name, sent in arrows.items())


def _form(answer: Order, draw: Draw) -> Iterator[Case]:
    ours = answer is engine.topological_order
    yield {
        "given": "the answer itself",
        "seen": {"what it is": "the engine's own function" if ours else "a function of your own"},
    }
    spots = _built(CONSTANT)
    found = answer(spots["y"])
    given, expected = _words(CONSTANT), "a list"
    is_sequence = isinstance(found, Sequence) and not isinstance(found, str)
    seen = expected if is_sequence else described(found)
    yield {"given": given, "seen": {"what it returns": seen}, "accept": {"what it returns": [expected]}}
    if is_sequence:
        odd = [item for item in found if not isinstance(item, _Spot)]
        yield {"given": given, "seen": {"each of the list": described(odd[0]) if odd else "a node"}}


def _order(*graphs: Arrows | Callable[[Draw], Arrows]) -> Callable[[Order, Draw], Iterator[Case]]:
    def observe(answer: Order, draw: Draw) -> Iterator[Case]:
        for graph in graphs:
            arrows = graph if isinstance(graph, dict) else graph(draw)
            spots = _built(arrows)
            yield {"given": _words(arrows), "seen": _seen(answer(next(iter(spots.values()))), spots, draw)}

    return observe


def _seen(order: Sequence, spots: dict[str, _Spot], draw: Draw) -> dict:
    """How often each node is listed, what is listed too early, and what a run in this order brings to each node without edges."""
    times = Counter(spot.name() for spot in order)
    place = {spot: i for i, spot in reversed([*enumerate(order)])}
    early = [
        f"{following.name()} before {spot.name()}"
        for spot in spots.values()
        for following, _ in dict.fromkeys(spot.next_functions)
        if following is not None and place.get(following, len(order)) < place.get(spot, -1)
    ]
    return {
        **{f"times that {name} is listed": times[name] for name in spots},
        "listed too early": early,
        "gradients that arrive when each node runs once, in this order": _run(order, spots, draw),
    }


def _run(order: Sequence, spots: dict[str, _Spot], draw: Draw) -> list[int]:
    """Each node multiplies what has arrived by a number for each edge; a node that stands too early sends too little."""
    factors = {spot: [draw.integer(1, 9) * draw.choice([-1, 1]) for _ in spot.next_functions] for spot in spots.values()}
    arrived = Counter({next(iter(spots.values())): 1})
    for spot in dict.fromkeys(order):
        for (following, _), factor in zip(spot.next_functions, factors[spot], strict=True):
            if following is not None:
                arrived[following] += arrived[spot] * factor
    return [arrived[spot] for spot in spots.values() if not spot.next_functions]


def _again(answer: Order, draw: Draw) -> Iterator[Case]:
    """Marks that a walk leaves on the nodes, or in a default argument, are still there the second time."""
    spots = _built(SHORTCUTS)
    for root in ("y", "c", "y"):
        listed = sorted(spot.name() for spot in answer(spots[root]))
        yield {"given": f"{_words(SHORTCUTS)}; called for y, c and y again, here for {root}", "seen": {"listed": listed}}


def _once(answer: Order, draw: Draw) -> Iterator[Case]:
    spots = _built(LADDER, _CountingSpot)
    given = f"a ladder: r0 sends to r1 twice, r1 to r2 twice, … down to r{RUNGS}"
    yield {"given": given, "seen": {"listed": [spot.name() for spot in answer(spots["r0"])]}}


def _deep(answer: Order, draw: Draw) -> Iterator[Case]:
    spots = _built(DEEP)
    with usual_recursion_limit():
        order = answer(spots["n0"])
    in_order = [spot.name() for spot in order] == list(spots)
    given = "a chain of 5000 nodes and its leaf"
    yield {"given": given, "seen": {"nodes listed": len(order), "in the order of the chain": in_order}}


@contextlib.contextmanager
def usual_recursion_limit() -> Iterator[None]:
    """Python's own limit, whatever somebody has set before."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, 1000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _own_order(source: str) -> str | None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "topological_order" for alias in node.names):
            return f"line {node.lineno} imports the engine's order; here you write one yourself."
    return None


def no_deeper_recursion(source: str) -> str | None:
    """The rule that an answer doesn't raise the limit: the chain that overflows is only longer then."""
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError):
        return None
    for call in calls:
        if ast.unparse(call.func).endswith("setrecursionlimit"):
            return (
                f"line {call.lineno} raises the recursion limit, and a longer chain overflows. Keep a list of what is left to do."
            )
    return None


def _depth_first(root: object) -> list:
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, finished = stack.pop()
        if finished:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack += [(node, True), *((following, False) for following in engine.receivers(node))]
    return order[::-1]


def _met(take: Callable[[deque], object], seen: bool = True, nested: bool = False) -> Order:
    """Nodes in the order in which a walk meets them, which is not what is asked."""

    def order(root: object) -> list:
        found, waiting = [], deque([root])
        while waiting:
            node = take(waiting)
            if seen and node in found:
                continue
            found.append(node)
            following = engine.receivers(node)
            if nested:
                waiting.extendleft(reversed(following))
            else:
                waiting.extend(following)
        return found

    return order


def _met_at_once(root: object) -> list:
    """Breadth or depth first, a node marked when it is put in line."""
    found = [root]
    for node in found:
        found += [following for following in dict.fromkeys(engine.receivers(node)) if following not in found]
    return found


_FIRST_MET = (
    "Nodes stand in the order in which the walk first meets them, so one comes before another that still has to send to it. "
    "Write a node down when all behind it are written, and turn the list round; or when all its senders are."
)
_TREE = "A node that two paths reach is written down twice: remember which nodes you have seen."
_RECURSION = (
    "Python gives up after about 1000 calls in one another. Keep a list of what is left to do, and loop until it is empty."
)

TOPOLOGICAL_ORDER = Exercise(
    name="topological_order",
    chapter="02_engine",
    probes=(
        Probe(
            "form",
            _form,
            "Your own function returns a list of nodes; an entry (None, 0) leads nowhere and is left out.",
            gate=True,
        ),
        Probe("chain", _order(CHAIN), "Begin with the node that you were given, and end with the leaf, each node once."),
        Probe("diamond", _order(DIAMOND, MIRRORED), "Each node is listed once, after all nodes that send to it."),
        Probe("shared", _order(CONSTANT, TWICE, SHORTCUTS), "However many ways lead to a node, it is listed once."),
        Probe("drawn", _order(*[_drawn] * 5), "Each node is listed once, after all nodes that send to it."),
        Probe("again", _again, "Something is left over from the call before: make what the walk remembers anew in each call."),
        Probe("once", _once, "Each node is listed once, and looked at once or twice.", errors=((r"was read", _TREE),)),
        Probe("deep", _deep, _RECURSION),
    ),
    reference=_depth_first,
    slips=(
        Slip(lambda root: _depth_first(root)[::-1], "This runs from the leaves to y: turn the list round."),
        Slip(lambda root: _depth_first(root)[1:], "The node that you were given is missing: it runs first."),
        Slip(
            lambda root: [node for node in _depth_first(root) if node.next_functions],
            "The leaves' nodes are missing: a node without edges has work too, it adds to its leaf.",
        ),
        *(Slip(_met(deque.popleft, seen=False, nested=nested), _TREE) for nested in (False, True)),
        Slip(_met(deque.pop, seen=False), _TREE),
        *(Slip(_met(deque.popleft, nested=nested), _FIRST_MET) for nested in (False, True)),
        Slip(_met(deque.pop), _FIRST_MET),
        Slip(_met_at_once, _FIRST_MET),
    ),
    errors=(
        (r"RecursionError", _RECURSION),
        (r"'NoneType' object has no attribute", "An entry may be (None, 0), where nobody takes the gradient: pass it over."),
        (r"'tuple' object has no attribute", "An entry of next_functions is a pair (node, number): take the node."),
    ),
    rules=(no_deeper_recursion, _own_order),
    hints=(
        "A node may be reached early on a short way, and still wait for a gradient on a long one. When is none missing?",
        "Either count: a node is ready when all that send to it are listed. "
        "Or go depth first: write a node down when everything behind it is written, and turn the list round at the end.",
        "Depth first without recursion: a stack of pairs (node, finished). Pop one; if finished, `order.append(node)`; "
        "else, if it is new, push (node, True), then (following, False) for each node of its next_functions.",
    ),
)

EXERCISES = (TOPOLOGICAL_ORDER,)
