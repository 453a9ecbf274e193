"""How soon a notebook's kernel is ready, and has torch: `handgrad-warm` beside an ordinary kernel, in turns, as ratios.

Run `python benchmarks/kernel_start.py`; it takes about a minute. A kernel is ready when it answers what it is. jupyter_client's
`wait_for_ready` then listens for 0.2 s more, which is no kernel's doing and stands in no figure. The first warm kernel of all is
left out: it starts the process that the others are forked from.
"""

import statistics
import time
from queue import Empty

from jupyter_client import KernelManager

WARM, ORDINARY = "handgrad-warm", "handgrad-cpu"
ROUNDS = 15
COLUMNS = ("started", "ready", "torch is there", "stopped")


def life(name: str) -> tuple[float, ...]:
    """Milliseconds: until it is started, until it answers, of a cell that imports torch, of its end."""
    manager = KernelManager(kernel_name=name)
    begin = time.perf_counter()
    manager.start_kernel()
    started = time.perf_counter()
    client = manager.client()
    client.start_channels()
    answers(client)
    ready = time.perf_counter()
    client.execute_interactive("import torch", timeout=120)
    imported = time.perf_counter()
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    end = time.perf_counter()
    return tuple(1000 * seconds for seconds in (started - begin, ready - begin, imported - ready, end - imported))


def answers(client) -> None:
    """Wait until it says what it is; what is asked too early is lost with some transports, and asked again."""
    for _ in range(600):
        client.kernel_info()
        try:
            client.get_shell_msg(timeout=0.1)
            return
        except Empty:
            continue
    raise TimeoutError("the kernel does not answer")


def main() -> None:
    """Print the table."""
    life(WARM)
    lives: dict[str, list[tuple[float, ...]]] = {WARM: [], ORDINARY: []}
    for _ in range(ROUNDS):
        for name, seen in lives.items():
            seen.append(life(name))
            time.sleep(0.5)  # as a reader would leave it
    medians = {name: [statistics.median(column) for column in zip(*seen, strict=True)] for name, seen in lives.items()}
    print(f"milliseconds, medians of {ROUNDS}; in brackets the least")
    print(f"{'':<16}" + "".join(f"{column:>18}" for column in COLUMNS))
    for name, row in medians.items():
        least = [min(column) for column in zip(*lives[name], strict=True)]
        print(f"{name:<16}" + "".join(f"{f'{middle:.0f} ({low:.0f})':>18}" for middle, low in zip(row, least, strict=True)))
    print(f"{'ratio':<16}" + "".join(f"{b / a:>18.1f}" for a, b in zip(*medians.values(), strict=True)))


if __name__ == "__main__":
    main()
