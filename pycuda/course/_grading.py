"""Runs the source of a learner on the cases of its exercise."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import pycuda.debug
import pycuda.driver as drv
from pycuda.compiler import SourceModule
from pycuda.course._exercises import Exercise
from pycuda.course._kernel_cases import Kernels

# Modules with the functions that compute the cases of exercises.
_CASES = ("pycuda.course._kernel_cases", "pycuda.course._host_cases")
_CHECKS = "memory,race,sync,init,streams"
_MOST = 2  # transactions of a request, relative to the ideal number
_FASTER = 2  # minimum speed, relative to the template, if the time is graded
# number of measurements of either kernel; the shortest time counts
_TURNS = 20
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
        Whether all results are right, no check has a report, and the kernel
        has the speed and the order of accesses that the exercise asks for.
    message : str
        ``"correct"``, or the first error: the compiler's text, the report of
        a check with the line and a remedy, the first wrong element, the
        speed, or a line with too many memory transactions.
    """

    name: str
    passed: bool
    message: str


def check(exercise: Exercise, source: str) -> Result:
    """Compile and run a source; compare its results with NumPy.

    On the CPU device, all checks of kernels are on.  The kernel runs in a
    separate context, which a fault may destroy.

    Parameters
    ----------
    exercise : Exercise
        One of `EXERCISES`.
    source : str
        CUDA C++ with the exercise's kernel, or Python with its function.

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
        message = _in_context(lambda: _first_error(exercise, source))
        if message is None and exercise.accesses and on_cpu:
            pycuda.debug.check("bank")
            message = _in_context(lambda: _too_scattered(exercise, source))
    finally:
        if on_cpu:
            pycuda.debug.check()
    if message is None and exercise.seconds:
        message = _in_context(lambda: _too_slow(exercise, source))
    return Result(exercise.name, message is None, message or "correct")


def _in_context(step: Callable[[], str | None]) -> str | None:
    """Run a step in a new context."""
    try:
        context = drv.Device(0).make_context()
    except drv.Error:
        return _UNUSABLE
    try:
        return step()
    finally:
        context.pop()
        context.detach()


def _find(exercise: Exercise, source: str) -> Kernels:
    """Compile or execute the source; return a lookup of its functions."""
    if exercise.suffix == ".cu":
        text = f'#line 1 "{exercise.file}"\n{source}'
        return SourceModule(text).get_function
    names: dict[str, Any] = {"__name__": exercise.name}
    exec(compile(source, exercise.file, "exec"), names)

    def find(name: str) -> Any:
        if not callable(names.get(name)):
            raise NameError(f"{exercise.file} has no function {name}")
        return names[name]

    return find


def _first_error(exercise: Exercise, source: str) -> str | None:
    try:
        functions = _find(exercise, source)
        for description, result, right in exercise.cases(functions):
            wrong = _compare(result, right)
            if wrong is not None:
                return f"{description}: {wrong}"
    except drv.CompileError as error:
        return (error.stderr or str(error)).strip()
    except drv.Error as error:
        if exercise.suffix == ".cu":
            return _report(str(error)) + _case(error)
        return _line(exercise, error) + str(error).split("\n")[0]
    except Exception as error:
        # Possible causes: a source with a null character, a kernel with other
        # parameters, or any exception of the learner's Python.
        text = str(error).split("\n")[0]
        return _line(exercise, error) + (text or type(error).__name__)
    return None


def _case(error: BaseException) -> str:
    """Return the sizes of the case in which a kernel failed, as a line.

    They are variables of the function that was computing the case.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__") in _CASES:
            sizes = [
                f"{name} = {frame.f_locals[name]}"
                for name in ("n", "height", "width", "size", "grid")
                if isinstance(frame.f_locals.get(name), (int, tuple))
            ]
            if sizes:
                return f"\nin the case {', '.join(sizes)}"
    return ""


def _too_scattered(exercise: Exercise, source: str) -> str | None:
    """Count the memory transactions of the learner's lines."""
    assert exercise.accesses
    pycuda.debug.access_counts(clear=True)
    try:
        exercise.accesses(_find(exercise, source))
        counts = pycuda.debug.access_counts(clear=True)
    except drv.Error as error:
        return _report(str(error))
    own = [row for row in counts if row.file == exercise.file]
    row = max(own, key=lambda row: row.worst, default=None)
    if row is None or row.worst <= _MOST:
        return None
    return (
        f"{exercise.file}:{row.line}: the results are right, but a warp's "
        f"{row.access} of {row.space} memory takes {row.worst} times as many "
        f"transactions as are needed; {row.remedy}"
    )


def _too_slow(exercise: Exercise, source: str) -> str | None:
    """Compare the time with that of the template, in turns."""
    assert exercise.seconds
    try:
        sides = [_find(exercise, exercise.template), _find(exercise, source)]
        times = [
            [exercise.seconds(side) for side in sides] for _ in range(_TURNS)
        ]
    except drv.Error as error:
        return _report(str(error))
    slow, fast = (min(column) for column in zip(*times, strict=True))
    ratio = slow / max(fast, 1e-9)
    if ratio >= _FASTER:
        return None
    return (
        f"the results are right, but the kernel is only {ratio:.1f} times as "
        f"fast as the template: at least {_FASTER} is right"
    )


def _line(exercise: Exercise, error: BaseException) -> str:
    """Return "FILE:LINE: " of the learner's Python that raised the error."""
    if exercise.suffix != ".py":
        return ""
    if isinstance(error, SyntaxError):
        return f"{exercise.file}:{error.lineno}: "
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == exercise.file
    ]
    return f"{exercise.file}:{lines[-1]}: " if lines else ""


def _compare(result: np.ndarray, right: np.ndarray) -> str | None:
    """Describe the first wrong element; None if there is none."""
    if result.shape != right.shape:
        kind = "lines" if right.dtype.kind == "U" else "elements"
        return (
            f"the result has {result.size} {kind}, but {right.size} are right"
        )
    if right.dtype.kind == "U" or result.dtype.kind not in "biuf":
        wrong = result != right
    else:
        wrong = ~np.isclose(result, right, rtol=1e-4, atol=1e-6)
    return _element(result, right, wrong) if np.any(wrong) else None


def _element(result: np.ndarray, right: np.ndarray, wrong: np.ndarray) -> str:
    """Describe the first wrong element."""
    where = tuple(int(i) for i in np.argwhere(wrong)[0])
    index = where[0] if len(where) == 1 else where
    count = int(wrong.sum())
    if right.dtype.kind == "U":
        return f"{str(result[where])!r}, but {str(right[where])!r} is right"
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
        text = text[begin:].split("\n - ")[0].strip()
        # The course's own Python allocates the arrays, and is not shown.
        return re.sub(r"<frozen [^>]*>:\d+, ", "", text)
    if "timed out" in text:
        return "the kernel did not end in time: does each of its loops end?"
    return text.split(" - ")[0]
