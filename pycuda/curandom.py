"""Random arrays on the device, and cuRAND's generators.

`rand`'s numbers come from Philox 4x32-10, a counter-based generator (Salmon
et al., "Parallel random numbers: as easy as 1, 2, 3", SC11): element i depends
on the seed and i alone, not on the device or the shape of a launch.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import pycuda.gpuarray as _gpuarray
from pycuda._random import philox
from pycuda._random.generators import (
    MRG32k3aRandomNumberGenerator,
    ScrambledSobol32RandomNumberGenerator,
    ScrambledSobol64RandomNumberGenerator,
    Sobol32RandomNumberGenerator,
    Sobol64RandomNumberGenerator,
    XORWOWRandomNumberGenerator,
    generate_direction_vectors,
    generate_scramble_constants32,
    generate_scramble_constants64,
)
from pycuda._random.philox import PhiloxRandomNumberGenerator
from pycuda.compiler import SourceModule
from pycuda.driver import direction_vector_set

if TYPE_CHECKING:
    import numpy.typing as npt

    import pycuda.driver as drv
    from pycuda._driver import _Shape


__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "PhiloxRandomNumberGenerator",
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "direction_vector_set",
    "generate_direction_vectors",
    "generate_scramble_constants32",
    "generate_scramble_constants64",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]

# Dtype -> (kind of random numbers that the kernel draws, its parameters).
_KINDS: dict[Any, tuple[str, tuple[Any, ...]]] = {
    np.dtype(np.float32): ("random", ()),
    np.dtype(np.float64): ("random", ()),
    np.dtype(np.int32): ("bits32", (0,)),
    np.dtype(np.uint32): ("bits32", (0,)),
}


def rand(
    shape: _Shape,
    dtype: npt.DTypeLike = np.float32,
    stream: drv.Stream | None = None,
) -> _gpuarray.GPUArray:
    """Return an array of uniformly distributed numbers.

    Parameters
    ----------
    shape
        Shape of the result.
    dtype
        float32 or float64: numbers in [0, 1); int32 or uint32: numbers in
        the whole range of the dtype.
    stream
        Stream to run in.

    Returns
    -------
    GPUArray
        The numbers.  Their seed is drawn from `numpy.random`, so
        `numpy.random.seed` makes them repeatable.

    Raises
    ------
    NotImplementedError
        For other dtypes.
    """
    dtype = np.dtype(dtype)
    if dtype not in _KINDS:
        raise NotImplementedError(
            f"rand supports float32, float64, int32 and uint32, not {dtype}"
        )
    result = _gpuarray.empty(shape, dtype)
    kind, parameters = _KINDS[dtype]
    plan = philox.kernel(kind, dtype)
    philox.launch(plan, result, 0, philox.drawn_key(), 0, parameters, stream)
    return result


def seed_getter_uniform(n: int) -> _gpuarray.GPUArray:
    """Return `n` equal int32 seeds, drawn from `random`."""
    from random import randint

    result = np.full(n, randint(0, 2**31 - 2), dtype=np.int32)
    return _gpuarray.to_gpu(result)


def seed_getter_unique(n: int) -> _gpuarray.GPUArray:
    """Return `n` int32 seeds, each drawn from `numpy.random`."""
    result = np.random.randint(0, 2**31 - 1, size=n).astype(np.int32)
    return _gpuarray.to_gpu(result)


_VERSION = """#include <curand_kernel.h>
#if __has_include(<curand.h>)
#include <curand.h>
#endif
#ifndef CURAND_VERSION
#define CURAND_VERSION 0
#endif
extern "C" __global__ void version(int *out) { *out = CURAND_VERSION; }
"""


def get_curand_version() -> tuple[int, int, int]:
    """Return the version of the cuRAND headers that generators use.

    The headers of the CPU device implement the interface of cuRAND 10.4.0.
    """
    number = _gpuarray.zeros((), np.int32)
    module = SourceModule(_VERSION, no_extern_c=True)
    module.get_function("version")(number, block=(1, 1, 1))
    version = int(number.get())
    return version // 1000, version % 1000 // 100, version % 100
