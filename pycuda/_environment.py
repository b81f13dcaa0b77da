"""Environment variables of the package, and a warning for misspelt ones."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os

PREFIX = "PYCUDA_"

# All variables that begin with PREFIX in docs/environment.md;
# tests/errors/test_environment.py compares both lists.
NAMES = frozenset(
    {
        "PYCUDA_CACHE_DIR",
        "PYCUDA_CACHE_READONLY",
        "PYCUDA_CACHE_SIZE",
        "PYCUDA_CACHE_WAIT",
        "PYCUDA_CCCL",
        "PYCUDA_CLANG",
        "PYCUDA_CPU_ARCH",
        "PYCUDA_CPU_CHECK",
        "PYCUDA_CPU_CHECK_REPORT",
        "PYCUDA_CPU_DEBUG",
        "PYCUDA_CPU_DEVICES",
        "PYCUDA_CPU_LIBRARY",
        "PYCUDA_CPU_MEMORY",
        "PYCUDA_CPU_QUICK",
        "PYCUDA_CPU_REGIONS",
        "PYCUDA_CPU_TARGET",
        "PYCUDA_CPU_THREADS",
        "PYCUDA_CPU_TIMEOUT",
        "PYCUDA_CPU_WARPS",
        "PYCUDA_CUBLAS",
        "PYCUDA_CUDA_HEADERS",
        "PYCUDA_DASK_IPC",
        "PYCUDA_DEFAULT_NVCC_FLAGS",
        "PYCUDA_DEVICE",
        "PYCUDA_DISABLE_CACHE",
        "PYCUDA_JIT",
        "PYCUDA_MPI_CUDA_AWARE",
        "PYCUDA_NCCL",
        "PYCUDA_NCCL_TIMEOUT",
        "PYCUDA_NVRTC",
        "PYCUDA_POOL",
        "PYCUDA_STAGING",
        "PYCUDA_THREAD_CONTEXT",
        "PYCUDA_ZIGLANG",
    }
)

# Variables that programs set for themselves, although their names are similar
# to one of NAMES.
_OF_PROGRAMS = frozenset({"PYCUDA_DEBUG", "PYCUDA_NVCC"})

# Share of equal characters from which a name is a misspelt one. Programs and
# packages that use PyCUDA have variables with its prefix, whose names are less
# similar than that.
_LEAST_SIMILARITY = 0.65

_warned = False


def misspelt() -> dict[str, str]:
    """Return the variables that are set and are similar to a documented one.

    Returns
    -------
    dict
        Documented name of each misspelt one.
    """
    unknown = [
        name
        for name in os.environ
        if name.startswith(PREFIX)
        and name not in NAMES
        and name not in _OF_PROGRAMS
    ]
    if not unknown:
        return {}
    # Delayed import: this module is needed only for misspelt variables.
    import difflib

    found = {}
    # Without the common prefix, which would make all names similar.
    documented = [name[len(PREFIX) :] for name in sorted(NAMES)]
    for name in sorted(unknown):
        similar = difflib.get_close_matches(
            name[len(PREFIX) :].upper(), documented, 1, _LEAST_SIMILARITY
        )
        if similar:
            found[name] = PREFIX + similar[0]
    return found


def describe(found: dict[str, str]) -> str:
    """Return one sentence about the result of `misspelt`."""
    return "; ".join(
        f"the environment variable {name} is unknown and has no effect: did "
        f"you mean {similar}?"
        for name, similar in found.items()
    )


def warn_of_misspelt() -> None:
    """Issue one UserWarning per process if a variable is misspelt."""
    global _warned
    found = {} if _warned else misspelt()
    if found:
        # Delayed import, as above.
        import warnings

        _warned = True
        warnings.warn(describe(found), UserWarning, stacklevel=3)
