"""Solution regions: what the exercise hides and the solution shows.

    ### BEGIN SOLUTION
    return 2 * x
    ### BEGIN STUB
    # return 3 * x
    ### END SOLUTION

The stub is optional; without one the exercise shows `raise NotImplementedError`.
"""

import re

_MARKER = re.compile(r"(?P<indent>\s*)### (?P<word>BEGIN SOLUTION|BEGIN STUB|END SOLUTION)\s*")
_STUB_LINE = re.compile(r"(?P<indent>\s*)# ?(?P<code>.*)")


class RegionError(ValueError):
    """A marker that does not fit.

    Args:
        line: the marker's line within the cell, from 0.
        message: what is wrong and how to repair it.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def has_marker(text: str) -> bool:
    """Whether any line of `text` is a marker."""
    return any(_MARKER.fullmatch(line) for line in text.split("\n"))


def split_regions(text: str) -> tuple[str, str]:
    """The text that the solution shows and the text that the exercise shows.

    Raises:
        RegionError: a marker is unclosed, nested or stray, or a stub's line is not a comment.
    """
    solution: list[str] = []
    exercise: list[str] = []
    stub: list[str] = []
    place, opened, indent = "outside", 0, ""
    for number, line in enumerate(text.split("\n")):
        marker = _MARKER.fullmatch(line)
        word = marker["word"] if marker else None
        if word == "BEGIN SOLUTION":
            if place != "outside":
                raise RegionError(number, "### BEGIN SOLUTION stands inside another solution; put ### END SOLUTION before it")
            place, opened, indent, stub = "solution", number, marker["indent"], []
        elif word == "BEGIN STUB":
            if place != "solution":
                raise RegionError(number, "### BEGIN STUB belongs once between ### BEGIN SOLUTION and ### END SOLUTION")
            place = "stub"
        elif word == "END SOLUTION":
            if place == "outside":
                raise RegionError(number, "### END SOLUTION has no ### BEGIN SOLUTION before it; add that or delete this line")
            exercise += stub or [f"{indent}raise NotImplementedError"]
            place = "outside"
        elif place == "stub":
            stub.append(_uncommented(line, number))
        else:
            solution.append(line)
            if place == "outside":
                exercise.append(line)
    if place != "outside":
        raise RegionError(opened, "### BEGIN SOLUTION is never closed; add ### END SOLUTION after the answer")
    return "\n".join(solution), "\n".join(exercise)


def _uncommented(line: str, number: int) -> str:
    comment = _STUB_LINE.fullmatch(line)
    if comment is None and line.strip():
        raise RegionError(number, "a line of a stub is not a comment; begin each with '# ', the exercise shows them without it")
    return f"{comment['indent']}{comment['code']}".rstrip() if comment else ""
