"""A pytest plugin: nbval with a kernel that cannot work stops at once, with one message instead of a hundred failing cells.

pytest loads it in every run (entry point `pytest11`); it does nothing unless nbval is asked for.
"""

import pytest


def kernel_problem(name: str) -> str | None:
    """Why the Jupyter kernel `name` cannot run on this machine, with the cure; None when it can."""
    from jupyter_client.kernelspec import KernelSpecManager

    installed = KernelSpecManager().find_kernel_specs()
    if name not in installed:
        known = ", ".join(sorted(installed)) or "none"
        return (
            f"no Jupyter kernel is named {name!r} (installed: {known}). "
            "handgrad-cpu and handgrad-cuda come with the course: python -m pip install -r requirements.txt"
        )
    if name == "handgrad-cuda":
        import torch

        from handgrad.device import NO_CUDA

        if not torch.cuda.is_available():
            return NO_CUDA
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    option = config.option
    asked_for = getattr(option, "nbval", False) or getattr(option, "nbval_lax", False)
    if not asked_for or hasattr(config, "workerinput"):
        return
    if getattr(option, "dist", "no") not in ("no", "loadfile", "loadscope"):
        raise pytest.UsageError(
            f"nbval with pytest-xdist and --dist {option.dist} scatters the cells of one notebook over several kernels. "
            "Add --dist loadfile"
        )
    if option.nbval_kernel_name:
        problem = kernel_problem(option.nbval_kernel_name)
        if problem:
            raise pytest.UsageError(problem)
