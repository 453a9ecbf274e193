"""The exercises of the course, in its order."""

from handgrad.exercises import relu
from handgrad.exercises.exercise import Exercise

EXERCISES: dict[str, Exercise] = {exercise.name: exercise for chapter in (relu,) for exercise in chapter.EXERCISES}
