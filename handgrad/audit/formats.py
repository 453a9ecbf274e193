"""How values of a record read in a message. No torch."""

from collections.abc import Callable

MOST_SHOWN = 12


def show(value: object, digits: int = 6) -> str:
    """Write a value of a record the way a reader of torch expects it: `[-1., 2.]`, `RuntimeError`, `between 0 and 1`."""
    if isinstance(value, dict):
        if "tensor" in value and isinstance(value["tensor"], list):
            return _show_tensor(value, digits)
        if "between" in value:
            low, high = value["between"]
            if high - low <= 1e-4 * abs(low + high):
                return f"about {_number((low + high) / 2, digits)}"
            return f"between {_number(low, digits)} and {_number(high, digits)}"
        if "raised" in value:
            return f"{value['raised']} raised"
        if "float" in value:
            return str(value["float"])
        if "mapping" in value and isinstance(value["mapping"], list):
            pairs = [f"{show(pair[0], digits)}: {show(pair[1], digits)}" for pair in value["mapping"][:MOST_SHOWN]]
            return "{" + ", ".join(pairs) + "}"
        return str(value.get("object", "something that is no plain value"))
    if isinstance(value, list):
        rest = ", …" if len(value) > MOST_SHOWN else ""
        return "[" + ", ".join(show(item, digits) for item in value[:MOST_SHOWN]) + rest + "]"
    if isinstance(value, float):
        return _number(value, digits)
    return str(value)[:300]


def at_place(got: object, want: object, same: Callable[[object, object], bool]) -> tuple[str, str] | None:
    """For two tensors (or lists) too long to print: where they first differ. None where printing them whole is better."""
    flat_got, shape = _flat(got)
    flat_want, shape_want = _flat(want)
    if flat_want is None or flat_got is None or shape != shape_want or len(flat_want) <= MOST_SHOWN:
        return None
    different = [index for index, pair in enumerate(zip(flat_got, flat_want, strict=True)) if not same(*pair)]
    if not different:
        return None
    first = different[0]
    where = f" at {_index(first, shape)} ({len(different)} of {len(flat_want)} places differ)"
    for digits in (6, 17):
        expected, found = show(flat_want[first], digits), show(flat_got[first], digits)
        if expected != found:
            break
    return expected, found + where


def _flat(value: object) -> tuple[list | None, list]:
    if isinstance(value, dict) and isinstance(value.get("tensor"), list) and isinstance(value.get("shape"), list):
        return value["tensor"], value["shape"]
    if isinstance(value, list):
        return value, [len(value)]
    return None, []


def _index(flat: int, shape: list) -> str:
    places = []
    for size in reversed(shape):
        places.append(flat % size)
        flat //= size
    return "[" + ", ".join(map(str, reversed(places))) + "]"


def _show_tensor(value: dict, digits: int) -> str:
    shape = value.get("shape")
    flat = value["tensor"]
    note = "" if value.get("dtype") in ("float64", "float32", "int64", "bool") else f" ({value.get('dtype')})"
    if value.get("device") == "meta":
        return f"a tensor of shape {shape} on meta"
    if not isinstance(shape, list) or len(flat) > 4 * MOST_SHOWN or not flat:
        return f"a tensor of shape {shape}, {value.get('dtype')}"
    return _nested([show(x, digits) for x in flat], shape) + note


def _nested(flat: list[str], shape: list) -> str:
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return "[" + ", ".join(flat) + "]"
    step = len(flat) // shape[0] if shape[0] else 0
    return "[" + ", ".join(_nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"


def _number(value: float, digits: int) -> str:
    text = f"{value + 0.0:.{digits}g}"  # -0. reads as a mistake where there is none
    return text + "." if isinstance(value, float) and text.lstrip("-").isdigit() else text
