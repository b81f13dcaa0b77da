"""Macros of the architecture, <nv/target>, and NULL."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.cpu
SOURCE = """
#include <nv/target>
__global__ void k(int *o)
{
    NV_IF_TARGET(NV_PROVIDES_SM_80, (o[0] = 1;), (o[0] = 2;))
    NV_IF_TARGET(NV_IS_EXACTLY_SM_90, (o[1] = 1;))
    NV_IF_ELSE_TARGET(NV_IS_HOST, (this is no code),
                      (int a = 5, b = 6; o[2] = a + b;))
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (o[3] = 90;), NV_PROVIDES_SM_70,
                       (o[3] = 70;), NV_ANY_TARGET, (o[3] = 1;))
    NV_DISPATCH_TARGET(NV_IS_HOST, (nonsense), NV_NO_TARGET, (nonsense),
                       NV_IS_EXACTLY_SM_75, (o[4] = 75;))
    o[5] = NV_TARGET_MINIMUM_SM_INTEGER;
    NV_IF_TARGET(NV_IS_DEVICE, (o[6] = 1; if (o[6]) { o[6]++; }))
#if __CUDA_ARCH_HAS_FEATURE__(SM90_ALL)
    o[7] = __CUDA_ARCH_FEAT_SM90_ALL + 1;
#endif
}
"""
EXPECTED = {
    "sm_60": [2, 0, 11, 1, 0, 60, 2, 0],
    "sm_75": [2, 0, 11, 70, 75, 75, 2, 0],
    "sm_88": [1, 0, 11, 70, 0, 88, 2, 0],
    "sm_90": [1, 1, 11, 90, 0, 90, 2, 0],
    "sm_90a": [1, 1, 11, 90, 0, 90, 2, 2],
    "sm_120": [1, 0, 11, 90, 0, 120, 2, 0],
}


@pytest.mark.parametrize("arch", EXPECTED)
def test_code_for_an_architecture(arch):
    out = np.zeros(8, np.int32)
    module = SourceModule(SOURCE, arch=arch)
    module.get_function("k")(cuda.InOut(out), block=(1, 1, 1))
    assert list(out) == EXPECTED[arch]


def test_macros_that_programs_look_for():
    compile(
        """
    #ifndef __CUDA_RUNTIME_H__
    #error
    #endif
    #if __CUDART_API_VERSION < 13000 || !defined(__VECTOR_TYPES_H__)
    #error
    #endif
    __device__ char of(int);
    __device__ double of(void *);
    static_assert(sizeof(of(NULL)) == 1, "NULL is a number, as with NVRTC");
    __global__ void k(int *p) { p = NULL; }
    """,
        no_extern_c=True,
    )
