"""An answer under torch.compile: one graph or an error, whatever was compiled before or set elsewhere in the process."""

import builtins
import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType

import torch

from handgrad.audit.record import MOST_CHARACTERS

_OTHERS = (str(Path(torch.__file__).parent), str(Path(__file__).parents[1]), "<")


@contextlib.contextmanager
def in_one_graph(fn: Callable, home: dict | None = None) -> Iterator[tuple[Callable, list]]:
    """`fn` compiled with `fullgraph=True` by the backend aot_eager, and the list of the graphs that it was compiled to.

    The first use in a process imports the compiler, which takes seconds; each new function after that, a few tenths of one.

    Args:
        home: the globals of the code behind `fn`, which the compiler looks up by their `__name__` among the modules.
    """
    from torch import _dynamo

    graphs: list[torch.fx.GraphModule] = []
    aot_eager = _dynamo.lookup_backend("aot_eager")

    def backend(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> Callable:
        graphs.append(graph)
        return aot_eager(graph, inputs)

    def call(*args: object) -> object:
        return fn(*args)

    # what was compiled is kept with the code object and its globals: these are new, and die with the call
    fresh = {"__builtins__": builtins} if home is None or vars(sys.modules.get(home.get("__name__"), object)) is home else home
    call = FunctionType(call.__code__.replace(), fresh, "call", None, call.__closure__)
    as_it_comes = {"suppress_errors": False, "disable": False, "capture_scalar_outputs": False}
    with torch.compiler.set_stance("default"), _dynamo.config.patch(**as_it_comes):
        yield torch.compile(call, backend=backend, fullgraph=True, dynamic=False), graphs


def told(error: Exception) -> dict:
    """What the compiler says of an answer, as `record.raised` would write it: its first words, and the lines that it read."""
    text = str(error)
    read = re.findall(r'File "(.+)", line (\d+), in (\w+)\n\s+(.+)', text)
    where = [f"line {line}, in {name}: {code}" for path, line, name, code in read if not path.startswith(_OTHERS)]
    words, *_ = re.split(r"\n\s*\n|\nfrom user code", text)
    said = [line for line in words.splitlines() if not line.strip().startswith(("Hint:", "Higher Order Operator:"))]
    return {"raised": type(error).__name__, "text": "\n".join(said)[:MOST_CHARACTERS], "where": where[-4:]}
