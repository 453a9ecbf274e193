"""Faults that show only beside what the audit was handed: another word, index, mask, size, output; and right ones beside them."""

import pytest
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from handgrad import audit


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).requires_grad_()


def function(forward, backward, **more) -> type[Function]:
    """A Function from its methods; `forward` takes ctx."""
    methods = {name: staticmethod(method) for name, method in {"forward": forward, "backward": backward, **more}.items()}
    return type("Written", (Function,), methods)


def keep(ctx, *tensors):
    ctx.save_for_backward(*tensors)
    return tensors[0]


def loss(ctx, x, reduction):
    keep(ctx, x)
    ctx.count = x.numel() if reduction == "mean" else 1
    return x.square().mean() if reduction == "mean" else x.square().sum()


def always_mean(ctx, g):
    return 2 * g * ctx.saved_tensors[0] / ctx.saved_tensors[0].numel(), None


def as_asked(ctx, g):
    return 2 * g * ctx.saved_tensors[0] / ctx.count, None


def mean(ctx, x, dims):
    ctx.shape, ctx.dims = x.shape, dims
    return x.mean(dims, keepdim=True)


def mean_of_one(ctx, g):
    return (g / ctx.shape[ctx.dims[0]]).expand(ctx.shape), None


def mean_of_all(ctx, g):
    return (g / (torch.Size(ctx.shape).numel() / g.numel())).expand(ctx.shape), None


def take(ctx, x, index):
    keep(ctx, index)
    ctx.shape = x.shape
    return x[index]


def put_once(ctx, g):
    out = g.new_zeros(ctx.shape)
    out[ctx.saved_tensors[0]] = g
    return out, None


def add_each(ctx, g):
    return g.new_zeros(ctx.shape).index_add(0, ctx.saved_tensors[0], g), None


def put_back(ctx, g):
    return g[ctx.saved_tensors[0].argsort()], None


def overwrite(ctx, x, index, value):
    keep(ctx, index)
    return x.index_copy(0, index, value)


def overwrite_back(ctx, g):
    (index,) = ctx.saved_tensors
    return g.index_fill(0, index, 0.0), None, g[index]


def masked_mean(ctx, x, mask):
    keep(ctx, x, mask)
    return (x.square() * mask).sum() / mask.sum().clamp_min(1)


def empty_is_nan(ctx, g):
    x, mask = ctx.saved_tensors
    return g * 2 * x * mask / mask.sum(), None


def empty_is_zero(ctx, g):
    x, mask = ctx.saved_tensors
    return g * 2 * x * mask / mask.sum().clamp_min(1), None


def nll(ctx, x, target):
    ctx.save_for_backward(target)
    ctx.shape = x.shape
    kept = target != -100
    return -x[kept.nonzero().flatten(), target[kept]].sum() / kept.sum()


def nll_of_all(ctx, g):
    (target,) = ctx.saved_tensors
    rows = (target != -100).nonzero().flatten()
    return g.new_zeros(ctx.shape).index_put((rows, target[rows]), -g / len(target)), None


def nll_of_kept(ctx, g):
    (target,) = ctx.saved_tensors
    rows = (target != -100).nonzero().flatten()
    return g.new_zeros(ctx.shape).index_put((rows, target[rows]), -g / len(rows)), None


def largest_in(kind):
    def forward(ctx, x):
        values, index = x.max(0)
        ctx.shape = x.shape
        ctx.save_for_backward(index.to(kind))
        return values

    return forward


def scatter(ctx, g):
    return g.new_zeros(ctx.shape).scatter(0, ctx.saved_tensors[0].long()[None], g[None])


def product(ctx, x, w):
    keep(ctx, x, w)
    return x @ w


def alone_detached(ctx, g):
    x, w = ctx.saved_tensors
    if not ctx.needs_input_grad[0]:
        return None, x.t() @ g.detach()
    return g @ w.t(), (x.t() @ g if ctx.needs_input_grad[1] else None)


def as_needed(ctx, g):
    x, w = ctx.saved_tensors
    return (g @ w.t() if ctx.needs_input_grad[0] else None), (x.t() @ g if ctx.needs_input_grad[1] else None)


def two(ctx, x):
    ctx.set_materialize_grads(False)
    keep(ctx, x)
    return x.sin(), x.cos()


def unused_detached(ctx, a, b):
    (x,) = ctx.saved_tensors
    if b is None:
        return a * x.detach().cos()
    return -b * x.sin() if a is None else a * x.cos() - b * x.sin()


def unused_left_out(ctx, a, b):
    (x,) = ctx.saved_tensors
    if b is None:
        return a * x.cos()
    return -b * x.sin() if a is None else a * x.cos() - b * x.sin()


def cosine(ctx, x, g):
    keep(ctx, x, g)
    return g * x.cos()


def sine(ctx, x):
    keep(ctx, x)
    return x.sin()


Third = function(
    cosine, lambda ctx, h: (-h * ctx.saved_tensors[1] * ctx.saved_tensors[0].detach().sin(), h * ctx.saved_tensors[0].cos())
)
Fine = function(cosine, lambda ctx, h: (-h * ctx.saved_tensors[1] * ctx.saved_tensors[0].sin(), h * ctx.saved_tensors[0].cos()))


def sets_a_default(ctx, g):
    torch.set_default_dtype(torch.float64)
    return g * ctx.saved_tensors[0].cos()


def slope_of_sine(ctx, g):
    return g * ctx.saved_tensors[0].cos()


def clamped(ctx, x):
    keep(ctx, x)
    return x.clamp(-1, 1)


def even_gate_on_ctx(ctx, x):
    ctx.x = x
    return x.clamp(-1, 1)


X, W, INDEX = drawn(3, 5), drawn(5, 4, seed=1), torch.tensor([4, 0, 2])
MASK = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 1, 0, 0, 1]]).bool()
WRONG = {
    "another word": (function(loss, always_mean), (X, "mean"), "shapes"),
    "more dimensions in a tuple": (function(mean, mean_of_one), (X, (-1,)), "shapes"),
    "an index twice": (function(take, put_once), (drawn(6, 4), INDEX), "shapes"),
    "an empty mask": (function(masked_mean, empty_is_nan), (X, MASK), "shapes"),
    "an ignored index": (function(nll, nll_of_all), (X, torch.tensor([1, 0, 4])), "shapes"),
    "a long first dimension": (function(largest_in(torch.uint8), scatter), (drawn(6, 4),), "shapes"),
    "second order of one argument": (function(product, alone_detached), (X, W), "second order"),
    "second order of one output": (function(two, unused_detached), (X,), "second order"),
    "third order": (function(sine, lambda ctx, g: Third.apply(ctx.saved_tensors[0], g)), (X,), "second order"),
    "NaN hidden": (function(sine, lambda ctx, g: slope_of_sine(ctx, g.nan_to_num())), (X,), "linear"),
    "default dtype": (function(sine, sets_a_default), (X,), "forward"),
    "a gate that is even": (
        function(even_gate_on_ctx, once_differentiable(lambda ctx, g: g * (ctx.x.abs() <= 1))),
        (torch.linspace(-3, -1.1, 5, dtype=torch.float64).requires_grad_(),),
        "stale",
    ),
}
RIGHT = {
    "another word": (function(loss, as_asked), (X, "mean")),
    "more dimensions in a tuple": (function(mean, mean_of_all), (X, (-1,))),
    "an index twice": (function(take, add_each), (drawn(6, 4), INDEX)),
    "a permutation": (function(take, put_back), (drawn(4, 3), torch.tensor([2, 0, 3, 1]))),
    "places that are overwritten": (function(overwrite, overwrite_back), (drawn(6, 4), INDEX, drawn(3, 4, seed=1))),
    "an empty mask": (function(masked_mean, empty_is_zero), (X, MASK)),
    "an ignored index": (function(nll, nll_of_kept), (X, torch.tensor([1, 0, 4]))),
    "a long first dimension": (function(largest_in(torch.int64), scatter), (drawn(6, 4),)),
    "second order of one argument": (function(product, as_needed), (X, W)),
    "second order of one output": (function(two, unused_left_out), (X,)),
    "third order": (function(sine, lambda ctx, g: Fine.apply(ctx.saved_tensors[0], g)), (X,)),
    "where keeps NaN out": (
        function(clamped, lambda ctx, g: torch.where(ctx.saved_tensors[0].abs() <= 1, g, torch.zeros_like(g))),
        (X,),
    ),
}


@pytest.mark.parametrize(("fn", "inputs", "probe"), WRONG.values(), ids=WRONG)
def test_a_fault_beside_what_was_shown_is_found(fn, inputs, probe):
    default = torch.get_default_dtype()
    report = audit(fn, *inputs)
    assert probe in [outcome.probe for outcome in report.failed], report
    assert torch.get_default_dtype() == default


@pytest.mark.parametrize(("fn", "inputs"), RIGHT.values(), ids=RIGHT)
def test_what_is_right_there_is_accepted(fn, inputs):
    audit(fn, *inputs).raise_if_failed()


def of_first_dims(info, in_dims, x, w):
    """A vmap rule that believes every argument's copies to stand where the first one's do."""
    place = next(dim for dim in in_dims if dim is not None)
    moved = [t.movedim(place, 0) if dim is not None else t for t, dim in zip((x, w), in_dims, strict=True)]
    return Batched.apply(*moved), 0


def slopes_of_product(ctx, g):
    x, w = ctx.saved_tensors
    return g * w, g * x


Batched = function(lambda x, w: x * w, slopes_of_product, setup_context=lambda ctx, i, o: keep(ctx, *i), vmap=of_first_dims)
Tangent = function(
    lambda x: x.relu(),
    lambda ctx, g: g * (ctx.saved_tensors[0] > 0),
    setup_context=lambda ctx, i, o: (ctx.save_for_backward(*i), ctx.save_for_forward(*i)),
    jvp=lambda ctx, t: t * (ctx.saved_tensors[0] > 0).double(),
)


@pytest.mark.parametrize(("fn", "inputs"), [(Batched, (drawn(4, 4), drawn(4, 4, seed=1))), (Tangent, (X,))])
def test_rules_for_transforms_hold_for_copies_at_either_end_and_in_float32(fn, inputs):
    assert "transforms" in [outcome.probe for outcome in audit(fn, *inputs).failed]
