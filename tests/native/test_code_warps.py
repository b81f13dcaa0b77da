"""Code of kernels that run by warps (src/jit/warps).

Warp operations become operations on vectors of 32 lanes, as far as possible in
registers: two vectors of 16 words here.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest
from kernel_code import count, ir

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

KERNEL = """
#define ALL 0xffffffffu
extern "C" __global__ void k(float *out, const float *in, unsigned *counter,
                             int n, size_t size)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t %% 32;
    %s
}
"""

LOAD = "load <16 x (i32|float)>"


def of(body: str) -> str:
    """Return the compiled code of a kernel."""
    return ir(KERNEL % body)


def test_lanes_stay_in_registers():
    """Loads of a warp's row are vectors, without stores in between."""
    text = of(
        """
        float v = in[i];
        for (int step = 16; step > 0; step /= 2)
            v += __shfl_down_sync(ALL, v, step);
        if (lane == 0)
            out[i / 32] = v;
        """
    )
    assert count(LOAD, text) == 2
    assert count("store <", text) == 0


@pytest.mark.parametrize(
    "index",
    [
        "size_t at = blockIdx.x * (size_t)blockDim.x + threadIdx.x",
        "size_t at = i",
        "long long at = i",
    ],
)
def test_indices_of_64_bits(index):
    """All lanes of a warp share the row index, so they leave together."""
    text = of(
        f"""
        {index};
        if (at / 32 >= size)
            return;
        out[at] = __shfl_xor_sync(ALL, in[at], 1);
        """
    )
    assert count(LOAD, text) == 2
    assert count("call .*@llvm.masked", text) == 0


def test_little_work_that_is_no_vector_is_done_lane_by_lane():
    text = of(
        """
        int at = 0;
        if (in[i] > 0)
            at = atomicAdd(counter, 1);
        out[__shfl_xor_sync(ALL, at, 1)] = in[i];
        """
    )
    assert count("atomicrmw", text) >= 32


def test_one_lane_for_all_is_one_value():
    text = of("out[i] = in[i] + __shfl_sync(ALL, in[i], n & 31);")
    assert count("call .*gather", text) == 0
    assert count("shufflevector .*zeroinitializer", text) >= 1
    assert count(LOAD, text) == 2


def test_packing_has_no_branch_a_lane():
    """Lanes without a value store to a dummy location."""
    text = of(
        """
        float v = i < n ? in[i] : 0;
        unsigned votes = __ballot_sync(ALL, v > 0), start = 0;
        if (lane == 0 && votes)
            start = atomicAdd(counter, __popc(votes));
        start = __shfl_sync(ALL, start, 0);
        if (v > 0)
            out[start + __popc(votes & ((1u << lane) - 1))] = v;
        """
    )
    # one store in a loop over lanes, or one for each lane
    assert count("store volatile float", text) in (1, 32)
    assert count("br i1", text) < 20
