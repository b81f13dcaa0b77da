"""Random arrays on the device, and cuRAND's generators.

`rand`'s numbers come from Philox 4x32-10, a counter-based generator (Salmon
et al., "Parallel random numbers: as easy as 1, 2, 3", SC11): element i depends
on the seed and i alone, not on the device or the shape of a launch.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

import pycuda.gpuarray as _gpuarray
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
from pycuda.compiler import SourceModule
from pycuda.driver import direction_vector_set
from pycuda.tools import context_dependent_memoize

__all__ = [
    "MRG32k3aRandomNumberGenerator",
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

_BLOCK = 256

# A new array's memory is aligned for stores of 16 bytes.
# Rounds multiply two words by fixed odd numbers, swap halves, and mix in a
# key that grows by the golden ratio and sqrt(3) - 1 (in units of 2**-32).
_SOURCE = """\
static __device__ uint4 philox(unsigned long long counter, uint2 key)
{
  uint4 c = make_uint4((unsigned)counter, (unsigned)(counter >> 32), 0u, 0u);
  for (int turn = 0; turn < 10; turn++) {
    unsigned long long left = 0xD2511F53ull * c.x;
    unsigned long long right = 0xCD9E8D57ull * c.z;
    c = make_uint4((unsigned)(right >> 32) ^ c.y ^ key.x, (unsigned)right,
                   (unsigned)(left >> 32) ^ c.w ^ key.y, (unsigned)left);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}

static __device__ float to_float(unsigned bits)
{
  return (float)(bits >> 8) * (1.0f / 16777216.0f);
}

static __device__ double to_double(unsigned high, unsigned low)
{
  unsigned long long bits = (unsigned long long)high << 32 | low;
  return (double)(long long)(bits >> 11) * (1.0 / 9007199254740992.0);
}

__global__ void fill_uint(unsigned *out, size_t n, unsigned a, unsigned b)
{
  size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x, first = 4 * i;
  if (first >= n) { return; }
  uint4 r = philox(i, make_uint2(a, b));
  if (first + 4 <= n) {
    *(uint4 *)(out + first) = r;
  } else {
    out[first] = r.x;
    if (first + 1 < n) { out[first + 1] = r.y; }
    if (first + 2 < n) { out[first + 2] = r.z; }
  }
}

__global__ void fill_float(float *out, size_t n, unsigned a, unsigned b)
{
  size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x, first = 4 * i;
  if (first >= n) { return; }
  uint4 r = philox(i, make_uint2(a, b));
  float4 f = make_float4(to_float(r.x), to_float(r.y),
                         to_float(r.z), to_float(r.w));
  if (first + 4 <= n) {
    *(float4 *)(out + first) = f;
  } else {
    out[first] = f.x;
    if (first + 1 < n) { out[first + 1] = f.y; }
    if (first + 2 < n) { out[first + 2] = f.z; }
  }
}

__global__ void fill_double(double *out, size_t n, unsigned a, unsigned b)
{
  size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x;
  if (2 * i < n) {
    uint4 r = philox(i, make_uint2(a, b));
    out[2 * i] = to_double(r.x, r.y);
    if (2 * i + 1 < n) { out[2 * i + 1] = to_double(r.z, r.w); }
  }
}
"""

# dtype -> (kernel, elements that one thread makes)
_KINDS = {
    np.dtype(np.float32): ("fill_float", 4),
    np.dtype(np.float64): ("fill_double", 2),
    np.dtype(np.int32): ("fill_uint", 4),
    np.dtype(np.uint32): ("fill_uint", 4),
}


@context_dependent_memoize
def _module() -> Any:
    return SourceModule(_SOURCE)


@context_dependent_memoize
def _kernel(name: str) -> Any:
    return _module().get_function(name).prepare("PNII")


def rand(shape: Any, dtype: Any = np.float32, stream: Any = None) -> Any:
    """An array of uniformly distributed numbers.

    Parameters
    ----------
    shape
        Shape of the result.
    dtype
        float32 or float64: numbers in [0, 1); int32 or uint32: all values.
    stream
        Stream to run in.

    Returns
    -------
    GPUArray
        The seed is drawn from `numpy.random`, so that `numpy.random.seed`
        makes a program repeatable.
    """
    dtype = np.dtype(dtype)
    if dtype not in _KINDS:
        raise NotImplementedError(
            f"rand makes float32, float64, int32 and uint32, not {dtype}"
        )
    result = _gpuarray.empty(shape, dtype)
    seed = np.random.randint(0, 2**32, size=2, dtype=np.uint32)
    if result.size:
        name, each = _KINDS[dtype]
        blocks = -(-result.size // (each * _BLOCK))
        _kernel(name).prepared_async_call(
            (blocks, 1),
            (_BLOCK, 1, 1),
            stream,
            result.gpudata,
            result.size,
            int(seed[0]),
            int(seed[1]),
        )
    return result


def seed_getter_uniform(n: int) -> Any:
    """`n` equal int32 seeds, drawn from `random`."""
    from random import randint

    result = np.full(n, randint(0, 2**31 - 2), dtype=np.int32)
    return _gpuarray.to_gpu(result)


def seed_getter_unique(n: int) -> Any:
    """`n` int32 seeds, each drawn from `numpy.random`."""
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
    """Version of the cuRAND headers that the generators are compiled from.

    The CPU device's own headers, which follow no release, give (0, 0, 0).
    """
    number = _gpuarray.zeros((), np.int32)
    module = SourceModule(_VERSION, no_extern_c=True)
    module.get_function("version")(number, block=(1, 1, 1))
    version = int(number.get())
    return version // 1000, version % 1000 // 100, version % 100
