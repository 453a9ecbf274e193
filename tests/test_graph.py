"""The picture of a graph: its numbers are torch's, its boxes stand apart, and what it looked at is as before."""

import cProfile
import doctest
import itertools
import json
import re
import subprocess
import sys
from urllib.parse import unquote
from xml.etree import ElementTree

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given, settings
from torch import nn

from handgrad import graph
from handgrad.graph.fold import LIMIT, fold
from handgrad.graph.layout import Order
from handgrad.graph.record import record_run
from handgrad.graph.words import words_of


class SinCos(torch.autograd.Function):
    """Two outputs, and an argument that is no tensor."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return factor * x.sin(), factor * x.cos()

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        return ctx.factor * (grad_sin * x.cos() - grad_cos * x.sin()), None


class Residual(nn.Module):
    def __init__(self, size: int = 4) -> None:
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(size, 8), nn.Linear(8, size)

    def forward(self, h):
        return h + self.fc2(torch.relu(self.fc1(h)))


def diamond(x, w):
    a = x * w
    b = a + x
    return a * b


def two_outputs(x):
    sin, cos = SinCos.apply(x, 2.0)
    return sin * cos + sin


def rnn(x, w_input, w_hidden):
    h = torch.zeros(2, 4)
    for step in x:
        h = torch.tanh(step @ w_input + h @ w_hidden)
    return h


def second_order(x):
    (gradient,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return gradient * x


def in_place(x):
    y = x * 2
    y.mul_(x)
    y[0] = 5.0
    return y


def half_without_gradient(x):
    with torch.no_grad():
        scale = x * 10
    return x * scale + x.detach()


def gradients_of_leaves(picture: graph.Picture) -> dict[str, torch.Tensor]:
    events = [(picture.record.nodes[event.node], event.got[0]) for event in picture.record.events]
    return {node.names[0]: got for node, got in events if node.kind == "leaf"}


def number(value: float) -> torch.Tensor:
    return torch.tensor(value, requires_grad=True)


def some(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)), requires_grad=True)


RUNS = {
    "diamond": (diamond, {"x": number(3.0), "w": number(2.0)}),
    "two outputs": (two_outputs, {"x": some(2)}),
    "rnn": (rnn, {"x": some(10, 2, 3), "w_input": some(3, 4), "w_hidden": some(4, 4)}),
    "second order": (second_order, {"x": some(2)}),
    "in place": (in_place, {"x": some(3)}),
    "no grad": (half_without_gradient, {"x": some(3)}),
    "broadcast": (lambda x, b: (x + b).sum(0), {"x": some(3, 2), "b": some(2)}),
    "unbind": (lambda x: x.unbind()[0] * x.unbind()[2], {"x": some(3, 2)}),
    "split and cat": (lambda x: torch.cat([part * k for k, part in enumerate(x.split(2))]), {"x": some(6)}),
}


@pytest.mark.parametrize("name", RUNS)
def test_values_and_gradients_are_torchs(name):
    function, tensors = RUNS[name]
    upstream = torch.randn(function(**tensors).shape, generator=torch.Generator().manual_seed(0))
    picture = graph.trace(function, upstream=upstream, **tensors)
    wanted = dict(zip(tensors, torch.autograd.grad(function(**tensors), list(tensors.values()), upstream), strict=True))
    got = {
        picture.record.nodes[e.node].names[0]: e.got[0]
        for e in picture.record.events
        if picture.record.nodes[e.node].kind == "leaf"
    }
    assert got.keys() == wanted.keys()
    for leaf, gradient in wanted.items():
        torch.testing.assert_close(got[leaf], gradient)
        step = [
            step for step in picture.steps if step.phase == "backward" and picture.record.nodes[step.node].names.get(0) == leaf
        ][-1]
        assert words_of(gradient) in step.text, step.text
    last = picture.record.events[0].node
    torch.testing.assert_close(picture.record.nodes[last].values[0], function(**tensors).detach())
    assert all(node.values for node in picture.record.nodes), "a value was not seen"


def test_nodes_run_in_the_engines_order():
    x, w = number(3.0), number(2.0)
    y = diamond(x, w)
    ran, stack, seen = [], [y.grad_fn], set()
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            node.register_prehook(lambda _, node=node: ran.append(node.name()))
            stack += [source for source, _ in node.next_functions if source is not None]
    y.backward()
    order = tuple(ran)  # AccumulateGrad outlives the graph, and keeps its hook
    picture = graph.trace(diamond, x=x, w=w)
    assert tuple(picture.record.nodes[event.node].function for event in picture.record.events) == order


def test_what_stands_in_the_words():
    text = str(graph.trace(diamond, x=number(3.0), w=number(2.0)))
    assert "Mul 1 runs on x and w and gives a = 6. It saves self = 3 and other = 2." in text
    assert "At Mul 1, 6 from Add and 9 from Mul 2 meet and add up to 15. Mul 1 sends 30 to x and 45 to w." in text
    text = str(graph.trace(two_outputs, x=torch.tensor([1.0, 2.0], requires_grad=True), upstream=torch.tensor([1.0, 10.0])))
    assert "It saves saved_tensors[0] = [1, 2] and factor = 2." in text
    assert "gives sin = " in text and " and cos = " in text
    assert "One of its inputs needs no gradient: no edge leads there." in str(graph.trace(half_without_gradient, x=number(1.0)))
    assert re.search(r"SinCos gets \[.*\] for output 1", text)


def test_the_example_in_the_docstring_runs():
    assert doctest.testmod(graph) == (0, 2)


class SecondForgotten(torch.autograd.Function):
    """A product that sends no gradient to its second factor."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        (b,) = ctx.saved_tensors
        return grad_output * b, None


def test_a_gradient_of_none_is_said():
    text = str(graph.trace(lambda a, b: SecondForgotten.apply(a, b), a=number(2.0), b=number(3.0)))
    assert "SecondForgotten sends 3 to a and None to b." in text
    assert "b gets None. AccumulateGrad adds nothing to b.grad." in text


def test_what_a_function_uses_has_its_name():
    layer, scale = nn.Linear(2, 2), number(3.0)
    text = str(graph.trace(lambda x: sum(layer(one) * scale for one in (x, x)).sum(), x=some(1, 2)))
    assert "Leaf layer.weight = " in text and "Leaf scale = 3." in text and ", in layer, runs on" in text


def test_nothing_is_changed():
    x, w = number(3.0), number(2.0)
    x.grad, before = torch.tensor(7.0), torch.get_rng_state()
    middle = x * w
    middle.retain_grad()
    profile = sys.getprofile()

    def noisy(x, m):
        return torch.dropout(x * m * torch.rand(1), 0.5, True)

    first, second = (str(graph.trace(noisy, x=x, m=middle)) for _ in range(2))
    assert first == second, "the generator's state was not given back"
    assert x.grad is not None and x.grad.item() == 7 and w.grad is None and middle.grad is None
    assert torch.equal(torch.get_rng_state(), before) and sys.getprofile() is profile
    assert torch.is_grad_enabled()
    with torch.no_grad():
        graph.trace(diamond, x=x, w=w)
        assert not torch.is_grad_enabled()

    def fails(x):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        graph.trace(fails, x=x)
    assert torch.equal(torch.get_rng_state(), before) and sys.getprofile() is profile
    linear = nn.Linear(2, 1)
    graph.trace(lambda x: linear(x), x=some(3, 2))
    assert linear.weight.grad is None
    from torch.nn.modules import module

    assert not module._global_forward_hooks and not module._global_forward_pre_hooks


def test_a_profiler_goes_on():
    with cProfile.Profile() as profiler:
        graph.trace(diamond, x=number(3.0), w=number(2.0))
        assert sys.getprofile() is profiler


def test_draw_takes_a_graph_as_it_is():
    x, w = number(3.0), number(2.0)
    y = diamond(x, w)
    picture = graph.draw(y, x=x, w=w)
    assert [step.phase for step in picture.steps] == ["forward"] * 5 and x.grad is None
    y.backward()
    assert "freed" in str(graph.draw(y, x=x, w=w)), "saved tensors are gone after backward"
    a = some(3)
    b = a.exp()
    y = b * 2
    with torch.no_grad():
        b.add_(1)
    assert "written into since" in str(graph.draw(y.sum(), a=a))


def test_several_results_and_their_upstream():
    x = number(2.0)
    picture = graph.trace(lambda x: {"square": x * x, "parts": (x.exp(), 3.0)}, x=x, upstream=(10.0, 0.0))
    (event,) = (event for event in picture.record.events if picture.record.nodes[event.node].kind == "leaf")
    assert event.got[0].item() == 40
    with pytest.raises(ValueError, match="upstream must be a tuple of 2 gradients"):
        graph.trace(lambda x: (x * x, x.exp()), x=x, upstream=1.0)


def test_without_a_graph_it_says_so():
    with pytest.raises(ValueError, match="no graph to draw: the result is a tensor without grad_fn"):
        graph.trace(lambda x: x * 2, x=torch.ones(2))
    with pytest.raises(ValueError, match="the result is no tensor"):
        graph.trace(lambda x: "y", x=number(1.0))
    with pytest.raises(ValueError, match="Give at least one tensor that requires grad"):
        graph.draw(number(1.0))


def test_modules_have_their_names_and_a_frame():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    picture = graph.trace(model, input=torch.ones(2, 3))
    assert "Addmm 1, in 0, runs on" in str(picture)
    leaves = {node.names[0]: node.path for node in picture.record.nodes if node.kind == "leaf"}
    assert leaves == {"0.weight": ("0",), "0.bias": ("0",), "2.weight": ("2",), "2.bias": ("2",)}
    drawing = picture._drawing
    named = {box.caption.partition(":")[0] for box in drawing.boxes if ":" in box.caption}
    assert set(drawing.frames) | named == {"0", "2"} and not set(drawing.frames) & named


def test_a_large_graph_is_folded_by_module_and_says_so():
    torch.manual_seed(0)
    cell = nn.RNNCell(3, 4)

    def unrolled(x):
        h = torch.zeros(2, 4)
        for k in range(10):
            h = cell(x[k], h)
        return h.sum()

    x = some(10, 2, 3)
    picture = graph.trace(unrolled, x=x)
    assert picture.record.note.startswith("76 nodes, folded by module into 22 boxes")
    names = [node.names[0] for node in picture.record.nodes if node.kind == "folded"]
    assert names == ["cell", *(f"cell · call {k}" for k in range(2, 11))]
    (event,) = (event for event in picture.record.events if picture.record.nodes[event.node].kind == "leaf")
    torch.testing.assert_close(event.got[0], torch.autograd.grad(unrolled(x), x)[0])


def test_a_large_graph_without_modules_is_folded_in_time():
    def long(x, w):
        for _ in range(50):
            x = (x * w).sin() + x
        return x

    x, w = number(0.5), number(1.1)
    picture = graph.trace(long, x=x, w=w)
    assert len(picture.record.nodes) <= LIMIT and "152 nodes, folded in the order of their making" in str(picture)
    got = {
        picture.record.nodes[e.node].names[0]: e.got[0]
        for e in picture.record.events
        if picture.record.nodes[e.node].kind == "leaf"
    }
    for leaf, gradient in zip("xw", torch.autograd.grad(long(x, w), (x, w)), strict=True):
        torch.testing.assert_close(got[leaf], gradient)


@pytest.mark.parametrize("limit", [3, 5, 9, 17])
def test_a_fold_never_leads_into_itself(limit):
    model = nn.Sequential(Residual(), Residual(), nn.Linear(4, 2))
    folded = fold(record_run(lambda x: model(x).sum(), {"x": some(3, 4)}, None), limit)
    assert len(folded.nodes) <= limit and all(edge.source < edge.target for edge in folded.edges)


def test_it_is_the_same_each_time():
    code = """
import torch
from handgrad import graph
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
print(hash(""), graph.trace(lambda x: model(x).pow(2).sum(), x=torch.ones(2, 3))._repr_html_())
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_the_html_is_safe_and_whole():
    class Tagged(nn.Module):
        def forward(self, x):
            return x * 2

    evil = {"</script><b>&\"'": Tagged()}
    model = nn.ModuleDict({"a": evil["</script><b>&\"'"]})
    model.forward = lambda x: model["a"](x) + x
    x = number(1.0)
    picture = graph.draw(x * 3, **{"</script><b>&\"'": x})
    page = picture._repr_html_()
    assert page.count("</script>") == 2 and "<b>" not in page
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])
    assert data[0][3] == "Leaf </script><b>&\"' = 1."
    image = re.search(r'src="data:image/svg\+xml,([^"]*)"', page)[1]
    assert "</script><b>&\"'" in "".join(ElementTree.fromstring(unquote(image)).itertext())
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", unquote(page)), "it asks the network for something"


@pytest.mark.parametrize("ending", ["svg", "png", "html", "txt", "dot"])
def test_files(tmp_path, ending):
    picture = graph.trace(diamond, x=number(3.0), w=number(2.0))
    picture.save(tmp_path / f"graph.{ending}")
    content = (tmp_path / f"graph.{ending}").read_bytes()
    starts = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!doctype html>", "txt": b"forward", "dot": b"digraph"}
    assert content.startswith(starts[ending]) and len(content) > 300
    with pytest.raises(ValueError, match=r"graph\.gif would have to end in"):
        picture.save(tmp_path / "graph.gif")


def check_drawing(picture: graph.Picture) -> None:
    """No box on another, no edge through a box, all within the picture."""
    drawing = picture._drawing
    for one, other in itertools.combinations(drawing.boxes, 2):
        assert not _overlap(one.area, other.area), (one.title, other.title)
    for edge, curve in zip(picture.record.edges, drawing.curves, strict=True):
        for x, y in _points(curve):
            assert -1 <= x <= drawing.width + 1 and -1 <= y <= drawing.height + 1
            for i, box in enumerate(drawing.boxes):
                if i not in (edge.source, edge.target):
                    left, top, right, bottom = box.area
                    assert not (left < x < right and top < y < bottom), f"an edge runs through {box.title}"


def _points(curve):
    for k in range(0, len(curve) - 1, 3):
        for t in (j / 12 for j in range(13)):
            weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
            yield tuple(sum(w * point[axis] for w, point in zip(weights, curve[k : k + 4], strict=True)) for axis in (0, 1))


def _overlap(one, other) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_long_edges_are_led_round():
    def recurrent(x, w):
        h = x
        for _ in range(10):
            h = torch.tanh(h * w + x)
        return h

    assert graph.trace(recurrent, x=number(0.5), w=number(1.5))._drawing._order.crossings == 0


@pytest.mark.parametrize("name", RUNS)
def test_boxes_edges_and_labels_stand_apart(name):
    function, tensors = RUNS[name]
    picture = graph.trace(function, **tensors)
    check_drawing(picture)
    drawing = picture._drawing
    labels = [
        (x - width / 2, y - 7, x + width / 2, y + 7)
        for (x, y), width in zip(drawing.places, drawing._widest, strict=True)
        if width
    ]
    assert not any(_overlap(one, other) for one, other in itertools.combinations(labels, 2)), "labels overlap"
    assert not any(_overlap(label, box.area) for label in labels for box in drawing.boxes), "a label lies on a box"


def test_no_crossing_where_there_need_be_none():
    trees = {
        "a ladder": [(0, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 6)],
        "crossed on paper": [(0, 5), (1, 4), (2, 3), (3, 6), (4, 7), (5, 8)],
        "a fan": [(0, k) for k in range(1, 9)] + [(k, 9) for k in range(1, 9)],
        "long ways": [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (0, 3), (5, 4)],
    }
    for name, edges in trees.items():
        count = 1 + max(max(edge) for edge in edges)
        assert Order(count, edges).crossings == 0, name


OPERATIONS = {
    "add": lambda a, b: a + b,
    "mul": lambda a, b: a * b,
    "sin": lambda a, b: a.sin(),
    "detached": lambda a, b: a + b.detach(),
    "both": lambda a, b: sum(SinCos.apply(a, 0.5)),
    "stack": lambda a, b: torch.stack([a, b]).sum(0),
    "in place": lambda a, b: (a * 1).add_(b),
}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(OPERATIONS)), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25))
def test_any_program(program):
    def run(x, y):
        made = [x, y]
        for name, one, other in program:
            made.append(OPERATIONS[name](made[one % len(made)], made[other % len(made)]))
        return sum(made)

    tensors = {"x": torch.tensor([0.3, -1.2], requires_grad=True), "y": torch.tensor([2.0, 0.1], requires_grad=True)}
    picture = graph.trace(run, **tensors)
    got = {
        picture.record.nodes[e.node].names[0]: e.got[0]
        for e in picture.record.events
        if picture.record.nodes[e.node].kind == "leaf"
    }
    for leaf, gradient in zip(tensors, torch.autograd.grad(run(**tensors).sum(), list(tensors.values())), strict=True):
        torch.testing.assert_close(got[leaf], gradient)
    check_drawing(picture)
    assert len(picture.record.nodes) <= LIMIT
