"""curand_kernel.h gives cuRAND's sequences: the numbers of its own functions.

curand_numbers.npz holds what NVIDIA's header gives on the host
(tools/record_curand.py).  Words and uniform numbers have its bits on every
device.  Normal numbers do not: the host, a GPU and the CPU device each have a
sine and a logarithm of their own, whose errors the bounds allow.  Poisson
numbers have another sequence on the CPU device: their distribution is tested.
"""

# SPDX-License-Identifier: MIT

import math
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


def allowed(call, expected, device):
    """The largest error of a call's numbers; a GPU's fast sine has 2e-6."""
    if "gauss" in call:  # a rounded normal number
        return 1.0 if device == "gpu" else 0.0
    if "normal" not in call and "mixed" not in call:
        return 0.0
    if "double" in call and "mixed" not in call or call == "mixed_double":
        error = 1e-12
    else:
        error = 2e-5 if device == "gpu" else 1e-5
    return error * np.maximum(1, np.abs(expected))


@pytest.mark.parametrize("name", calls.GENERATORS)
def test_numbers_are_curands(name, recorded, device):
    module = SourceModule(HEAD + calls.body(name) + MAIN, no_extern_c=True)
    keys, expected = calls.rows(name), recorded[name]
    out = np.zeros_like(expected)
    module.get_function("draw")(
        cuda.InOut(out), cuda.mem_alloc(512 * len(keys)),
        block=(1, 1, 1), grid=(len(keys), 1),
    )  # fmt: skip
    for key, got, want in zip(keys, out, expected, strict=True):
        error = np.abs(got - want)
        assert (error <= allowed(key.split()[-1], want, device)).all(), key
    assert len(np.unique(expected)) > expected.size / 9


@pytest.mark.parametrize("shape", mtgp.SHAPES)
def test_numbers_of_mtgp32(shape, recorded, device):
    source = "#include <curand_kernel.h>\n"
    source += "#define FUNCTION static __device__\n" + mtgp.device()
    blocks = len(mtgp.CALLS)
    out = np.zeros((blocks, mtgp.ROW))
    states = cuda.mem_alloc(blocks * (4 * 1024 + 16))
    params = cuda.mem_alloc(blocks * 4 * (200 * 51 + 1))
    SourceModule(source, no_extern_c=True).get_function("draw")(
        cuda.InOut(out), states, params, cuda.mem_alloc(blocks * 512),
        np.int32(mtgp.SHAPES[shape]), block=shape, grid=(blocks, 1),
    )  # fmt: skip
    expected = recorded["Mtgp32"].reshape(-1, blocks, mtgp.ROW)
    expected = expected[list(mtgp.SHAPES).index(shape)]
    for call, got, want in zip(mtgp.CALLS, out, expected, strict=True):
        # There each thread of the first column moves the offset.
        if "single" in call and shape[0] != mtgp.THREADS:
            continue
        error = np.abs(got - want)
        assert (error <= allowed(call, want, device)).all(), call


MEANS = 0.5, 7.25, 40.0, 700.5, 9000.25
# Words that a state returns twice: to the test and as Poisson numbers.
QUANTILES = """
#include <curand_kernel.h>
#define FUNCTION static __device__
%s
extern "C" __global__ void draw(double *out, curandStateMtgp32_t *states,
                                mtgp32_kernel_params_t *params, double mean)
{
    for (int i = 0; i < 2 && threadIdx.x == 0; i++)
        state_fill(states + i, params, 0);
    __syncthreads();
    for (int i = 0; i < 8; i++, out += 2 * blockDim.x) {
        out[threadIdx.x] = curand(states);
        out[threadIdx.x + blockDim.x] = curand_poisson(states + 1, mean);
    }
}
"""


@pytest.fixture(scope="module")
def quantiles():
    return SourceModule(QUANTILES % mtgp.FILL, no_extern_c=True)


def share_up_to(k, mean):
    """The probability of at most k: terms from k downwards, until they end."""
    term = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
    total = 0.0
    while k >= 0 and term > total * 1e-18:
        total += term
        term *= k / mean
        k -= 1
    return min(total, 1.0)


@pytest.mark.parametrize("mean", MEANS)
def test_poisson_numbers_of_mtgp32_invert_the_distribution(mean, quantiles):
    out = np.zeros((8, 2, 32))
    quantiles.get_function("draw")(
        cuda.InOut(out), cuda.mem_alloc(2 * (4 * 1024 + 16)),
        cuda.mem_alloc(4 * (200 * 51 + 1)), np.float64(mean),
        block=(32, 1, 1), grid=(1, 1),
    )  # fmt: skip
    words, numbers = (out[:, row].ravel() for row in (0, 1))
    # A GPU's header rounds a normal number from a mean of 1000 on.
    slack = 1e-9 if mean < 1000 else 0.01
    assert len(np.unique(words)) > 250
    for u, k in zip((words + 0.5) / 2**32, numbers, strict=True):
        below = share_up_to(k - 1, mean) if k else 0.0
        assert below - slack < u < share_up_to(k, mean) + slack


DRAW = """
#include <curand_kernel.h>
typedef %s State;
extern "C" __global__ void draw(unsigned *out, double mean, int n)
{
    State s;
    curand_init(3, blockIdx.x * blockDim.x + threadIdx.x, 1, &s);
    out += n * (blockIdx.x * blockDim.x + threadIdx.x);
    for (int i = 0; i < n; i += 4) {
        %s
    }
}
"""
STATES = {
    "XORWOW": "curandStateXORWOW_t",
    "MRG32k3a": "curandStateMRG32k3a_t",
    "Philox": "curandStatePhilox4_32_10_t",
    "Philox4": "curandStatePhilox4_32_10_t",
}


@pytest.mark.parametrize("name", STATES)
def test_distribution_of_poisson_numbers(name):
    one = "for (int j = 0; j < 4; j++) out[i + j] = curand_poisson(&s, mean);"
    four = """uint4 x = curand_poisson4(&s, mean);
        out[i] = x.x; out[i + 1] = x.y; out[i + 2] = x.z; out[i + 3] = x.w;"""
    source = DRAW % (STATES[name], four if name == "Philox4" else one)
    draw = SourceModule(source, no_extern_c=True).get_function("draw")
    for mean in MEANS:
        out = np.zeros((512, 128), np.uint32)
        draw(
            cuda.InOut(out), np.float64(mean), np.int32(128),
            block=(64, 1, 1), grid=(8, 1),
        )  # fmt: skip
        x, n = out.astype(np.float64), out.size
        assert abs(x.mean() - mean) < 5 * math.sqrt(mean / n)
        assert abs(x.var() / mean - 1) < 5 * math.sqrt((2 + 1 / mean) / n)
        near = int(mean) + np.arange(-2, 3) * max(1, int(math.sqrt(mean)))
        for k in near[near >= 0]:
            share = share_up_to(k, mean)
            error = abs((out <= k).mean() - share)
            assert error < 5 * math.sqrt(share * (1 - share) / n)
        pairs = np.corrcoef(x[:, :-1].ravel(), x[:, 1:].ravel())[0, 1]
        assert abs(pairs) < 5 / math.sqrt(n)
