"""Shuffles and votes without a mask, as before sm_70."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]

SOURCE = """
__global__ void k(int *out)
{
    int t = threadIdx.x, v = t + 1;
    for (int s = 16; s; s /= 2)
        v += __shfl_down(v, s);
    float f = __shfl_xor(t * 0.5f, 1) + __shfl_up(1.0, 1) + __shfl(t, 7);
    int votes = __ballot(t & 1), both = __any(t == 3) && __all(t < 32);
    if (t == 0) {
        out[0] = v;
        out[1] = __CUDA_ARCH__;
        out[2] = votes;
        out[3] = both;
        out[4] = 2 * f;
    }
}
"""


@pytest.mark.parametrize("arch", ["sm_60", "compute_52", "sm_35"])
def test_old_architectures_have_them(arch):
    out = np.zeros(5, np.int32)
    kernel = SourceModule(SOURCE, arch=arch).get_function("k")
    kernel(drv.InOut(out), block=(32, 1, 1))
    number = int(arch.partition("_")[2]) * 10
    assert out.tolist() == [528, number, 0xAAAAAAAA - (1 << 32), 1, 17]


@pytest.mark.parametrize("arch", [None, "sm_70", "sm_90"])
def test_newer_ones_name_the_other_form(arch):
    with pytest.raises(drv.CompileError, match="__shfl_down_sync"):
        SourceModule(SOURCE, arch=arch)
