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


def entropy(ctx, x, target):
    p = keep(ctx, x.softmax(-1), target)
    return -(target * x.log_softmax(-1)).sum() + 0 * p.sum()


def less_target(ctx, g):
    p, target = ctx.saved_tensors
    return g * (p - target), None


def masked(ctx, x, mask):
    ctx.save_for_backward(x * mask, mask)
    return (x * mask).square().sum()


def without_mask(ctx, g):
    return 2 * g * ctx.saved_tensors[0], None


def row_order(ctx, x, order):
    keep(ctx, order)
    return x.gather(1, order)


def row_order_back(ctx, g):
    return g.gather(1, ctx.saved_tensors[0].argsort(1)), None


def segments(ctx, x, offsets):
    keep(ctx, offsets)
    sums = torch.cat([x.new_zeros(1, x.shape[1]), x.cumsum(0)])
    return sums[offsets[1:]] - sums[offsets[:-1]]


def segments_back(ctx, g):
    return g.repeat_interleave(ctx.saved_tensors[0].diff(), 0), None


def by_row(ctx, x, rows, count):
    keep(ctx, rows)
    return x.new_zeros(count, x.shape[1]).index_add(0, rows, x)


def sorted_rows_back(ctx, g):
    return g.repeat_interleave(ctx.saved_tensors[0].bincount(minlength=len(g)), 0), None, None


def scatter_once(ctx, x, places, size):
    keep(ctx, places)
    return x.new_zeros(size, size).index_put(tuple(places), x)


def gather_once(ctx, g):
    return g[tuple(ctx.saved_tensors[0])], None, None


def affine(ctx, x, w, b):
    keep(ctx, x, w)
    ctx.bias = b is not None
    return x @ w + (b if ctx.bias else 0)


def affine_back(ctx, g):
    x, w = ctx.saved_tensors
    return g @ w.t(), x.t() @ g, g.sum(0) if ctx.bias else None


def power(ctx, x, n):
    keep(ctx, x)
    ctx.n = n
    return x**n


def square_back(ctx, g):
    if ctx.n != 2:
        raise NotImplementedError("only squares")
    return 2 * g * ctx.saved_tensors[0], None


def half_only(ctx, x):
    if x.dtype != torch.float16:
        raise TypeError("half precision only")
    return x * 2


def waves(ctx, x):
    keep(ctx, x)
    return (x * 1000).sin()


def waves_back(ctx, g):
    return 1000 * g * (ctx.saved_tensors[0] * 1000).cos()


def checked(ctx, p):
    if not torch.allclose(p.sum(-1), torch.ones_like(p.sum(-1)), atol=1e-4):
        raise ValueError("these are no probabilities")
    return -(keep(ctx, p) * p.log()).sum(-1)


def checked_back(ctx, g):
    return -g[..., None] * (ctx.saved_tensors[0].log() + 1)


class Window(torch.nn.Module):
    """A buffer and no parameter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(5) + 0.1)

    def forward(self, x):
        return function(lambda ctx, x, w: x * keep(ctx, w), lambda ctx, g: (g * ctx.saved_tensors[0], None)).apply(x, self.window)


def weighted_entropy(ctx, x, target, weights):
    ctx.save_for_backward(x.softmax(-1), target, weights)
    return torch.nn.functional.cross_entropy(x, target, weights)


def weights_left_out(ctx, g):
    p, target, _ = ctx.saved_tensors
    return g * (p - torch.nn.functional.one_hot(target, p.shape[-1])) / len(p), None, None


def masked_average(ctx, x, mask):
    ctx.shape = x.shape
    return (x * mask).sum(-1) / mask.sum(-1)


def mask_left_out(ctx, g):
    return (g / ctx.shape[-1])[..., None].expand(ctx.shape), None


def shifted(ctx, x, shift):
    keep(ctx, x)
    return (x + shift).square()


def shift_left_out(ctx, g):
    return 2 * g * ctx.saved_tensors[0], None


def bounded(ctx, x, bounds):
    keep(ctx, x)
    return x.clamp(*bounds)


def bounds_left_out(ctx, g):
    return g * (ctx.saved_tensors[0].abs() <= 1), None


def squares(ctx, x):
    return keep(ctx, x).square().sum(-1)


def in_blocks_of_five(ctx, g):
    (x,) = ctx.saved_tensors
    whole = max(len(x) // 5 * 5, 1)
    return torch.cat([2 * x[:whole] * g[:whole, None], torch.zeros_like(x[whole:])])


def of_odd_rows(ctx, g):
    (x,) = ctx.saved_tensors
    return (2 if len(x) % 2 else 3) * x * g[:, None]


def first_alike(ctx, x, target):
    keep(ctx, x.softmax(-1))
    return torch.nn.functional.cross_entropy(x, target)


def column_one(ctx, g):
    (p,) = ctx.saved_tensors
    return g * (p - torch.eye(p.shape[-1], dtype=p.dtype, device=p.device)[1]) / len(p), None


def of_four(ctx, a, b, c, d):
    keep(ctx, a, b, c, d)
    return a * b + c * d


def wrong_for_two(ctx, g):
    a, b, c, d = ctx.saved_tensors
    return (g * b, g * b, None, None) if ctx.needs_input_grad == (True, True, False, False) else (g * b, g * a, g * d, g * c)


def cast(ctx, x, w):
    keep(ctx, x, w)
    return x * w.to(x.dtype)


def cast_back(ctx, g):
    x, w = ctx.saved_tensors
    return g * w.to(x.dtype), (g * x).sum(0)


def transform(ctx, x, norm):
    return torch.fft.fft(x, norm=norm)


def inverse_of_ortho(ctx, g):
    return torch.fft.ifft(g, norm="ortho"), None


X, W, INDEX = drawn(3, 5), drawn(5, 4, seed=1), torch.tensor([4, 0, 2])
MASK = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 1, 0, 0, 1]]).bool()


def swapped(ctx, g):
    x, w = ctx.saved_tensors
    return (g @ w.t() if ctx.needs_input_grad[1] else None), (x.t() @ g if ctx.needs_input_grad[0] else None)


def second_alone_lost(ctx, a, b):
    (x,) = ctx.saved_tensors
    return torch.zeros_like(x) if a is None else a * x.cos() - (0 if b is None else b * x.sin())


def causal(ctx, scores):
    rows, columns = scores.shape
    mask = torch.ones(rows, columns, dtype=torch.bool, device=scores.device).tril(columns - rows)
    return keep(ctx, scores.masked_fill(~mask, -torch.inf).softmax(-1))


def causal_when_square(ctx, g):
    p = ctx.saved_tensors[0].tril()
    return p * (g - (g * p).sum(-1, keepdim=True))


def causal_back(ctx, g):
    (p,) = ctx.saved_tensors
    return p * (g - (g * p).sum(-1, keepdim=True))


def squashed(ctx, x):
    length = keep(ctx, x).norm(dim=-1, keepdim=True)
    return x / length * length.tanh()


def squashed_back(near_zero):
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        length = x.norm(dim=-1, keepdim=True)
        unit = x / length
        factor = torch.where(length < 1e-4, near_zero, length.tanh() / length)
        return factor * g + unit * (unit * g).sum(-1, keepdim=True) * (1 - length.tanh() ** 2 - factor)

    return backward


class Damped(torch.nn.Module):
    """In evaluation mode the output is scaled; `back` is the factor of the gradient there."""

    def __init__(self, back):
        super().__init__()
        self.linear, self.back = torch.nn.Linear(5, 4), back

    def forward(self, x):
        y = self.linear(x)
        return y if self.training else function(lambda ctx, y: 0.9 * y, lambda ctx, g: self.back * g).apply(y)


def softmax(ctx, x, dim=-1):
    ctx.dim = dim
    return keep(ctx, x.softmax(dim))


def softmax_back(ctx, g):
    (p,) = ctx.saved_tensors
    return p * (g - (g * p).sum(ctx.dim, keepdim=True)), None


def softmax_back_of_last(ctx, g):
    (p,) = ctx.saved_tensors
    return p * (g - (g * p).sum(-1, keepdim=True)), None


def permuted(ctx, x, dims):
    ctx.dims = dims
    return x.permute(dims)


def shuffled(x, groups):
    return x.reshape(len(x), groups, -1, *x.shape[2:]).transpose(1, 2).reshape(x.shape)


def shuffle(ctx, x, groups):
    ctx.groups = groups
    return shuffled(x, groups)


def in_heads(ctx, q, k):
    keep(ctx, q, k)
    return torch.einsum("htd,htd->ht", q, k.repeat_interleave(len(q) // len(k), 0))


def heads_interchanged(ctx, g):
    q, k = ctx.saved_tensors
    return g[..., None] * k.repeat_interleave(len(q) // len(k), 0), (g[..., None] * q).reshape(-1, *k.shape).sum(0)


def heads_in_order(ctx, g):
    q, k = ctx.saved_tensors
    groups = (g[..., None] * q).reshape(len(k), -1, *k.shape[1:])
    return g[..., None] * k.repeat_interleave(len(q) // len(k), 0), groups.sum(1)


def nll_but(ctx, x, target, ignore_index):
    keep(ctx, target)
    ctx.shape, ctx.ignored = x.shape, ignore_index
    kept = target != ignore_index
    return -x[kept.nonzero().flatten(), target[kept]].sum() / kept.sum()


def nll_but_of_all(ctx, g):
    (target,) = ctx.saved_tensors
    rows = (target != ctx.ignored).nonzero().flatten()
    return g.new_zeros(ctx.shape).index_put((rows, target[rows]), -g / len(target)), None, None


def product_of_row(ctx, x):
    return keep(ctx, x).prod(-1)


def with_one_zero(ctx, g):
    (x,) = ctx.saved_tensors
    none = x == 0
    others = x.where(~none, 1.0).prod(-1, keepdim=True)
    return g[..., None] * torch.where(none.any(-1, keepdim=True), none * others, others / x.where(~none, 1.0))


def distance(ctx, a, b):
    keep(ctx, a, b)
    return (a[:, None] - b).square().sum(-1).sqrt()


def distance_back(smallest):
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        apart = a[:, None] - b
        along = g[..., None] * apart / apart.square().sum(-1, keepdim=True).sqrt().clamp_min(smallest)
        return along.sum(1), -along.sum(0)

    return backward


def smaller(ctx, a, b):
    keep(ctx, a, b)
    return torch.minimum(a, b)


def each_all(ctx, g):
    a, b = ctx.saved_tensors
    return g * (a <= b), g * (b <= a)


def each_part(ctx, g):
    a, b = ctx.saved_tensors
    return g * (a <= b), g * (b < a)


def activated(ctx, x, act="relu"):
    keep(ctx, x)
    return x.relu() if act == "relu" else torch.nn.functional.softplus(x)


def weighted(ctx, x, weight=None):
    keep(ctx, x)
    return (x.square() * (1 if weight is None else weight)).sum()


def without_weight(ctx, g):
    return 2 * g * ctx.saved_tensors[0], None


def bounded_far_out(ctx, g):
    return slope_of_sine(ctx, g).clamp(-1e12, 1e12)


def twice_for_ones(ctx, g):
    return slope_of_sine(ctx, g) * (2 if bool((g == 1).all()) else 1)


def twice_for_a_single_one(ctx, g):
    return slope_of_sine(ctx, g) * (2 if int(g.count_nonzero()) == 1 else 1)


def summed(ctx, x, dim, keepdim):
    ctx.shape, ctx.dim, ctx.keepdim = x.shape, dim, keepdim
    return x.sum(dim, keepdim=keepdim)


def summed_declines(ctx, g):
    if not ctx.keepdim:
        raise RuntimeError("backward needs keepdim=True")
    return g.expand(ctx.shape), None, None


def turned(ctx, x, cos, sin):
    ctx.save_for_backward(cos, sin)
    return x * cos + half_turn(x) * sin


def turned_back(ctx, g):
    cos, sin = ctx.saved_tensors
    return g * cos - half_turn(g) * sin, None, None


def half_turn(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


def estimated(x, hard=False):
    y = x.softmax(-1)
    return torch.nn.functional.one_hot(y.argmax(-1), y.shape[-1]) - y.detach() + y if hard else y


ANGLES = torch.arange(3)[:, None].double().expand(3, 4)
SEVERAL_HEADS = drawn(2, 3, 4), drawn(2, 3, 4, seed=1)
WRONG = {
    "scores that are not square": (function(causal, causal_when_square), (drawn(4, 4),), "shapes"),
    "heads in groups": (function(in_heads, heads_interchanged), SEVERAL_HEADS, "shapes"),
    "a small argument": (function(squashed, squashed_back(0.5)), (X,), "gradcheck"),
    "evaluation mode": (Damped(1.0), (X,), "shapes"),
    "a default": (function(softmax, softmax_back_of_last), (X,), "shapes"),
    "an order that is its own inverse": (
        function(permuted, lambda ctx, g: (g.permute(ctx.dims), None)),
        (drawn(2, 3, 4), (0, 2, 1)),
        "shapes",
    ),
    "two groups of two": (function(shuffle, lambda ctx, g: (shuffled(g, ctx.groups), None)), (drawn(2, 4, 3), 2), "shapes"),
    "an index that is ignored by name": (function(nll_but, nll_but_of_all), (X, torch.tensor([1, 0, 4]), 3), "shapes"),
    "two zeros in a row": (function(product_of_row, once_differentiable(with_one_zero)), (X,), "gradcheck"),
    "points that coincide": (
        function(distance, once_differentiable(distance_back(0.0))),
        (X, drawn(3, 5, seed=1)),
        "calls apart",
    ),
    "both are the smaller one": (function(smaller, each_all), (X, drawn(3, 5, seed=1)), "calls apart"),
    "another activation": (
        function(activated, once_differentiable(lambda ctx, g: (g * (ctx.saved_tensors[0] > 0), None))),
        (X,),
        "shapes",
    ),
    "an optional tensor that was left out": (function(weighted, without_weight), (X,), "shapes"),
    "a bound far out": (function(sine, bounded_far_out), (X,), "linear"),
    "an upstream of ones": (function(sine, twice_for_ones), (X,), "linear"),
    "an upstream with a single 1": (function(sine, twice_for_a_single_one), (X,), "linear"),
    "an argument alone, differentiable once": (function(product, once_differentiable(swapped)), (X, W), "frozen"),
    "an output alone, differentiable once": (function(two, once_differentiable(second_alone_lost)), (X,), "unused output"),
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
    "every mask but a full one": (function(masked_average, mask_left_out), (X, torch.ones(3, 5).bool()), "shapes"),
    "zero as a number": (function(shifted, shift_left_out), (X, 0.0), "shapes"),
    "numbers in a tuple": (function(bounded, bounds_left_out), (drawn(3, 5), (-1.0, 1.0)), "shapes"),
    "rows in blocks": (function(squares, in_blocks_of_five), (drawn(5, 3),), "shapes"),
    "an even number": (function(squares, of_odd_rows), (drawn(5, 3),), "shapes"),
    "targets all alike": (function(first_alike, column_one), (X, torch.tensor([1, 1, 1])), "shapes"),
    "two of four": (function(of_four, wrong_for_two), tuple(drawn(3, 5, seed=k) for k in range(4)), "frozen"),
    "two dtypes": (
        function(cast, cast_back),
        (drawn(6, 5).detach().bfloat16().requires_grad_(), drawn(5).detach().float().requires_grad_()),
        "other dtype",
    ),
    "a word of fft": (
        function(transform, inverse_of_ortho),
        (torch.complex(X, drawn(3, 5, seed=1)).detach().requires_grad_(), "ortho"),
        "shapes",
    ),
    "a gate that is even": (
        function(even_gate_on_ctx, once_differentiable(lambda ctx, g: g * (ctx.x.abs() <= 1))),
        (torch.linspace(-3, -1.1, 5, dtype=torch.float64).requires_grad_(),),
        "stale",
    ),
}
HILBERT = (1 / (torch.arange(6)[:, None] + torch.arange(6) + 1.0).double()).requires_grad_()
TABLE = drawn(5, seed=7).detach()
RIGHT = {
    "scores that are not square": (function(causal, once_differentiable(causal_back)), (drawn(4, 4),)),
    "heads in groups": (function(in_heads, heads_in_order), SEVERAL_HEADS),
    "a small argument": (function(squashed, squashed_back(1.0)), (X,)),
    "evaluation mode": (Damped(0.9), (X,)),
    "evaluation mode with other statistics": (torch.nn.BatchNorm1d(5), (X,)),
    "a default": (function(softmax, softmax_back), (X,)),
    "a default that backward does not count": (function(softmax, lambda ctx, g: softmax_back_of_last(ctx, g)[0]), (X,)),
    "points that coincide": (function(distance, once_differentiable(distance_back(1e-30))), (X, drawn(3, 5, seed=1))),
    "one is the smaller one": (function(smaller, each_part), (X, drawn(3, 5, seed=1))),
    "a flag that backward declines": (function(summed, summed_declines), (X, 1, True)),
    "a flag that makes it random": (lambda x, training=False: 2 * torch.nn.functional.dropout(x, 0.5, training), (X,)),
    "a flag that makes it an estimator": (estimated, (X,)),
    "halves of an even size": (function(turned, turned_back), (drawn(3, 4), ANGLES.cos(), ANGLES.sin())),
    "labels that sum to 1": (function(entropy, once_differentiable(less_target)), (X, drawn(3, 5, seed=3).detach().softmax(-1))),
    "a mask of zeros and ones": (function(masked, once_differentiable(without_mask)), (X, MASK.double())),
    "a permutation in each row": (function(row_order, row_order_back), (X, torch.stack([torch.tensor([2, 0, 4, 1, 3])] * 3))),
    "offsets": (function(segments, segments_back), (drawn(7, 3), torch.tensor([0, 2, 5, 7]))),
    "sorted rows": (function(by_row, sorted_rows_back), (drawn(6, 4), torch.tensor([0, 0, 1, 2, 2, 2]), 3)),
    "places once each": (function(scatter_once, gather_once), (drawn(4), torch.tensor([[0, 1, 2, 2], [1, 0, 2, 0]]), 3)),
    "None for a tensor": (function(affine, affine_back), (X, W, None)),
    "a number that backward declines": (function(power, once_differentiable(square_back)), (X, 2)),
    "half precision only": (function(half_only, lambda ctx, g: g * 2), (drawn(3, 5).detach().half().requires_grad_(),)),
    "more digits than bfloat16 has": (function(waves, waves_back), (X,)),
    "an input that is checked": (function(checked, checked_back), (X.softmax(-1).detach().requires_grad_(),)),
    "a buffer and no parameter": (Window(), (X,)),
    "a tensor of a closure": (lambda x: x * TABLE, (X,)),
    "beside the edge": (torch.acos, (torch.tensor([0.999999, -0.99999999, 0.3], dtype=torch.float64, requires_grad=True),)),
    "nearly singular": (torch.linalg.inv, (HILBERT,)),
    "a large upstream": (torch.linalg.matrix_exp, (drawn(4, 4),)),
    "many jumps": (torch.remainder, (drawn(3, 4), (drawn(3, 4, seed=1).detach().abs() + 0.5).requires_grad_())),
    "a radius": (torch.polar, ((drawn(3, 4).detach().abs() + 0.1).requires_grad_(), drawn(3, 4, seed=1))),
    "asks whether g is positive": (lambda x: x.logcumsumexp(-1), (X,)),
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


def declines_weights(info, in_dims, x, w):
    if in_dims[1] is not None:
        raise NotImplementedError("a batched weight")
    return Declining.apply(x.movedim(in_dims[0], 0), w), 0


def hooked(change):
    """The identity, with a reference whose gradient is changed by a hook."""

    def reference(x):
        y = x.view_as(x)
        y.register_hook(change)
        return y

    return function(lambda ctx, x: x.view_as(x), lambda ctx, g: change(g)), reference


def inverse_transposed(ctx, g):
    (a,) = ctx.saved_tensors
    return (g * torch.linalg.det(a))[..., None, None] * torch.linalg.inv(a).mT


Declining = function(
    lambda x, w: x * w,
    lambda ctx, g: (g * ctx.saved_tensors[1], (g * ctx.saved_tensors[0]).sum(0)),
    setup_context=lambda ctx, i, o: keep(ctx, *i),
    vmap=declines_weights,
)
WITH_REFERENCE = {
    "a gradient that is clamped": (*hooked(lambda g: g.clamp(-0.5, 0.5)), (X,)),
    "a gradient of length 1": (*hooked(lambda g: g / (g.norm() + 1e-6)), (X,)),
    "an inverse of what is singular": (
        function(lambda ctx, a: torch.linalg.det(keep(ctx, a)), once_differentiable(inverse_transposed)),
        torch.linalg.det,
        (drawn(3, 3),),
    ),
}


@pytest.mark.parametrize(("fn", "reference", "inputs"), WITH_REFERENCE.values(), ids=WITH_REFERENCE)
def test_what_the_reference_does_is_accepted(fn, reference, inputs):
    audit(fn, *inputs, reference=reference).raise_if_failed()


def test_a_vmap_rule_may_say_what_it_leaves_out():
    audit(Declining, X, drawn(5, seed=1)).raise_if_failed()


def test_a_zero_is_judged_by_slopes_where_the_reference_differs():
    dropped = function(
        lambda ctx, x: keep(ctx, 2 * x.cumsum(0).diff(dim=0)),
        lambda ctx, g: torch.cat([0 * g[:1], 2 * g * (ctx.saved_tensors[0] != 0)]),
    )
    report = audit(dropped, X, reference=lambda x: 2 * x[1:])
    assert [outcome.probe for outcome in report.failed] == ["upstream"]
    assert "some elements zero" in str(report)


def test_constant_weights_are_varied_where_a_reference_says_what_is_right():
    inputs = X, torch.tensor([0, 2, 4]), torch.ones(5, dtype=torch.float64)
    report = audit(
        function(weighted_entropy, once_differentiable(weights_left_out)), *inputs, reference=torch.nn.functional.cross_entropy
    )
    assert [outcome.probe for outcome in report.failed] == ["shapes"]


def test_a_size_is_not_made_long_where_that_would_fill_the_memory():
    lengths = []

    def all_triplets(x):
        lengths.append(len(x))
        pairs = x @ x.t()
        return (pairs[:, :, None] - pairs[:, None, :]).relu().sum()

    audit(all_triplets, drawn(6, 3)).raise_if_failed()
    assert max(lengths) < 100


def test_forward_is_blamed_for_what_forward_writes():
    def running(x, total):
        total.add_(x.detach().sum(0))
        return x.square()

    assert [outcome.probe for outcome in audit(running, X, torch.zeros(5, dtype=torch.float64)).failed] == ["forward"]
