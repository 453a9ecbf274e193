"""What a learner wrote, made fit to be shown: no control characters, no more than a reader can use."""

import re

MOST_TEXT = 20_000  # characters of one text
MOST_NAME = 120
MOST_LINES = 40  # notes of one file, flags of one row
_ANSI = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b.?", re.DOTALL)
# Not allowed in XML 1.0 (surrogates and the two noncharacters among them), C1 controls, and marks that reorder what follows.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_HINT = re.compile(r"\s*More: hint\(.*\)\s*$")


def plain(text: str, most: int = MOST_TEXT) -> str:
    """The text without colours and control characters; a long one is cut, and says so."""
    left_out = len(text) - most
    text = _UNFIT.sub("", _ANSI.sub("", text[: most + 1]).replace("\r\n", "\n").replace("\r", "\n"))
    if left_out <= 0:
        return text
    return f"{text[:most]}\n… {left_out:,} more characters are left out here."


def one_line(text: str, most: int = MOST_NAME) -> str:
    """The text on one line; a long one ends in …"""
    words = " ".join(plain(text[: 10 * most]).split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def few(texts: list[str]) -> list[str]:
    """The first of many texts, each plain, and how many were left out."""
    shown = [plain(text, 2_000) for text in texts[:MOST_LINES]]
    return shown + ([f"… and {len(texts) - MOST_LINES:,} more."] if len(texts) > MOST_LINES else [])


def gist(exercise: str, text: str) -> str:
    """The line of a text that names the mistake.

    A check's advice stands before its offer of a hint; other texts say it in their first line, after the exercise's name.
    """
    lines = [line for line in plain(text).splitlines() if line.strip()]
    advice = next((_HINT.sub("", line) for line in lines if _HINT.search(line)), "")
    return one_line(advice or next(iter(lines), "").removeprefix(f"{exercise}: "), 200)


def number(value: float) -> str:
    """Points for a reader: 10, 7.5, 3.33."""
    return f"{round(value, 2):g}"


def percent(part: float, whole: float) -> int:
    """In whole percent, 100 only where nothing is missing; 0 of 0 is 0."""
    return int(100 * part / whole + 1e-9) if whole else 0
