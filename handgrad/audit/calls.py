"""Calling what is audited, whatever it is: several outputs, optional and non-tensor arguments, Modules, complex numbers."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from handgrad.audit.subject import Args, differentiable, leaves, words

Tensors = list[torch.Tensor]
COMPARISONS = {"aten::lt", "aten::le", "aten::gt", "aten::ge", "aten::where", "aten::_local_scalar_dense"}


@dataclass(frozen=True)
class Call:
    """What is audited, with the arguments that it is audited at. Each method makes fresh leaves: nothing is shared or kept.

    Attributes:
        fn: takes `args` and returns a tensor or a tuple; never changes its arguments (an in-place Function gets copies).
        args: the arguments; a tensor that a gradient is asked for requires grad.
        names: of the arguments.
        function: the class, where a Function itself is audited.
        reference: the same operation, differentiated by torch.
        in_place: positions of the arguments that the Function itself changes and marks.
        raw: an in-place Function as it is, without the copies.
        parameters: positions of a Module's parameters, whose shapes belong to it.
        buffers: a Module's.
        in_evaluation: a Module that is in training mode, called as `fn` calls it, in evaluation mode.
        optional: positions of arguments that may be None.
        own_dtypes: those of the arguments as they were handed over, where they are judged in float64.
        label: says how these arguments differ from those that were handed over.
        seed: of every number drawn.
    """

    fn: Callable
    args: Args
    names: tuple[str, ...]
    function: type[torch.autograd.Function] | None = None
    reference: Callable | None = None
    in_place: tuple[int, ...] = ()
    raw: Callable | None = None
    parameters: frozenset[int] = frozenset()
    buffers: tuple[torch.Tensor, ...] = ()
    in_evaluation: Callable | None = None
    optional: tuple[int, ...] = ()
    own_dtypes: tuple[torch.dtype | None, ...] = ()
    label: str = ""
    seed: int = 0

    def at(self, args: Args, label: str = "") -> "Call":
        """The same with other arguments."""
        return replace(self, args=args, label=label)

    @cached_property
    def wanted(self) -> list[int]:
        """Positions of the arguments whose gradient is asked for."""
        return differentiable(self.args)

    @cached_property
    def text(self) -> str:
        """The arguments in words."""
        return self.label + words(self.names, self.args)

    def at_reference(self) -> "Call":
        """The reference with these arguments."""
        return Call(self.reference, self.args, self.names, seed=self.seed)

    def told(self) -> str:
        """`text`, for a case that is seldom told about."""
        return self.text

    def run(self, args: Args | None = None) -> "Run":
        """Call once, with the graph kept."""
        fresh = leaves(self.args if args is None else args)
        return Run(fresh, as_tuple(self.fn(*fresh)))

    def values(self, moved: Tensors | None = None) -> torch.Tensor:
        """All tracked outputs as one flat real vector, without a graph; `moved` stands for the wanted arguments."""
        args = [a.clone() if isinstance(a, torch.Tensor) and i not in self.wanted else a for i, a in enumerate(self.still)]
        for i, tensor in zip(self.wanted, moved or [], strict=False):
            args[i] = tensor
        with torch.no_grad():
            outputs = as_tuple(self.fn(*args))
            parts = [real(outputs[k]) for k in self.tracked]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    @cached_property
    def still(self) -> list:
        """The arguments, cut off from every graph."""
        return [a.detach() if isinstance(a, torch.Tensor) else a for a in self.args]

    @cached_property
    def base(self) -> "Run":
        """One run at the arguments."""
        return self.run()

    @cached_property
    def tracked(self) -> list[int]:
        """Positions of the outputs that a gradient can come back to."""
        return [k for k, output in enumerate(self.base.all) if isinstance(output, torch.Tensor) and output.requires_grad]

    @cached_property
    def upstream(self) -> Tensors:
        """Signed upstream gradients, one for each tracked output."""
        return self.draw(0)

    def draw(self, number: int) -> Tensors:
        """More upstream gradients: the same for the same number."""
        return [drawn(output, self.seed + 1000 * number + k) for k, output in enumerate(self.base.outputs)]

    @cached_property
    def gradients(self) -> Tensors:
        """The vector-Jacobian product of `upstream`; at the inputs that were handed over by a call of its own."""
        if self.label:
            return self.base.pull([g.clone() for g in self.upstream], retain_graph=True)
        return self.vjp(self.upstream)

    @cached_property
    def scale(self) -> float:
        """The largest element of all gradients."""
        return max((float(g.detach().abs().max()) for g in self.gradients if g.numel()), default=0.0)

    def vjp(self, upstream: Tensors) -> Tensors:
        """The vector-Jacobian product, by one call and one backward; zeros where the engine says None."""
        run = self.run()
        return run.pull([g.clone() for g in upstream])

    @cached_property
    def trace(self) -> "Trace":
        """The operations on the way, forward and backward."""
        with Trace() as trace:
            run = self.run()
            run.pull([g.clone() for g in self.upstream])
        return trace

    @property
    def rounds_to_float32(self) -> bool:
        """Whether an operation on the way, forward or backward, gave fewer digits than float64 has."""
        return self.trace.rounds

    @property
    def branches(self) -> bool:
        """Whether something on the way is compared, so that another formula may hold elsewhere."""
        return any(name.split(".")[0] in COMPARISONS for name in self.trace.operations)

    @cached_property
    def sizes(self) -> list[int]:
        """How large each result on the way through forward is."""
        with Trace() as trace:
            self.run()
        return trace.sizes

    @cached_property
    def left(self) -> Args:
        """The arguments as forward leaves them."""
        return tuple(a.detach().clone() if isinstance(a, torch.Tensor) else a for a in self.run().args)

    @cached_property
    def captured(self) -> Tensors:
        """What a plain function uses and was not handed: the tensors of its closure."""
        if self.function is not None:
            return []
        tensors = (*(a for a in self.still if isinstance(a, torch.Tensor)), *self.buffers)
        with Strangers(tensors) as seen:
            self.values()
        return seen.found

    @cached_property
    def axes(self) -> list[int]:
        """Positions of the wanted arguments that every output follows element by element."""
        shape = self.base.outputs[0].shape
        same = [i for i in self.wanted if self.args[i].shape == shape and self.args[i].dtype == torch.float64]
        if not same or not shape.numel() or any(o.shape != shape or o.is_complex() for o in self.base.outputs):
            return []
        if any(isinstance(a, torch.Tensor) and a.numel() != 1 for i, a in enumerate(self.args) if i not in same):
            return []
        rows = [torch.cat([self.args[i].detach().flatten()] * 2) for i in same]
        other = torch.arange(len(rows[0]), device=rows[0].device) % 2 == 0
        try:
            whole = self._along(same, rows)
            partly = self._along(same, [torch.where(other, row * 1.25 + 0.1, row) for row in rows])
        except Exception:
            return []
        count, known = shape.numel(), torch.stack([output.detach().reshape(-1) for output in self.base.outputs])
        if whole.shape != (len(known), 2 * count) or partly.shape != whole.shape:
            return []
        repeats = torch.allclose(whole, torch.cat([known, known], 1), rtol=1e-12, atol=1e-12)
        return same if repeats and torch.equal(partly[:, ~other], whole[:, ~other]) else []

    def _along(self, places: list[int], rows: Tensors) -> torch.Tensor:
        args = list(self.args)
        for i, row in zip(places, rows, strict=True):
            args[i] = row.requires_grad_()
        return torch.stack([output.detach() for output in self.run(tuple(args)).outputs])

    @cached_property
    def directions(self) -> Tensors:
        """A direction for each wanted argument, each element about as large as the argument."""
        return [direction(self.args[i], self.seed + i) for i in self.wanted]


@dataclass(frozen=True)
class Run:
    """One call: its leaves, and all that it returned."""

    args: Args
    all: tuple

    @property
    def outputs(self) -> Tensors:
        """The outputs that a gradient can come back to."""
        return [output for output in self.all if isinstance(output, torch.Tensor) and output.requires_grad]

    @property
    def leaves(self) -> Tensors:
        """The arguments whose gradient is asked for."""
        return [a for a in self.args if isinstance(a, torch.Tensor) and a.requires_grad]

    def pull(self, upstream: Tensors, of: Sequence[int] | None = None, **options: bool) -> Tensors:
        """Take upstream gradients back to the leaves; `of` chooses among the outputs."""
        outputs = self.outputs if of is None else [self.outputs[k] for k in of]
        if not outputs:
            return [torch.zeros_like(leaf) for leaf in self.leaves]
        grads = torch.autograd.grad(outputs, self.leaves, upstream, allow_unused=True, **options)
        return [torch.zeros_like(leaf) if grad is None else grad for leaf, grad in zip(self.leaves, grads, strict=True)]


def as_tuple(result: object) -> tuple:
    """Every output of a call in one flat tuple: a bare one, a tuple, and what a plain function nests."""
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, (tuple, list)):
        return tuple(item for part in result for item in (as_tuple(part) if isinstance(part, (tuple, list, dict)) else (part,)))
    return (result,)


def drawn(like: torch.Tensor, seed: int) -> torch.Tensor:
    """Signed normal numbers with all their digits, in the shape, dtype and place of `like`: the same on every device."""
    numbers = _normal(like.shape, torch.complex128 if like.is_complex() else torch.float64, seed)
    return numbers.to(like.device, like.dtype, copy=True)


@lru_cache(maxsize=64)
def _normal(shape: torch.Size, dtype: torch.dtype, seed: int) -> torch.Tensor:
    # far from the seeds that inputs are made with: an upstream gradient equal to the input would hide faults
    generator = torch.Generator().manual_seed(0x68616E64 + seed)
    return torch.randn(shape, generator=generator, dtype=dtype, device="cpu")  # and not on the default device


def direction(tensor: torch.Tensor, seed: int) -> torch.Tensor:
    """A direction to move a tensor in, by about its own size."""
    size = float(tensor.detach().abs().square().mean().sqrt()) if tensor.numel() else 1.0
    return drawn(tensor.detach(), seed + 500).mul_(0.5).add_(0.25) * (size or 1.0)


def inner(one: Tensors, other: Tensors) -> float:
    """The real inner product, as torch pairs gradients with directions: Re Σ conj(a) b."""
    return sum(float((a.detach().conj() * b.detach()).sum().real) for a, b in zip(one, other, strict=True))


def length(one: Tensors, other: Tensors) -> float:
    """The size that the inner product of two directions has by chance: √Σ |a b|²."""
    return sum(float((a.detach() * b.detach()).abs().square().sum()) for a, b in zip(one, other, strict=True)) ** 0.5


def real(tensor: torch.Tensor) -> torch.Tensor:
    """A flat view as real numbers; a complex one gives two."""
    flat = tensor.detach().reshape(-1)
    return torch.view_as_real(flat.resolve_conj()).reshape(-1) if flat.is_complex() else flat


def written_by_hand(outputs: Tensors) -> Iterator[torch.autograd.graph.Node]:
    """The nodes of custom Functions in the graph of `outputs`, each once."""
    stack, seen = [output.grad_fn for output in outputs], set()
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            yield node
        stack.extend(after for after, _ in node.next_functions)


def holds_tensor(value: object) -> bool:
    """Whether a value is a tensor, or a container that holds one."""
    if isinstance(value, torch.Tensor):
        return True
    if isinstance(value, dict):
        return any(map(holds_tensor, value.values()))
    return isinstance(value, (list, tuple, set)) and any(map(holds_tensor, value))


class Trace(TorchDispatchMode):
    """Counts the operations that compute, by name, views left out; notes how large each result is, and whether it rounds."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: Counter[str] = Counter()
        self.sizes: list[int] = []
        self.rounds = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        # detach is bookkeeping: reading a saved tensor costs one
        if not func.is_view and "detach" not in func.name():
            self.operations[func.name()] += 1
        if isinstance(result, torch.Tensor) and result.dtype in (torch.float32, torch.float16, torch.bfloat16, torch.complex64):
            self.rounds = True
        self.sizes.append(max((t.numel() for t in as_tuple(result) if isinstance(t, torch.Tensor)), default=0))
        return result


class Strangers(TorchDispatchMode):
    """Finds the tensors that operations read and that neither stand among those known nor come from an operation."""

    def __init__(self, known: Sequence[torch.Tensor]) -> None:
        super().__init__()
        self.known = {tensor.untyped_storage()._cdata for tensor in known}
        self.found: Tensors = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        read = [a for a in as_tuple((args, kwargs or {})) if isinstance(a, torch.Tensor)]
        if "lift_fresh" not in func.name():  # that is torch.tensor(…), made here
            self.found += [a for a in read if a.untyped_storage()._cdata not in self.known]
        result = func(*args, **(kwargs or {}))
        self.known |= {a.untyped_storage()._cdata for a in as_tuple(result) if isinstance(a, torch.Tensor)}
        return result


class Unfit(Exception):
    """What was handed over cannot be audited; the message says why and what to hand over."""


def named(fn: object) -> str:
    """What the report calls it."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, type) and getattr(fn, "__name__", "") == "apply":
        return owner.__name__
    return getattr(fn, "__name__", None) or type(fn).__name__


def prepare(fn: object, inputs: tuple, reference: Callable | None, seed: int) -> Call:
    """Turn what was handed over into a call.

    Raises:
        Unfit: it is nothing that can be audited.
    """
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, torch.autograd.Function) and getattr(fn, "__name__", "") == "apply":
        fn = owner
    if isinstance(fn, torch.autograd.Function):
        raise Unfit(f"{type(fn).__name__}() is an instance, and a Function has none: hand over the class, {type(fn).__name__}.")
    if isinstance(fn, type) and issubclass(fn, nn.Module):
        raise Unfit(f"{fn.__name__} is a class of Modules: hand over a Module, {fn.__name__}(…).")
    function = fn if isinstance(fn, type) and issubclass(fn, torch.autograd.Function) else None
    if function is None and (isinstance(fn, type) or not callable(fn)):
        what = f"the class {fn.__name__}" if isinstance(fn, type) else f"{type(fn).__name__} {fn!r:.60}"
        raise Unfit(f"got {what}: hand over a torch.autograd.Function (the class or its .apply), a function or a Module.")
    if function is torch.autograd.Function:
        raise Unfit("torch.autograd.Function itself has no forward: hand over a subclass of it.")
    if (
        function is not None
        and function.backward is torch.autograd.Function.backward
        and (function.vjp is torch.autograd.Function.vjp)
    ):
        near = [name for name in vars(function) if "back" in name.lower() or "grad" in name.lower()]
        seen = f" It has {near[0]}: is that a misspelling?" if near else ""
        raise Unfit(f"{function.__name__} has no backward.{seen}")
    _refuse_inputs(fn, function, inputs)
    called = function.apply if function is not None else fn
    names, optional = _signature(fn, function, inputs)
    flat, rebuild, flat_names = _flattened(inputs, names)
    flat = leaves(flat)
    if isinstance(fn, nn.Module):
        return _of_module(fn, flat, flat_names, rebuild, reference, seed)

    def call(*args: object) -> object:
        return called(*rebuild(args))

    wrapped = None if reference is None else (lambda *args: reference(*rebuild(args)))
    places = tuple(i for i, name in enumerate(flat_names) if name in optional)
    return Call(call, flat, flat_names, function, wrapped, optional=places, seed=seed)


def _refuse_inputs(fn: object, function: type | None, inputs: tuple) -> None:
    tensors = [item for item in _flattened(inputs, ("",) * len(inputs))[0] if isinstance(item, torch.Tensor)]
    if isinstance(fn, nn.Module) and any(parameter.requires_grad for parameter in fn.parameters()):
        return
    if any(tensor.requires_grad for tensor in tensors):
        if function is not None:
            listed = [item for item in inputs if isinstance(item, (list, tuple, dict))]
            if any(t.requires_grad for item in listed for t in as_tuple(item) if isinstance(t, torch.Tensor)):
                raise Unfit("a tensor inside a list or dict is not seen by apply, and gets no gradient: pass tensors one by one.")
        return
    if not tensors:
        raise Unfit("no tensor among the inputs: hand over the arguments that it is called with.")
    if not any(tensor.is_floating_point() or tensor.is_complex() for tensor in tensors):
        kinds = ", ".join(sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors}))
        raise Unfit(f"only integer inputs ({kinds}), and these have no gradient: hand over at least one floating-point tensor.")
    raise Unfit("no input requires grad, so there is no gradient to judge: call x.requires_grad_() on those that have one.")


def _signature(fn: object, function: type | None, inputs: tuple) -> tuple[tuple[str, ...], list[str]]:
    """The names of the arguments, and of those that may be left out as None."""
    target = function.forward if function is not None else (fn.forward if isinstance(fn, nn.Module) else fn)
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    if function is not None and function.setup_context is torch.autograd.Function.setup_context:
        parameters = parameters[1:]  # ctx
    known = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][: len(inputs)]
    optional = [p.name for p, a in zip(known, inputs, strict=False) if p.default is None and a is not None]
    names = [p.name for p in known]
    if not names and len(inputs) == 1:
        return ("x",), []
    return (*names, *(f"argument {i}" for i in range(len(names), len(inputs)))), optional


def _flattened(inputs: tuple, names: Sequence[str]) -> tuple[tuple, Callable, tuple[str, ...]]:
    """The tensors and other values of nested arguments in one row, how to nest them again, and their names."""
    flat: list = []
    flat_names: list[str] = []

    def shape_of(item: object, name: str) -> Callable[[Sequence], object]:
        if isinstance(item, dict):
            parts = {key: shape_of(value, f"{name}[{key!r}]") for key, value in item.items()}
            return lambda row: {key: build(row) for key, build in parts.items()}
        if type(item) in (list, tuple) and any(isinstance(part, (torch.Tensor, list, tuple, dict)) for part in item):
            row_of = [shape_of(part, f"{name}[{k}]") for k, part in enumerate(item)]
            kind = type(item)
            return lambda row: kind(build(row) for build in row_of)
        place = len(flat)
        flat.append(item)
        flat_names.append(name)
        return lambda row: row[place]

    builders = [shape_of(item, name) for item, name in zip(inputs, names, strict=True)]
    return tuple(flat), (lambda row: tuple(build(row) for build in builders)), tuple(flat_names)


def _of_module(module: nn.Module, flat: Args, names: tuple, rebuild: Callable, reference: Callable | None, seed: int) -> Call:
    """A Module's parameters are arguments too; its buffers are copied for each call, so its own never change."""
    parameters = {name: p.detach().clone().requires_grad_(p.requires_grad) for name, p in module.named_parameters()}
    buffers = {name: buffer.detach().clone() for name, buffer in module.named_buffers()}
    count = len(flat)

    def call(*args: object) -> object:
        kept = dict(zip(parameters, args[count:], strict=True))
        dtype = next((t.dtype for t in args if isinstance(t, torch.Tensor) and t.is_floating_point()), None)
        place = next((t.device for t in args if isinstance(t, torch.Tensor)), None)
        state = {
            name: buffer.to(
                device=place if place is not None else buffer.device,
                dtype=dtype if buffer.is_floating_point() and dtype else buffer.dtype,
                copy=True,
            )
            for name, buffer in buffers.items()
        }
        return torch.func.functional_call(module, {**kept, **state}, rebuild(args[:count]))

    def in_evaluation(*args: object) -> object:
        modes = {part: part.training for part in module.modules()}
        try:
            module.eval()
            return call(*args)
        finally:
            for part, training in modes.items():
                part.training = training

    wrapped = None if reference is None else (lambda *args: _reference_of(reference, args, count, parameters, rebuild))
    places = frozenset(range(count, count + len(parameters)))
    args, known = (*flat, *parameters.values()), tuple(buffers.values())
    return Call(
        call,
        args,
        (*names, *parameters),
        None,
        wrapped,
        parameters=places,
        buffers=known,
        in_evaluation=in_evaluation if module.training else None,
        seed=seed,
    )


def _reference_of(reference: Callable, args: Args, count: int, parameters: dict, rebuild: Callable) -> object:
    """A Module as reference is called with the same parameters by name; a function gets them after the inputs."""
    if isinstance(reference, nn.Module):
        return torch.func.functional_call(reference, dict(zip(parameters, args[count:], strict=True)), rebuild(args[:count]))
    return reference(*rebuild(args[:count]), *args[count:])
