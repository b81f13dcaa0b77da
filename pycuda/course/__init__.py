"""The course: exercises in CUDA C++ and Python that check themselves.

``python -m pycuda.course`` lists the exercises, copies their templates,
checks solutions and grades folders.  The lessons are in ``docs/course``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from pycuda.course._exercises import EXERCISES, Exercise
from pycuda.course._grading import Result, check

__all__ = ["EXERCISES", "Exercise", "Result", "check"]
