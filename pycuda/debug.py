"""Kernel checks, and scripts whose kernels are compiled for a debugger.

``check("memory,race")`` selects the checks of the CPU device (docs/checks.md)
while a program runs.  ``python -m pycuda.debug script.py ...`` compiles every
kernel with ``-g -G``.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import gc
import os
import runpy
import sys
from collections.abc import Iterable
from types import ModuleType

from pycuda import _access_counts
from pycuda._access_counts import AccessCounts

#: The names that `check` accepts; ``continue`` is no check, but lets a kernel
#: continue after a report.
CHECKS = ("memory", "race", "sync", "init", "streams", "bank", "continue")
_VARIABLE = "PYCUDA_CPU_CHECK"


def check(names: str | Iterable[str] = "") -> tuple[str, ...]:
    """Select the kernel checks; each call replaces the selection.

    Waits for the kernels that run.  Kernels that are compiled from now on are
    checked; those compiled before, also the package's own, are not.

    Parameters
    ----------
    names : str or iterable of str
        Names of `CHECKS`, as in ``"memory,race"`` or ``["memory", "race"]``.
        Without names, nothing is checked any more.

    Returns
    -------
    tuple of str
        The checks that are selected now, in the order of `CHECKS`.

    Raises
    ------
    ValueError
        If a name is not one of `CHECKS`.
    pycuda.driver.LogicError
        While a stream is captured.
    pycuda.driver.RuntimeError
        If the process uses a GPU, which has no checks.

    Examples
    --------
    >>> import pycuda.debug
    >>> pycuda.debug.check("race,memory")
    ('memory', 'race')
    >>> pycuda.debug.check()
    ()
    """
    chosen = _parse(names)
    _driver = _idle_driver("check")
    text = ",".join(chosen)
    _driver._select_checks(text)
    if chosen:
        # Pass the requested size of each allocation to the checks, since a
        # block of a memory pool may be larger.
        for allocation in gc.get_objects():
            if type(allocation) is _driver.DeviceAllocation:
                _driver._check_size(allocation)
        os.environ[_VARIABLE] = text
    else:
        os.environ.pop(_VARIABLE, None)
    return chosen


def access_counts(*, clear: bool = False) -> AccessCounts:
    """Return the counts of the check ``bank`` by source line.

    Waits for the kernels that run.

    Parameters
    ----------
    clear : bool
        Whether to set the counts to zero afterwards.

    Returns
    -------
    AccessCounts
        A sequence of `AccessCount`, printed as a table; empty if no kernel ran
        while the check was selected.

    Raises
    ------
    pycuda.driver.LogicError
        While a stream is captured.

    Examples
    --------
    >>> import pycuda.debug
    >>> pycuda.debug.access_counts(clear=True)
    no accesses were counted
    """
    _driver = _idle_driver("access_counts")
    counts = _access_counts.parse(_driver._access_counts(False))
    if clear:  # cleared last, so that no counts are lost if reading them fails
        _driver._access_counts(True)
    return counts


def _parse(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the named checks in the order of `CHECKS`."""
    if isinstance(names, str):
        names = names.replace(",", " ").split()
    found = set(names)
    for name in sorted(found, key=str):
        if name not in CHECKS:
            raise ValueError(
                f"{name!r} is not a kernel check; expected names of "
                + ", ".join(CHECKS)
            )
    return tuple(name for name in CHECKS if name in found)


def _idle_driver(caller: str) -> ModuleType:
    """Return the driver after all work of all contexts is done."""
    # Delayed import: a wrong command line is reported without the driver.
    from pycuda import _driver

    if _driver._has_captures():
        raise _driver.LogicError(
            f"pycuda.debug.{caller}() waits for the device, which is not "
            "possible while a stream is captured"
        )
    for context in _driver._contexts():
        _wait(context)
    return _driver


def _wait(context: object) -> None:
    """Wait for all work of a context, even if the context has failed."""
    from pycuda import _driver

    assert isinstance(context, _driver.Context)
    try:
        context.push()
    except _driver.Error:  # the context failed before, so no kernel runs
        return
    try:
        _driver.Context.synchronize()
    except _driver.Error:
        pass
    finally:
        _driver.Context.pop()


def main(arguments: list[str]) -> int:
    """Run ``arguments[0]`` with the rest as its arguments."""
    if not arguments:
        print("usage: python -m pycuda.debug SCRIPT [ARGUMENT...]")
        return 2
    script = arguments[0]
    if not os.path.exists(script):
        print(f"Error: {script} does not exist")
        return 1
    # Delayed import: a wrong command line is reported without the driver.
    from pycuda.driver import set_debugging

    set_debugging()
    sys.argv = list(arguments)
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
