"""The exercises of the course, in its order, and after them those of the teacher's own course that we are in, if any."""

from handgrad.exercises import (
    accumulate,
    dead_units,
    first_loss,
    function_apply,
    graph,
    linear,
    log1p_exp,
    loss_lies,
    match_torch,
    module,
    moving,
    not_a_derivative,
    numerical_jacobian,
    prelu,
    relu,
    saved_not_attribute,
    seed_bugs,
    setup_context,
    sinh,
    start,
    topological_order,
    training,
    where_paths_part,
)
from handgrad.exercises.exercise import Exercise
from handgrad.own_course import own_exercises

_CHAPTERS = (
    start,
    graph,
    topological_order,
    accumulate,
    function_apply,
    match_torch,
    relu,
    numerical_jacobian,
    saved_not_attribute,
    linear,
    seed_bugs,
    module,
    prelu,
    moving,
    training,
    first_loss,
    loss_lies,
    where_paths_part,
    dead_units,
    sinh,
    setup_context,
    log1p_exp,
    not_a_derivative,
)

EXERCISES: dict[str, Exercise] = {exercise.name: exercise for chapter in _CHAPTERS for exercise in chapter.EXERCISES}
EXERCISES |= own_exercises(EXERCISES.values())
