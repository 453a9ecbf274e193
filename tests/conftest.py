"""Which tests run by default."""

import os

# grading a class is being built: its tests start dozens of processes, and one of them ended a test process on a busy machine.
# HANDGRAD_CLASS_TESTS=1 python -m pytest tests/test_class.py
if "HANDGRAD_CLASS_TESTS" not in os.environ:
    collect_ignore = ["test_attacks.py", "test_class.py", "test_strict.py", "test_warm.py", "test_own_course.py"]
