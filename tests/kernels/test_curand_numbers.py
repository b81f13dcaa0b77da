"""curand_kernel.h gives cuRAND's sequences: the numbers of its own functions.

curand_numbers.npz holds what NVIDIA's header gives on the host
(tools/record_curand.py).  Words and uniform numbers have its bits.  Normal
numbers do not: the host, a GPU and the CPU device each have a sine and a
logarithm of their own, whose errors the bounds allow.
"""

# SPDX-License-Identifier: MIT

from pathlib import Path

import curand_calls as calls
import curand_mtgp as mtgp
import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

pytestmark = [pytest.mark.usefixtures("context"), pytest.mark.no_sanitizer]
HEAD = """
#include <curand_kernel.h>
#define FUNCTION static __device__ __noinline__
"""
MAIN = """
extern "C" __global__ void draw(double *out, Tables *t)
{
    t += blockIdx.x;
    tables_fill(t);
    draw_row(blockIdx.x, out, t);
}
"""


@pytest.fixture(scope="module")
def recorded():
    with np.load(Path(__file__).parent / "curand_numbers.npz") as file:
        return dict(file)


def allowed(call, expected):
    """The largest error of a call's numbers; a GPU's fast sine has 2e-6."""
    if "double" in call and "mixed" not in call or call == "mixed_double":
        error = 1e-12
    else:
        error = 1e-5
    exact = "normal" not in call and "mixed" not in call
    return 0.0 if exact else error * np.maximum(1, np.abs(expected))


@pytest.mark.parametrize("name", calls.GENERATORS)
def test_numbers_are_curands(name, recorded):
    module = SourceModule(HEAD + calls.body(name) + MAIN, no_extern_c=True)
    keys, expected = calls.rows(name), recorded[name]
    out = np.zeros_like(expected)
    module.get_function("draw")(
        cuda.Out(out), cuda.mem_alloc(512 * len(keys)),
        block=(1, 1, 1), grid=(len(keys), 1),
    )  # fmt: skip
    for key, got, want in zip(keys, out, expected, strict=True):
        error = np.abs(got - want)
        assert (error <= allowed(key.split()[-1], want)).all(), key
    assert len(np.unique(expected)) > expected.size / 9


@pytest.mark.parametrize("shape", mtgp.SHAPES)
def test_numbers_of_mtgp32(shape, recorded):
    source = "#include <curand_kernel.h>\n"
    source += "#define FUNCTION static __device__\n" + mtgp.device()
    blocks = len(mtgp.CALLS)
    out = np.zeros((blocks, mtgp.ROW))
    states = cuda.mem_alloc(blocks * (4 * 1024 + 16))
    params = cuda.mem_alloc(blocks * 4 * (200 * 51 + 1))
    SourceModule(source, no_extern_c=True).get_function("draw")(
        cuda.Out(out), states, params, cuda.mem_alloc(blocks * 512),
        np.int32(mtgp.SHAPES[shape]), block=shape, grid=(blocks, 1),
    )  # fmt: skip
    expected = recorded["Mtgp32"].reshape(-1, blocks, mtgp.ROW)
    expected = expected[list(mtgp.SHAPES).index(shape)]
    for call, got, want in zip(mtgp.CALLS, out, expected, strict=True):
        # There each thread of the first column moves the offset.
        if "single" in call and shape[0] != mtgp.THREADS:
            continue
        assert (np.abs(got - want) <= allowed(call, want)).all(), call
