"""Runs the kernel of a learner on the cases of its exercise."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import pycuda.debug
import pycuda.driver as drv
from pycuda.compiler import SourceModule
from pycuda.course._exercises import Exercise

_CHECKS = "memory,race,sync,init"
_UNUSABLE = (
    "not run: a kernel has made the GPU unusable for this process; "
    "PYCUDA_DEVICE=cpu checks each exercise"
)


@dataclass(frozen=True)
class Result:
    """The result of one exercise.

    Attributes
    ----------
    name : str
        The exercise.
    passed : bool
        Whether all results are right and no check has a report.
    message : str
        ``"correct"``, or the first error: the compiler's text, the report of
        a check with the line and a remedy, or the first wrong element.
    """

    name: str
    passed: bool
    message: str


def check(exercise: Exercise, source: str) -> Result:
    """Compile and run a source; compare its results with NumPy.

    On the CPU device, all checks of kernels are on.  The kernel runs in a
    context of its own, which a fault may destroy.

    Parameters
    ----------
    exercise : Exercise
        One of `EXERCISES`.
    source : str
        CUDA C++ with the exercise's kernel.

    Returns
    -------
    Result
        The grade and a message for the learner.

    Examples
    --------
    >>> from pycuda.course import EXERCISES, check
    >>> exercise = EXERCISES["01_map"]
    >>> check(exercise, exercise.solution).message
    'correct'
    >>> print(check(exercise, exercise.template).message)
    n = 1: element 0 is nan, but 1.94638 is right (1 of 1 elements is wrong)
    """
    drv.init()
    on_cpu = drv.Device(0).name().startswith("PyCUDA CPU")
    if on_cpu:
        pycuda.debug.check(_CHECKS)
    try:
        context = drv.Device(0).make_context()
    except drv.Error:
        return Result(exercise.name, False, _UNUSABLE)
    try:
        message = _first_error(exercise, source)
    finally:
        context.pop()
        context.detach()
        if on_cpu:
            pycuda.debug.check()
    return Result(exercise.name, message is None, message or "correct")


def _first_error(exercise: Exercise, source: str) -> str | None:
    try:
        module = SourceModule(f'#line 1 "{exercise.name}.cu"\n{source}')
        for description, result, right in exercise.cases(module.get_function):
            wrong = ~np.isclose(result, right, rtol=1e-4, atol=1e-6)
            if wrong.any():
                return f"{description}: {_element(result, right, wrong)}"
    except drv.CompileError as error:
        return (error.stderr or str(error)).strip()
    except drv.Error as error:
        return _report(str(error))
    except (TypeError, ValueError, MemoryError) as error:
        # for example a null character in the source, or wrong parameters
        return str(error).split("\n")[0]
    return None


def _element(result: np.ndarray, right: np.ndarray, wrong: np.ndarray) -> str:
    """Describe the first wrong element."""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    index = where[0] if len(where) == 1 else where
    count = int(wrong.sum())
    return (
        f"element {index} is {result[where]:g}, but {right[where]:g} is right "
        f"({count} of {wrong.size} elements {'is' if count == 1 else 'are'} "
        "wrong)"
    )


def _report(text: str) -> str:
    """Return the report of a check alone, if there is one."""
    position = text.find(".cu:")
    if position > 0:
        begin = text.rfind(" ", 0, position) + 1
        return text[begin:].split("\n - ")[0].strip()
    if "timed out" in text:
        return "the kernel did not end in time: does each of its loops end?"
    return text.split(" - ")[0]
