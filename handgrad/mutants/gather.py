"""Values gathered along a dim at integer indices that may repeat; the other dims may be shorter than the input's."""

import torch
from torch.autograd import Function

from handgrad.mutants import witness
from handgrad.mutants.bank import Bank, Version, drawn

bank = Bank(
    "gather",
    lambda: (drawn(3, 5), 0, torch.tensor([[0, 2, 1, 1], [0, 1, 1, 2]])),
    torch.gather,
)


def infinite() -> tuple:
    """An infinity that no index asks for."""
    x, dim, index = bank.inputs()
    x = x.detach().clone()
    x[1, 0] = torch.inf
    return x.requires_grad_(), dim, index


def stale_index(version: Version, bank: Bank) -> bool:
    """After the indices were changed in place, backward silently gives another gradient."""
    (x, dim, index), (again, _, fresh) = bank.inputs(), bank.inputs()
    output = version(x, dim, index)
    index.zero_()
    try:
        output.sum().backward()
    except RuntimeError:
        return False
    bank.reference(again, dim, fresh).sum().backward()
    return not torch.equal(x.grad, again.grad)


def wrong_vmap(version: Version, bank: Bank) -> bool:
    """Under vmap over the input and the indices values differ from the reference's, or an error is raised."""
    x, dim, index = bank.inputs()
    args = torch.stack([x, -x, 2 * x]).detach(), dim, torch.stack([index, 2 - index, index])
    want = torch.func.vmap(bank.reference, (0, None, 0))(*args)
    try:
        return not torch.equal(torch.func.vmap(version, (0, None, 0))(*args), want)
    except Exception:
        return True


@bank.right("scatter_add into zeros; the shape and the dim on ctx")
class Scatter(Function):
    @staticmethod
    def forward(ctx, x, dim, index):
        ctx.save_for_backward(index)
        ctx.shape, ctx.dim = x.shape, dim
        return x.gather(dim, index)

    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.shape).scatter_add(ctx.dim, index, grad_output), None, None


@bank.right("index_put that accumulates at all coordinates; only where a gradient is asked for")
class Coordinates(Function):
    @staticmethod
    def forward(ctx, x, dim, index):
        grids = [torch.arange(size, device=index.device) for size in index.shape]
        coordinates = list(torch.meshgrid(*grids, indexing="ij"))
        coordinates[dim] = index.clone()
        ctx.save_for_backward(*coordinates)
        ctx.shape = x.shape
        return x[tuple(coordinates)]

    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None, None, None
        return grad_output.new_zeros(ctx.shape).index_put(ctx.saved_tensors, grad_output, accumulate=True), None, None


@bank.right("positions in the flattened input, saved; index_add")
class Flat(Function):
    @staticmethod
    def forward(ctx, x, dim, index):
        places = torch.arange(x.numel(), device=x.device).reshape(x.shape)
        places = places.gather(dim, index)
        ctx.save_for_backward(places)
        ctx.shape = x.shape
        return x.take(places)

    @staticmethod
    def backward(ctx, grad_output):
        (places,) = ctx.saved_tensors
        zeros = grad_output.new_zeros(ctx.shape.numel())
        return zeros.index_add(0, places.flatten(), grad_output.flatten()).reshape(ctx.shape), None, None


@bank.right("setup_context, forward mode, and a rule for vmap that shifts the dim")
class Rules(Function):
    @staticmethod
    def forward(x, dim, index):
        return torch.gather(x, dim, index)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.dim, index = inputs
        ctx.shape = x.shape
        ctx.save_for_backward(index)
        ctx.save_for_forward(index)

    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return torch.scatter_add(grad_output.new_zeros(ctx.shape), ctx.dim, index, grad_output), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        (index,) = ctx.saved_tensors
        return tangent.gather(ctx.dim, index)

    @staticmethod
    def vmap(info, in_dims, x, dim, index):
        x, index = (
            a.expand(info.batch_size, *a.shape) if batch is None else a.movedim(batch, 0)
            for a, batch in ((x, in_dims[0]), (index, in_dims[2]))
        )
        return Rules.apply(x, dim if dim < 0 else dim + 1, index), 0


@bank.wrong("D", "scatters without adding: of repeated indices one wins", witness.vjp)
class OneWins(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.shape).scatter(ctx.dim, index, grad_output), None, None


@bank.wrong("D", "averages what repeated indices bring, the zero that it starts from included", witness.vjp)
class Averages(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = grad_output.new_zeros(ctx.shape)
        return zeros.scatter_reduce(ctx.dim, index, grad_output, "mean", include_self=True), None, None


@bank.wrong("D", "gathers the upstream gradient instead of scattering it", witness.raises)
class Gathers(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return grad_output.gather(ctx.dim, index), None, None


@bank.wrong("D", "sorts the indices but not the upstream gradient with them", witness.vjp)
class Sorts(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        ascending = index.sort(ctx.dim).values
        return grad_output.new_zeros(ctx.shape).scatter_add(ctx.dim, ascending, grad_output), None, None


@bank.wrong("H", "scatters along the last dim, whichever was asked for", witness.vjp)
class LastDim(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        return grad_output.new_zeros(ctx.shape).scatter_add(-1, index, grad_output), None, None


@bank.wrong("H", "counts places in rows as long as the output's, where the input's are longer", witness.vjp)
class RowLength(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        columns = torch.arange(index.shape[1], device=index.device)
        places = index * index.shape[1] + columns
        zeros = grad_output.new_zeros(ctx.shape.numel())
        return zeros.index_add(0, places.flatten(), grad_output.flatten()).reshape(ctx.shape), None, None


@bank.wrong("C", "returns one gradient for three arguments", witness.raises)
class OneGradient(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        return Scatter.backward(ctx, grad_output)[0]


@bank.wrong("B", "keeps the indices as an attribute of ctx, so a later change of them goes unseen", stale_index)
class Attribute(Function):
    @staticmethod
    def forward(ctx, x, dim, index):
        ctx.shape, ctx.dim, ctx.index = x.shape, dim, index
        return x.gather(dim, index)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.new_zeros(ctx.shape).scatter_add(ctx.dim, ctx.index, grad_output), None, None


@bank.wrong("F", "adds to a total on ctx that the first backward has already filled", witness.twice)
class Total(Scatter):
    @staticmethod
    def forward(ctx, x, dim, index):
        ctx.total = x.new_zeros(x.shape)
        return Scatter.forward(ctx, x, dim, index)

    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        ctx.total = ctx.total.scatter_add(ctx.dim, index, grad_output)
        return ctx.total, None, None


@bank.wrong("G", "adds up in float32", witness.precision)
class Single(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        grad, *rest = Scatter.backward(ctx, grad_output.float())
        return grad.to(grad_output.dtype), *rest


@bank.wrong("G", "makes its zeros on the CPU", witness.other_device)
class OnCpu(Scatter):
    @staticmethod
    def backward(ctx, grad_output):
        (index,) = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype, device="cpu")
        return zeros.scatter_add(ctx.dim, index, grad_output), None, None


@bank.wrong("N", "adds up number by number with item(), where the second derivative gets lost", witness.second)
class Loop(Flat):
    @staticmethod
    def backward(ctx, grad_output):
        (places,) = ctx.saved_tensors
        sums = [0.0] * ctx.shape.numel()
        for place, grad in zip(places.flatten().tolist(), grad_output.flatten().unbind(), strict=True):
            sums[place] += grad.item()
        return grad_output.new_tensor(sums).reshape(ctx.shape), None, None


@bank.wrong("O", "multiplies with one-hot rows, which makes NaN of an infinity elsewhere", witness.at(witness.value, infinite))
class OneHot(Scatter):
    @staticmethod
    def forward(ctx, x, dim, index):
        Scatter.forward(ctx, x, dim, index)
        shorter = x.movedim(dim, -1)[tuple(slice(size) for size in index.movedim(dim, -1).shape[:-1])]
        hot = index.movedim(dim, -1).unsqueeze(-1) == torch.arange(x.shape[dim], device=x.device)
        return (hot * shorter.unsqueeze(-2)).sum(-1).movedim(-1, dim)


@bank.wrong("M", "the rule for vmap gathers along the same dim, past which the batch has moved", wrong_vmap)
class VmapDim(Rules):
    @staticmethod
    def vmap(info, in_dims, x, dim, index):
        return Rules.apply(x.movedim(in_dims[0] or 0, 0), dim, index.movedim(in_dims[2] or 0, 0)), 0
