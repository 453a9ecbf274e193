"""The exercises of the course, in its order."""

from handgrad.exercises import graph, linear, module, moving, prelu, relu, seed_bugs, start
from handgrad.exercises.exercise import Exercise

_CHAPTERS = (start, graph, relu, linear, seed_bugs, module, prelu, moving)

EXERCISES: dict[str, Exercise] = {exercise.name: exercise for chapter in _CHAPTERS for exercise in chapter.EXERCISES}
