"""`handgrad.audit` as its users meet it: bad input, what it leaves alone, what it takes, and how the report reads."""

import json
import random
import re
import weakref
from pathlib import Path

import pytest
import torch
from docutils.nodes import make_id
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

import handgrad
from handgrad.audit.calls import _normal
from handgrad.audit.report import AuditFailed
from handgrad.audit.run import PROBES
from handgrad.mutants.relu import Absolute, Identity, InPlace, Mask, OnClass, Threshold
from handgrad.testing import audit_function, devices, saved_bytes


def drawn(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(0)).requires_grad_()


def failed(report) -> list[str]:
    return [outcome.probe for outcome in report.failed]


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


class RaisesForward(Double):
    @staticmethod
    def forward(ctx, x):
        raise ValueError("no such thing")


class RaisesBackward(Double):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output @ torch.ones(7)


class Exits(Double):
    @staticmethod
    def backward(ctx, grad_output):
        raise SystemExit(1)


class Endless(Double):
    @staticmethod
    def forward(ctx, x):
        for value in x.flatten().tolist():
            while value < 1e300:
                try:
                    value += 0.0
                except Exception:
                    value = 0.0
        return 2 * x


class RandomForward(Double):
    @staticmethod
    def forward(ctx, x):
        return x * torch.rand_like(x)


class RandomBackward(Double):
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (2 + 1e-3 * random.random())


class Misspelt(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backwards(ctx, grad_output):
        return 2 * grad_output


class ReturnsList(Double):
    @staticmethod
    def forward(ctx, x):
        return [2 * x]


class Cut(nn.Module):
    def forward(self, x):
        return x.detach()


BAD = {
    "a number": (3, (drawn(3),), "form", "hand over a torch.autograd.Function"),
    "a class of something else": (int, (drawn(3),), "form", "the class int"),
    "a Module's class": (nn.Linear, (drawn(3, 4),), "form", "hand over a Module, Linear(…)"),
    "Function itself": (Function, (drawn(3),), "form", "no forward"),
    "no inputs": (Double, (), "form", "no tensor among the inputs"),
    "numbers only": (Double, (3,), "form", "no tensor among the inputs"),
    "nothing requires grad": (Double, (drawn(3).detach(),), "form", "requires_grad_()"),
    "integers only": (Double, (torch.arange(3),), "form", "only integer inputs (int64)"),
    "a list of tensors": (Double, ([drawn(3)],), "form", "one by one"),
    "a misspelt backward": (Misspelt, (drawn(3),), "form", "It has backwards"),
    "forward raises": (RaisesForward, (drawn(3),), "runs", "no such thing"),
    "backward raises": (RaisesBackward, (drawn(3),), "runs", "same dtype"),
    "backward exits": (Exits, (drawn(3),), "runs", "SystemExit"),
    "too many inputs": (Double, (drawn(3), drawn(3)), "runs", "positional arguments"),
    "a list returned": (ReturnsList, (drawn(3),), "runs", "returned bare"),
    "cut off": (Cut(), (drawn(3),), "runs", "cut off from the graph"),
    "NaN": (Double, (torch.tensor([float("nan"), 1.0], requires_grad=True),), "runs", "is finite"),
    "no elements": (Double, (drawn(0, 3),), "runs", "at least one element"),
    "random forward": (RandomForward, (drawn(3),), "repeats", "draw the numbers outside"),
    "random backward": (RandomBackward, (drawn(3),), "repeats", "draw the numbers outside"),
}


@pytest.mark.parametrize(("fn", "inputs", "probe", "words"), BAD.values(), ids=BAD)
def test_bad_input_is_one_clear_finding(fn, inputs, probe, words):
    report = handgrad.audit(fn, *inputs)
    assert failed(report) == [probe]
    assert not report.ok
    assert words in str(report)
    assert "Traceback" not in str(report) and "handgrad/audit" not in str(report)


def test_what_is_random_on_purpose_is_audited_as_the_report_says():
    mask = torch.rand(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert handgrad.audit(lambda x, mask: x * mask, drawn(3, 4), mask).ok


def test_an_instance_of_a_function_is_refused():
    with pytest.warns(DeprecationWarning):
        instance = Double()
    assert "hand over the class, Double" in str(handgrad.audit(instance, drawn(3)))


def test_an_endless_loop_is_stopped_and_said():
    report = handgrad.audit(Endless, drawn(3), time_limit=0.5)
    assert failed(report) == ["runs"]
    assert "after 0.5 seconds" in str(report) and "time_limit=" in str(report)
    assert handgrad.audit(Double, drawn(3)).ok  # nothing is left behind


def test_the_callers_things_are_left_alone():
    x, w = drawn(3, 4), drawn(5, 4)
    x.grad = torch.ones_like(x)
    kept = x.detach().clone(), x.grad.clone(), torch.get_rng_state(), torch.get_default_dtype()
    batch_norm = nn.BatchNorm1d(5)
    state = {name: value.clone() for name, value in batch_norm.state_dict().items()}
    with torch.no_grad():
        handgrad.audit(lambda a, b: a @ b.t(), x, w)
        handgrad.audit(batch_norm, drawn(6, 5))
        handgrad.audit(RaisesBackward, x)
        assert not torch.is_grad_enabled()
    assert torch.equal(x, kept[0]) and torch.equal(x.grad, kept[1]) and x._version == 0
    assert torch.equal(torch.get_rng_state(), kept[2]) and torch.get_default_dtype() is kept[3]
    assert all(torch.equal(value, state[name]) for name, value in batch_norm.state_dict().items())
    assert all(parameter.grad is None for parameter in batch_norm.parameters())


def test_it_takes_a_class_its_apply_a_function_and_a_module():
    for fn in (Mask, Mask.apply, lambda x: Mask.apply(x), torch.relu, nn.ReLU()):
        assert handgrad.audit(fn, drawn(3, 4)).ok
    assert handgrad.audit(Mask.apply, drawn(3)).name == "Mask"
    assert handgrad.audit(nn.Linear(4, 3), torch.randn(2, 4)).ok  # its parameters are what is judged
    assert handgrad.audit(nn.LSTM(4, 3), drawn(5, 2, 4)).ok
    assert handgrad.audit(lambda rows: torch.cat(rows), [drawn(3), drawn(2)]).ok


class AssumesDense(Double):
    @staticmethod
    def forward(ctx, x):
        return 2 * x.as_strided(x.shape, (1,))


def test_gaps_in_memory_are_tried():
    assert failed(handgrad.audit(AssumesDense, drawn(6))) == ["shapes"]


class WrongLayer(nn.Linear):
    def forward(self, x):
        return super().forward(Identity.apply(x - 0.1) + 0.1)


def test_a_fault_deep_in_a_module_is_found():
    report = handgrad.audit(WrongLayer(4, 3), drawn(2, 4))
    assert not report.ok
    assert "gradient of x" in str(report)


class Optional(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        y = x @ weight.t()
        return y if bias is None else y + bias

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return g @ weight, g.t() @ x, g.sum(0) if ctx.has_bias else None


class OptionalUnseen(Optional):
    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return g @ weight, g.t() @ x, g.sum(0)


def test_an_optional_tensor_is_left_out_too():
    args = drawn(2, 4), drawn(3, 4), drawn(3)
    assert handgrad.audit(Optional, *args).ok
    assert "bias = None" in str(handgrad.audit(OptionalUnseen, *args))


class Declared(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()


class Undeclared(Declared):
    @staticmethod
    def backward(ctx, g):
        return (g * ctx.saved_tensors[0].cos()).detach()


def test_a_second_derivative_may_be_declared_away_but_not_be_silently_wrong():
    assert handgrad.audit(Declared, drawn(4)).ok
    assert failed(handgrad.audit(Undeclared, drawn(4))) == ["second order"]


def test_complex_numbers():
    z = torch.randn(3, dtype=torch.complex128, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert handgrad.audit(lambda z: z * z.conj() + z.abs(), z).ok
    assert handgrad.audit(torch.view_as_real, z).ok

    class NoConjugate(Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

    assert "gradcheck" in failed(handgrad.audit(NoConjugate, z))


class Straight(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


def test_an_estimator_needs_its_reference():
    x = drawn(5)
    report = handgrad.audit(Straight, x)
    assert "hand over reference=" in str(report)
    assert handgrad.audit(Straight, x, reference=lambda x: x + (x.round() - x).detach()).ok
    assert not handgrad.audit(Straight, x, reference=torch.round).ok


def test_the_inputs_own_dtype_is_judged_and_lower_ones_are_lifted():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        report = handgrad.audit(Mask, drawn(3, 4, dtype=torch.float32).to(dtype).detach().requires_grad_())
        assert report.ok and "Judged in float64" in str(report)

    class SingleOnly(Mask):
        @staticmethod
        def forward(ctx, x):
            if x.dtype != torch.float32:
                raise TypeError("float32 only")
            return Mask.forward(ctx, x)

    report = handgrad.audit(SingleOnly, drawn(3, 4, dtype=torch.float32))
    assert report.ok and "Judged in float32" in str(report) and "In float64 it raises TypeError" in str(report)


def test_kinks_are_found_by_looking():
    report = handgrad.audit(Threshold, drawn(3, 4))
    assert failed(report) == ["kink"]
    assert "the slope jumps at 0" in str(report)
    (outcome,) = report.failed
    assert outcome.expected.startswith("about 1") and outcome.got == "0."


def test_the_report_as_text_html_and_data():
    report = handgrad.audit(InPlace, drawn(3, 4))
    text = str(report)
    assert text.splitlines()[0].startswith("InPlace: ") and "probes fail" in text
    assert "✗ upstream untouched — x" in text and "Work on a copy." in text and "chapters/04_gradcheck#upstream-untouched" in text
    assert "– transforms: it declares neither a jvp nor a vmap rule" in text
    assert repr(report) == text
    html = report._repr_html_()
    assert html.count("<tr") == len(report.outcomes) and "<script" not in html
    assert "color:inherit" in html and "background:none" in html  # light or dark, as the page is
    data = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert data["ok"] is False and data["name"] == "InPlace"
    assert {outcome["outcome"] for outcome in data["outcomes"]} == {"passed", "failed", "not applicable"}
    with pytest.raises(AuditFailed, match="upstream untouched") as caught:
        report.raise_if_failed()
    assert isinstance(caught.value, AssertionError)
    handgrad.audit(Mask, drawn(3, 4)).raise_if_failed()


def test_html_is_escaped():
    fn = lambda x: x * 2  # noqa: E731
    fn.__name__ = "<script>alert(1)</script>"
    assert "<script>" not in handgrad.audit(fn, drawn(3))._repr_html_()


def test_the_same_call_gives_the_same_report():
    one, two = (handgrad.audit(Absolute, drawn(3, 4), seed=3) for _ in range(2))
    assert str(one) == str(two)
    assert str(one) != str(handgrad.audit(Absolute, drawn(3, 4), seed=4))


@pytest.mark.parametrize("device", devices())
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_audit_function_in_a_test(dtype, device):
    assert audit_function(Mask, drawn(3, 4), dtype=dtype, device=device).ok
    with pytest.raises(AssertionError, match="calls apart"):
        audit_function(OnClass, drawn(3, 4), dtype=dtype, device=device)
    layer = nn.Linear(4, 3)
    audit_function(layer, torch.randn(2, 4), dtype=dtype, device=device)
    assert layer.weight.dtype == torch.float32


@pytest.mark.parametrize("page", sorted({probe.page for probe in PROBES}))
def test_the_section_that_a_report_names_stands_in_the_book(page):
    chapter, section = page.split("#")
    text = (Path(__file__).parents[1] / f"sources/{chapter}.md").read_text()
    assert section in [make_id(heading) for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]


def test_saved_bytes_counts_each_storage_once_and_at_its_most():
    x = torch.ones(1000, requires_grad=True)
    assert saved_bytes(torch.exp, x) == saved_bytes(lambda t: t * t, x) == 4000
    assert saved_bytes(lambda t: [t.exp().sum().backward() for _ in range(3)], x) == 4000  # freed before the next
    assert saved_bytes(torch.exp, x.detach()) == 0


def test_saved_bytes_lets_go_of_an_output_that_its_own_node_saved():
    made = []
    saved_bytes(lambda t: made.append(weakref.ref(t.exp())), torch.ones(3, requires_grad=True))
    assert made[0]() is None


def test_the_default_device_changes_nothing():
    _normal.cache_clear()  # what is drawn is kept
    x = drawn(3, 4)
    with torch.device("meta"):
        reports = [handgrad.audit(fn, x, reference=torch.relu) for fn in (Mask, OnClass)]
    assert [str(report) for report in reports] == [str(handgrad.audit(fn, x, reference=torch.relu)) for fn in (Mask, OnClass)]
    assert [report.ok for report in reports] == [True, False]
