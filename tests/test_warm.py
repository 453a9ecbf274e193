"""Warm kernels: whatever a client may ask of a kernel, asked of one that was forked; and the warm process that they come from."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("kernels are forked on Linux alone", allow_module_level=True)

from jupyter_client import AsyncKernelManager, BlockingKernelClient, KernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.multikernelmanager import AsyncMultiKernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from handgrad.grading import box
from handgrad.warm import client, provisioner, shared
from handgrad.warm import kernel as kernels
from handgrad.warm.provisioner import ForkedKernel

NAME = "handgrad-warm"


@contextlib.contextmanager
def short_folder() -> Iterator[Path]:
    """A folder for sockets, whose names have 107 bytes at most: pytest's own are longer, under xdist."""
    with tempfile.TemporaryDirectory(prefix="hg-") as name:
        yield Path(name)


@pytest.fixture
def alone(monkeypatch) -> Iterator[Path]:
    """A runtime folder of one test, and so a warm process of its own."""
    with short_folder() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
        yield folder


@pytest.fixture(scope="module", autouse=True)
def runtime() -> Iterator[Path]:
    """A warm process of these tests alone, which ends soon after them."""
    with pytest.MonkeyPatch.context() as patch, short_folder() as folder:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        patch.setenv("OMP_NUM_THREADS", "2")
        yield folder


def ends(condition: Callable[[], bool], within: float) -> bool:
    """Whether `condition` holds at some time within so many seconds."""
    end = time.monotonic() + within
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has reaped yet has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


@contextlib.contextmanager
def kernel(name: str = NAME, **options) -> Iterator[tuple[KernelManager, BlockingKernelClient]]:
    manager = KernelManager(kernel_name=name)
    manager.start_kernel(**options)
    connected = manager.client()
    connected.start_channels()
    try:
        connected.wait_for_ready(60)
        yield manager, connected
    finally:
        connected.stop_channels()
        manager.shutdown_kernel(now=True)


def run(connected: BlockingKernelClient, code: str, timeout: float = 30) -> str:
    """What a cell printed or returned; its error's name where it has one."""
    said = []

    def hear(message: dict) -> None:
        content = message["content"]
        said.append(content.get("text") or content.get("ename") or content.get("data", {}).get("text/plain", ""))

    connected.execute_interactive(textwrap.dedent(code), timeout=timeout, output_hook=hear)
    return "".join(said).strip()


def test_the_kernel_is_a_fork_in_the_clients_surroundings(tmp_path):
    environment = os.environ | {"HANDGRAD_DEVICE": "cpu", "PATH": f"/nowhere:{os.environ['PATH']}", "TZ": "Asia/Tokyo"}
    with kernel(cwd=str(tmp_path), env=environment) as (manager, connected):
        assert isinstance(manager.provisioner.process, ForkedKernel)
        seen = run(
            connected,
            """
            import os, sys, time
            print([os.getcwd(), os.environ["HANDGRAD_DEVICE"], os.environ["PATH"][:8], time.tzname[0], sys.argv[1],
                   sys.executable, os.environ["JPY_PARENT_PID"], "torch" in sys.modules, "handgrad" in sys.modules])
            """,
        )
        wanted = [str(tmp_path), "cpu", "/nowhere", "JST", "-f", sys.executable, str(os.getpid()), True, False]
        assert seen == repr(wanted)


def test_as_many_threads_as_asked_and_they_compute():
    code = """
        import numpy, torch
        x = torch.ones(600, 600, requires_grad=True)
        (x @ x).sum().backward()
        print(torch.get_num_threads(), float(x.grad[0, 0]), float((numpy.ones((600, 600)) @ numpy.ones((600, 600)))[0, 0]))
    """
    with kernel() as (_, connected):
        assert run(connected, code) == "2 1200.0 600.0"


def test_no_two_kernels_draw_the_same_numbers():
    code = "import random, numpy, torch; print(random.random(), numpy.random.rand(), float(torch.rand(1)))"
    drawn = []
    for _ in range(2):
        with kernel() as (_, connected):
            drawn.append(run(connected, code).split())
    assert all(one != other for one, other in zip(*drawn, strict=True))


def test_streams_go_where_the_client_said(tmp_path):
    code = "import os; os.write(1, b'out'); os.write(2, b'err')"  # ipykernel does not capture them where pytest's mark is set
    with (tmp_path / "err").open("w") as file, kernel(stdout=subprocess.PIPE, stderr=file) as (manager, connected):
        assert run(connected, code) == "3"
        assert manager.provisioner.process.stdout.read(3) == b"out"
    assert "err" in (tmp_path / "err").read_text()


def test_interrupt_stops_a_cell_and_nothing_else():
    with kernel() as (manager, connected):
        message = connected.execute("kept = 7\nimport time\nfor _ in range(600): time.sleep(0.1)")
        while connected.get_iopub_msg(timeout=10)["msg_type"] != "execute_input":
            pass
        time.sleep(0.1)
        manager.interrupt_kernel()
        reply = connected.get_shell_msg(timeout=10)
        assert reply["parent_header"]["msg_id"] == message and reply["content"]["ename"] == "KeyboardInterrupt"
        assert run(connected, "kept") == "7"


@pytest.mark.parametrize(("code", "status"), [("os._exit(3)", 3), ("os.kill(os.getpid(), 15)", -15), ("os.abort()", -6)])
def test_a_kernel_that_ends_by_itself_says_how(code, status):
    with kernel() as (manager, connected):
        connected.execute(f"import os; {code}")
        assert ends(lambda: not manager.is_alive(), 5)
        assert manager.provisioner.process.poll() == status


def test_restart_and_shutdown(tmp_path):
    with kernel() as (manager, connected):
        ports = manager.ports
        mark = tmp_path / "x"
        first = run(connected, f"import atexit, os, pathlib; atexit.register(pathlib.Path({str(mark)!r}).touch); os.getpid()")
        manager.restart_kernel()
        connected.wait_for_ready(60)
        assert manager.ports == ports and gone(int(first))
        assert mark.exists(), "what a cell registered with atexit ran"
        assert run(connected, "'atexit' in globals()") == "False"
        second = manager.provisioner.process
        begin = time.monotonic()
        manager.shutdown_kernel(now=True)
        assert second.returncode == -signal.SIGKILL and time.monotonic() - begin < 2
        assert not manager.has_kernel


def test_what_a_kernel_has_started_ends_with_it():
    with kernel() as (_, connected):
        started = int(run(connected, "import subprocess; subprocess.Popen(['sleep', '100']).pid"))
        assert not gone(started)
    assert ends(lambda: gone(started), 5)


def test_input_plots_widgets_and_the_debugger():
    with kernel() as (_, connected):
        connected.execute("print('<' + input('name? ') + '>')", allow_stdin=True)
        assert connected.get_stdin_msg(timeout=10)["content"]["prompt"] == "name? "
        connected.input("Ada")
        assert connected.get_shell_msg(timeout=10)["content"]["status"] == "ok"
        code = "%matplotlib inline\nimport matplotlib.pyplot as plt\nfigure = plt.plot([1, 2])"
        assert "Figure size" in run(connected, code)
        assert run(connected, "from comm import create_comm; create_comm(target_name='x').comm_id[:0]") == "''"
        request = connected.session.msg("debug_request", {"type": "request", "seq": 1, "command": "debugInfo", "arguments": {}})
        connected.control_channel.send(request)
        assert connected.get_control_msg(timeout=10)["content"]["success"]


def test_the_ipc_transport(tmp_path):
    manager = KernelManager(kernel_name=NAME, transport="ipc", ip=str(tmp_path / "k"))
    manager.start_kernel()
    connected = manager.client()
    connected.start_channels()
    connected.wait_for_ready(60)
    assert run(connected, "1 + 1") == "2"
    connected.stop_channels()
    manager.shutdown_kernel(now=True)


def test_an_asynchronous_manager():
    async def life() -> tuple[object, int, int]:
        manager = AsyncKernelManager(kernel_name=NAME)
        await manager.start_kernel()
        connected = manager.client()
        connected.start_channels()
        await connected.wait_for_ready(60)
        reply = await connected.execute_interactive("import os", timeout=10)
        connected.stop_channels()
        process = manager.provisioner.process
        await manager.signal_kernel(signal.SIGTERM)
        status = await manager.provisioner.wait()
        await manager.shutdown_kernel(now=True)
        return process, reply["content"]["status"], status

    process, reply, status = asyncio.run(life())
    assert isinstance(process, ForkedKernel) and reply == "ok" and status == -15


def test_many_kernels_as_a_server_holds_them():
    async def life() -> list[object]:
        several = AsyncMultiKernelManager()
        names = await asyncio.gather(*(several.start_kernel(kernel_name=NAME) for _ in range(3)))
        processes = [several.get_kernel(name).provisioner.process for name in names]
        await several.restart_kernel(names[0], now=True)
        processes.append(several.get_kernel(names[0]).provisioner.process)
        await several.shutdown_all(now=True)
        return processes

    processes = asyncio.run(life())
    assert all(isinstance(process, ForkedKernel) for process in processes) and len({process.pid for process in processes}) == 4
    assert all(ends(lambda process=process: gone(process.pid), 5) for process in processes)


def test_nbclient_and_nbval_as_they_are(tmp_path):
    code = "import os; print(b'handgrad.warm.zygote' in open(f'/proc/{os.getppid()}/cmdline', 'rb').read())"
    notebook = new_notebook(cells=[new_code_cell(code)])
    (tmp_path / "pytest.ini").write_text("", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-kernel-name", NAME, "-p", "no:cacheprovider", "one.ipynb"]
    NotebookClient(notebook, kernel_name=NAME).execute()
    assert notebook.cells[0].outputs[0].text == "True\n"
    (tmp_path / "one.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, f"its kernel is not from a warm process:\n{done.stdout}"


CLIENT = """
import os, sys, time
from jupyter_client import KernelManager
manager = KernelManager(kernel_name="handgrad-warm")
manager.start_kernel()
print(manager.provisioner.pid, open(f"/proc/{manager.provisioner.pid}/stat").read().rpartition(")")[2].split()[1], flush=True)
time.sleep(100)
"""


def test_clients_share_one_warm_process_which_ends_after_the_last(alone):
    program = f"from handgrad.warm import client, shared; shared.GRACE, client.PRELOAD = 1.0, ()\n{CLIENT}"
    clients = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    kernels, warm = zip(*(map(int, one.stdout.readline().split()) for one in clients), strict=True)
    assert warm[0] == warm[1] and kernels[0] != kernels[1]
    clients[0].kill()
    assert ends(lambda: gone(kernels[0]), 1), "a kernel ends with its client"
    assert not gone(kernels[1]) and not gone(warm[0])
    clients[1].kill()
    assert ends(lambda: gone(kernels[1]), 1)
    assert ends(lambda: gone(warm[0]), 5), "the warm process ends by itself"
    assert not list((alone / "handgrad").glob("*.socket"))
    for one in clients:
        one.communicate()


def test_clients_that_come_at_once_start_one(alone, monkeypatch):
    monkeypatch.setattr(client, "PRELOAD", ())
    monkeypatch.setattr(kernels, "PRELOAD", ())
    fork = client.fork

    def slow(*arguments) -> client.Process:
        try:
            return fork(*arguments)
        except client.NotThere:
            time.sleep(0.1)  # so that all of them have found nobody
            raise

    run_once, starts = subprocess.run, []
    monkeypatch.setattr(client, "fork", slow)
    monkeypatch.setattr(shared.subprocess, "run", lambda *command, **options: (starts.append(1), run_once(*command, **options)))
    request = client.Request("kernel", dict(os.environ), "/", argv=("--version",), threads=None)
    with open(os.devnull, "r+") as null, ThreadPoolExecutor(4) as pool:
        forked = list(pool.map(lambda _: shared.fork([sys.executable], request, [null.fileno()] * 4), range(4)))
    for one in forked:
        assert one.wait(10) == 0
        one.close()
    assert len(starts) == 1


def test_a_dead_warm_process_takes_its_kernels_along_and_is_replaced(alone, monkeypatch):
    monkeypatch.setattr(client, "PRELOAD", ())
    with kernel() as (manager, connected):
        warm = int(run(connected, "import os; os.getppid()"))
        assert warm != os.getpid(), "it was started in the ordinary way"
        os.kill(warm, signal.SIGKILL)
        assert ends(lambda: not manager.is_alive(), 5)
        with kernel() as (_, other):
            assert run(other, "import os; os.getppid()") not in ("", str(warm))


STATE = """
    import builtins, gc, os, signal, sys, threading
    gc.collect()
    shell = get_ipython()
    print([sorted(vars(builtins)), sys.path, sys.argv[1], sorted(os.environ), os.getcwd(), os.getpgid(0) == os.getpid(),
           sorted({one.name for one in threading.enumerate()} - {"Heartbeat"}), gc.isenabled(), signal.getsignal(signal.SIGINT),
           __name__, sys.modules["__main__"].__dict__ is globals(), sorted(name for name in dir() if name[0] != "_"),
           shell.profile_dir.location, shell.history_manager.session_number > 0, len(shell.compile._filename_map)])
"""


def test_a_kernel_forked_ahead_is_as_one_forked_when_asked_for(alone):
    def spare() -> set[int]:
        return set(map(int, children.read_text().split())) - {manager.provisioner.pid}

    with kernel() as (manager, connected):
        warm = int(run(connected, "import os; os.getppid()"))
        children = Path(f"/proc/{warm}/task/{warm}/children")
        state = run(connected, STATE)
        assert ends(lambda: len(spare()) == 1, 10), "none is forked ahead"
        (ahead,) = spare()
        with kernel() as (second, other):
            assert second.provisioner.pid == ahead, "it was forked when asked for"
            assert int(run(other, "import os; os.getppid()")) == warm
            assert len(state) > 1000 and run(other, STATE) == state
            assert ends(lambda: len(spare()) == 2, 10), "none is forked ahead of the third"
            (ahead,) = spare() - {second.provisioner.pid}
            os.kill(ahead, signal.SIGKILL)
            with kernel() as (third, last):
                assert third.provisioner.pid != ahead and int(run(last, "import os; os.getppid()")) == warm
    assert ends(lambda: gone(ahead), 5)


def test_the_kernel_forked_ahead_ends_with_the_warm_process(alone, monkeypatch):
    with kernel() as (_, connected):
        warm = int(run(connected, "import os; os.getppid()"))
        children = Path(f"/proc/{warm}/task/{warm}/children")
        assert ends(lambda: len(children.read_text().split()) == 2, 10)
        forked = list(map(int, children.read_text().split()))
        os.kill(warm, signal.SIGKILL)
        assert ends(lambda: all(map(gone, forked)), 5)


def test_a_folder_too_long_for_a_socket_is_said(alone, monkeypatch):
    long = alone / ("x" * 100)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    with pytest.raises(client.WarmError, match="shorter XDG_RUNTIME_DIR"):
        shared.fork([sys.executable], client.Request("kernel", dict(os.environ), "/", argv=("--version",)), [])


def test_what_cannot_be_forked_starts_in_the_ordinary_way_and_says_so_once(monkeypatch, caplog):
    monkeypatch.setattr(provisioner, "_said", set())
    monkeypatch.setattr(client, "PRELOAD", ("no_such_module",))
    monkeypatch.setenv("TORCH_OF_ITS_OWN", "1")  # another environment than that of the warm process which runs
    for _ in range(2):
        with kernel() as (manager, connected):
            assert isinstance(manager.provisioner.process, subprocess.Popen)
            assert run(connected, "1 + 1") == "2"
    assert len(caplog.messages) == 1 and "No module named 'no_such_module'" in caplog.messages[0]


def test_another_kind_of_kernel_is_left_alone(monkeypatch, caplog):
    spec = KernelSpec(argv=["sleep", "100"], metadata={"kernel_provisioner": {"provisioner_name": NAME}})
    monkeypatch.setattr(KernelSpecManager, "get_kernel_spec", lambda *_: spec)
    manager = KernelManager(kernel_name="other")
    manager.start_kernel()
    assert isinstance(manager.provisioner.process, subprocess.Popen)
    assert "is not an ipykernel" in caplog.text
    manager.shutdown_kernel(now=True)


def test_a_folder_that_others_can_enter_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "handgrad").mkdir(mode=0o755)
    with pytest.raises(client.WarmError, match="not a folder of yours alone"):
        shared.fork([sys.executable], client.Request("kernel", dict(os.environ), "/"), [])


@pytest.fixture(scope="module")
def zygote() -> Iterator[client.Zygote]:
    with client.Zygote(preload=(), cells=True, wrapper=() if box.box_problem() else box.box_command()) as warm:
        yield warm


def said_by(zygote: client.Zygote, code: str, **wanted) -> tuple[str, client.Process]:
    """What a forked shell prints to its first descriptor."""
    ours, theirs = socket.socketpair()
    read, write = os.pipe()
    request = client.Request("cells", dict(os.environ), box.SCRATCH if wanted else "/", **wanted)
    process = zygote.fork(request, [write, write, write, theirs.fileno()])
    theirs.close()
    os.close(write)
    data = json.dumps({"id": 1, "code": f"import os\ndef say(x): os.write(1, str(x).encode())\n{code}"}).encode()
    ours.sendall(struct.pack("!I", len(data)) + data)
    with os.fdopen(read) as file:
        ours.shutdown(socket.SHUT_WR)
        text = file.read()
    ours.close()
    return text, process


@pytest.mark.parametrize(("code", "status"), [("pass", 0), ("os._exit(5)", 5), ("os.kill(os.getpid(), 9)", -9)])
def test_zygote_tells_how_a_child_ended(zygote, code, status):
    text, process = said_by(zygote, f"say('here')\n{code}")
    assert (text, process.wait(5)) == ("here", status)
    process.close()


def test_zygote_survives_a_request_that_is_none(zygote):
    for data in (b"\xff", b"[]", b'{"mode": "kernel"}', b"{}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            connection.connect(zygote.path)
            connection.send(data)
            connection.settimeout(5)
            connection.recv(4096)
    text, process = said_by(zygote, "say('still')")
    process.close()
    assert text == "still"


@pytest.mark.skipif(box.box_problem() is not None, reason="no box on this machine")
def test_a_private_child_has_walls(zygote):
    code = f"""
import socket
def problem(what):
    try: what()
    except OSError as error: return error.strerror
say([os.getpid(), os.listdir('/proc'), os.listdir({str(Path(box.__file__).parent)!r}),
     problem(lambda: socket.socket().connect(('127.0.0.1', 9))), problem(lambda: open('/usr/x', 'w')),
     open('{box.SCRATCH}/x', 'w').write('k')])
"""
    text, process = said_by(zygote, code, private=True, hidden=(str(Path(box.__file__).parent),))
    process.close()
    wanted = [1, [], [], "Network is unreachable", "Read-only file system", 1]
    assert text == repr(wanted)
