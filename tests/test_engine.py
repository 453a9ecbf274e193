"""The engine of chapter 02: the module is what the chapter builds, and it agrees with torch."""

import ast
from pathlib import Path

import pytest
import torch

from handgrad import engine
from handgrad.engine import Function, Tensor
from handgrad.notebooks.source import read_source

ROOT = Path(__file__).parents[1]
CHAPTER = read_source(ROOT, Path("sources", "chapters", "02_engine.md"))


class Bare(ast.NodeTransformer):
    """Code without docstrings and annotations, which the module has and the chapter has not."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns = None
        node.body = node.body[1:] if ast.get_docstring(node) else node.body
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def pieces(*texts: str) -> dict[str, str]:
    """Each function, method and class attribute by its name: the last of each name is the one that counts."""
    found = {}
    for part in (part for text in texts for part in ast.parse(text).body):
        if isinstance(part, ast.FunctionDef):
            found[part.name] = code(part)
        elif isinstance(part, ast.ClassDef):
            found |= {f"{part.name} derives from": code(*part.bases)}
            for member in part.body:
                if isinstance(member, ast.FunctionDef):
                    found[f"{part.name}.{member.name}"] = code(member)
                elif isinstance(member, ast.Assign):
                    found[f"{part.name}.{code(*member.targets)}"] = code(member.value)
        elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Attribute):
            method = part.value  # Tensor.name = lambda …, or the name of a function
            if isinstance(method, ast.Lambda):
                name = part.targets[0].attr
                method = ast.FunctionDef(name, method.args, [ast.Return(method.body)], [], lineno=0)
                found[code(*part.targets)] = code(method)
            else:
                found[code(*part.targets)] = found.get(code(method), "")
    return found


def code(*parts: ast.AST) -> str:
    return "\n".join(ast.unparse(ast.fix_missing_locations(Bare().visit(part))) for part in parts)


def test_the_module_is_what_the_chapter_builds():
    built = pieces(*(cell.solution for cell in CHAPTER.cells if cell.type == "code"))
    kept = pieces(Path(engine.__file__).read_text(encoding="utf-8"))
    assert len(kept) > 25
    assert {name: built.get(name) for name in kept} == kept


def test_a_change_of_either_is_seen():
    text = Path(engine.__file__).read_text(encoding="utf-8")
    assert pieces(text) != pieces(text.replace("leaf.grad + gradient", "gradient"))
    assert pieces("class A:\n    f = 1\nA.f = lambda self: 2\nA.g = lambda self: 3") == {
        "A derives from": "",
        "A.f": "def f(self):\n    return 2",
        "A.g": "def g(self):\n    return 3",
    }


def test_it_imports_nothing_but_pure_python():
    imports = [
        node
        for node in ast.walk(ast.parse(Path(engine.__file__).read_text(encoding="utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert {node.module for node in imports} == {"collections", "collections.abc"}


def test_values_and_gradients_are_torchs():
    numbers = torch.randn(3, 2, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def program(x, w):
        a = x * w
        b = a.clamp(min=-0.2) + x
        return a * b + b * (x > 0.1)

    ours = [Tensor(part.tolist(), requires_grad=True) for part in numbers[:2]]
    theirs = [part.clone().requires_grad_() for part in numbers[:2]]
    y, z = program(*ours), program(*theirs)
    y.backward(Tensor(numbers[2].tolist()))
    z.backward(numbers[2])
    torch.testing.assert_close(torch.tensor(y.tolist(), dtype=torch.float64), z.detach())
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(torch.tensor(one.grad.tolist(), dtype=torch.float64), other.grad)


def test_a_list_needs_a_gradient_to_begin_with_as_in_torch():
    with pytest.raises(RuntimeError) as theirs:
        (torch.ones(2, requires_grad=True) * 1).backward()
    x = Tensor([1.0, 1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=str(theirs.value)):
        (x * x).backward()


def test_a_leaf_is_its_own_graph_and_shapes_must_fit():
    x = Tensor(2.0, requires_grad=True)
    x.backward()
    assert x.grad.data == 1.0
    with pytest.raises((TypeError, ValueError)):
        x * Tensor([1.0, 2.0])
    with pytest.raises(ValueError):
        Tensor([1.0]) * Tensor([1.0, 2.0])


def test_a_deep_graph_needs_no_recursion():
    x = y = Tensor(1.0, requires_grad=True)
    for _ in range(20_000):
        y = y + x
    y.backward()
    assert x.grad.data == 20_001.0


def test_what_happens_in_a_forward_is_not_recorded():
    class Identity(Function):
        @staticmethod
        def forward(ctx, input):
            ctx.save_for_backward(input * input)
            return input

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output

    x = Tensor(3.0, requires_grad=True)
    y = Identity.apply(x)
    assert x.grad_fn is None and y is not x
    assert not y.grad_fn.saved_tensors[0].requires_grad
