"""Support of device memory by the MPI library of the process."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes
import functools
import os
import re
import sys

from pycuda import _driver

_CUDA = 0  # MPIX_GPU_SUPPORT_CUDA of MPICH


def _libraries() -> list[ctypes.CDLL]:
    """Return the libraries of the process that may define MPI's functions."""
    found: list[ctypes.CDLL] = []
    paths = [sys.modules["mpi4py.MPI"].__file__ or ""]
    with open("/proc/self/maps") as maps:
        text = maps.read()
    paths += sorted(set(re.findall(r"\S*/libmpi\S*\.so\S*", text)))
    for path in paths:
        try:
            found.append(ctypes.CDLL(path))
        except OSError:
            continue
    return found


def _answer(library: ctypes.CDLL) -> bool | None:
    """Return whether one MPI library is CUDA-aware; None if unknown."""
    try:  # Open MPI and MVAPICH
        return bool(library.MPIX_Query_cuda_support())
    except AttributeError:
        pass
    try:  # MPICH
        query = library.MPIX_GPU_query_support
    except AttributeError:
        return None
    supported = ctypes.c_int(0)
    if query(ctypes.c_int(_CUDA), ctypes.byref(supported)) != 0:
        return None
    return bool(supported.value)


@functools.cache
def is_cuda_aware() -> bool:
    """Return whether the process's MPI accepts device pointers.

    The library is asked by MPIX_Query_cuda_support or MPIX_GPU_query_support.
    A library without these functions is taken as not CUDA-aware.
    PYCUDA_MPI_CUDA_AWARE=0 or 1 overrides the answer.
    """
    named = os.environ.get("PYCUDA_MPI_CUDA_AWARE", "")
    if named:
        return named != "0"
    answers = [_answer(library) for library in _libraries()]
    return next((a for a in answers if a is not None), False)


def may_use_pointers() -> bool:
    """Return whether MPI may access the device's memory itself.

    The memory of the CPU device is host memory.
    """
    return _driver._device_kind() == "cpu" or is_cuda_aware()
