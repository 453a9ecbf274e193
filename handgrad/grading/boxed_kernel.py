"""The kernel provisioner `handgrad-boxed`: an ordinary kernel inside the box, for grading with `--real-kernels`.

Its sockets are files in a folder that both sides see, so that it needs no network.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import LocalProvisioner

from handgrad.grading.box import LIMITS, box_command

_LIMITS = {"cpu_seconds": "cpu", "file_bytes": "fsize", "processes": "nproc", "files": "nofile"}  # as prlimit calls them
_IMPORTS_MIB = 6144  # address space that torch takes before an answer has any


class BoxedProvisioner(LocalProvisioner):
    """Starts the kernel by bubblewrap."""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        self._meeting = Path(tempfile.mkdtemp(prefix="hg-"))  # short: a socket's path has 108 bytes at most
        manager = self.parent
        manager.transport, manager.ip = "ipc", str(self._meeting / "s")
        manager.connection_file = str(self._meeting / "kernel.json")
        self.kernel_spec.interrupt_mode = "message"  # a signal would end the box
        kwargs = await super().pre_launch(**kwargs)
        told = {name: value for name, value in kwargs["env"].items() if name.startswith("HANDGRAD_")}
        box = box_command(writable=[self._meeting], walls=False)
        for name, value in told.items():
            box += ["--setenv", name, value]
        limits = [f"--{name}={LIMITS[key]}" for key, name in _LIMITS.items()]
        memory = (LIMITS["memory_mib"] + _IMPORTS_MIB) << 20
        kwargs["cmd"] = ["prlimit", *limits, f"--as={memory}", "--core=0", "--", *box, *kwargs["cmd"]]
        return kwargs

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        kwargs.pop("cwd", None)  # there is no such folder inside
        return await super().launch_kernel(cmd, **kwargs)

    async def cleanup(self, restart: bool = False) -> None:
        await super().cleanup(restart)
        if not restart:
            shutil.rmtree(self._meeting, ignore_errors=True)
