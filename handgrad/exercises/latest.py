"""Several probes of one check may ask about one thing that is costly to do."""

from collections.abc import Callable

from handgrad.audit.draw import Draw


class Latest:
    """What several probes of one check ask about, done once: the first of them does it anew, and the others see the same."""

    def __init__(self, make: Callable[[tuple, Draw], object]) -> None:
        self._make = make
        self._of: object = None
        self._result: object = None

    def __call__(self, answer: tuple, draw: Draw, anew: bool = False) -> object:
        if anew or self._of is not answer:
            self._of = answer
            try:
                self._result = self._make(answer, draw)
            except Exception as error:
                self._result = error
        if isinstance(self._result, Exception):
            raise self._result
        return self._result
