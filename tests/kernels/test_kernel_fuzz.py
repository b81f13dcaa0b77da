"""Random kernels in several settings against interpreters in NumPy.

The kernels are those of kernel_corpus.py. A failure's message has the seed;
`Generator(seed).text` is then the kernel. `./run fuzz kernels` runs more of
them.
"""

# SPDX-License-Identifier: MIT

import kernel_corpus
import numpy as np
import pytest
from kernel_corpus import GENERATORS, SETTINGS

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# The compiler's code runs in its release build, also under sanitizers.
pytestmark = pytest.mark.no_sanitizer

GROUP = 10
QUICK = {kind: range(0, 40, GROUP) for kind in GENERATORS}
MANY = {
    "regions": range(2500, 2550, GROUP),
    "warps": range(5000, 5050, GROUP),
    "grids": range(7500, 7550, GROUP),
    "features": range(10000, 10050, GROUP),
}


# Half warps vote with different masks and the result is unused: ptxas of CUDA
# 13 (at -O1 and above; -O0 is right) removes the vote but keeps the two halves
# diverged, and does not reconverge them before the next votes of the whole
# warp.
NOT_ON_GPUS = {("warps", 5039)}


def groups(firsts: dict[str, range]) -> list[tuple[str, int]]:
    return [(kind, first) for kind in firsts for first in firsts[kind]]


def check(kind: str, first: int, device: str, settings: list) -> None:
    if device == "gpu":  # a GPU has only one setting
        settings = settings[:1]
    seeds = [
        seed
        for seed in range(first, first + GROUP)
        if device != "gpu" or (kind, seed) not in NOT_ON_GPUS
    ]
    wrong = list(kernel_corpus.differences(kind, seeds, settings))
    assert not wrong, "\n".join(wrong)


@pytest.mark.sweep
@pytest.mark.parametrize(("kind", "first"), groups(QUICK))
def test_random_kernels(kind, first, device):
    check(kind, first, device, SETTINGS[:2])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "first"), groups(MANY))
def test_many_random_kernels(kind, first, device):
    check(kind, first, device, SETTINGS)


@pytest.mark.parametrize(("kind", "seed"), [("packs", 70075)])
def test_kernels_that_showed_faults(kind, seed):
    # 70075: an index whose low half is used in another basic block
    wrong = list(kernel_corpus.differences(kind, [seed], SETTINGS[:2]))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("kind", GENERATORS)
def test_differences_are_seen(kind, monkeypatch):
    right = GENERATORS[kind].run

    def one_is_wrong(self, data):
        out = right(self, data)
        out[0] += self.seed == 2
        return out

    monkeypatch.setattr(GENERATORS[kind], "run", one_is_wrong)
    wrong = list(kernel_corpus.differences(kind, range(4), SETTINGS[:1]))
    assert len(wrong) == 1
    assert "seed 2, regions -O3: number 0, " in wrong[0]


DIVISION = """
__global__ void kernel(unsigned *out, const unsigned *in, unsigned p)
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, l[4];
    for (unsigned k = t; k < 256; k += blockDim.x)
        s[k] = 3 * k;
    for (unsigned k = 0; k < 4; ++k)
        l[k] = k;
    __syncthreads();
    out[t] = t != 21 ? l[in[t] & 3] : s[p / (threadIdx.z | 1u) & 255];
}
"""


def test_division_that_one_thread_wants():
    """LLVM 19 vectorized it for the sake of the first thread alone."""
    data = np.arange(100, dtype=np.uint32)
    out = np.zeros_like(data)
    SourceModule(DIVISION).get_function("kernel")(
        cuda.Out(out), cuda.In(data), np.uint32(6), block=(100, 1, 1)
    )
    expected = data & 3
    expected[21] = 18
    assert np.array_equal(out, expected)


HIGH_PRODUCTS = """
__global__ void kernel(unsigned *out, const float *in, unsigned factor)
{
    unsigned t = threadIdx.x;
    unsigned high = __umulhi(__float_as_uint(in[t] + 1.0f), factor);
    out[t] = __shfl_up_sync(0xffffffff, high, 4, 8);
}
"""


def test_bits_of_floats_that_are_extended():
    """LLVM 19 had no AVX-512 instruction for half a vector of them."""
    values = np.arange(64, dtype=np.float32) / 3
    out = np.zeros(64, np.uint32)
    factor = 0x9E3779B9
    SourceModule(HIGH_PRODUCTS).get_function("kernel")(
        cuda.Out(out), cuda.In(values), np.uint32(factor), block=(64, 1, 1)
    )
    bits = (values + np.float32(1)).view(np.uint32).astype(np.uint64)
    high = (bits * np.uint64(factor) >> np.uint64(32)).astype(np.uint32)
    lane = np.arange(64)
    source = np.where(lane % 8 >= 4, lane - 4, lane)
    assert np.array_equal(out, high[source])
