"""How a tensor is printed."""

import math


def text_of(t) -> str:
    if t.is_meta:
        return f"tensor(..., device='meta', size={tuple(t.shape)}{_about(t)})"
    name = "Parameter containing:\ntensor" if type(t).__name__ == "Parameter" else "tensor"
    return f"{name}({_nested(t.tolist(), _formatter(t), 7)}{_about(t)})"


def _about(t) -> str:
    from torch.dtypes import get_default_dtype

    usual = t.dtype.name in ("bool", "int64") or t.dtype is get_default_dtype()
    parts = [] if usual and t.numel() else [f"dtype={t.dtype}"] if not usual else []
    if t.grad_fn is not None:
        parts.append(f"grad_fn=<{t.grad_fn.name()}>")
    elif t.requires_grad:
        parts.append("requires_grad=True")
    return "".join(f", {part}" for part in parts)


def _formatter(t):
    values = t.values()
    if not t.is_floating_point():
        width = max((len(str(v)) for v in values), default=0)
        return (lambda v: str(v).rjust(width)) if t.shape else str
    finite = [abs(v) for v in values if math.isfinite(v) and v]
    whole = all(v == int(v) for v in finite)
    large, small = max(finite, default=0), min(finite, default=1)
    if finite and (large > 1e8 or ((large / small > 1000 or small < 1e-4) and not whole)):
        spec = "{:.4e}"
    else:
        spec = "{:.0f}." if whole else "{:.4f}"

    def text(v: float) -> str:
        return spec.format(v) if math.isfinite(v) else str(v)

    width = max((len(text(v)) for v in values), default=0)
    return (lambda v: text(v).rjust(width)) if t.shape else text


def _nested(values, text, indent: int) -> str:
    if not isinstance(values, list):
        return text(values)
    if not values or not isinstance(values[0], list):
        return f"[{', '.join(map(text, values))}]"
    deeper = 1
    inner = values[0]
    while inner and isinstance(inner[0], list):
        inner, deeper = inner[0], deeper + 1
    gap = "," + "\n" * deeper + " " * (indent + 1)
    return f"[{gap.join(_nested(v, text, indent + 1) for v in values)}]"
