"""Toolkit headers: kernels can include them, or get a helpful error."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# On a GPU the headers are NVIDIA's own, if they are installed.
pytestmark = [pytest.mark.usefixtures("context"), pytest.mark.cpu]

NAMES = """
builtin_types.h channel_descriptor.h common_functions.h cooperative_groups.h
cooperative_groups/memcpy_async.h cooperative_groups/reduce.h
cooperative_groups/scan.h crt/common_functions.h crt/cudacc_ext.h
crt/device_double_functions.h crt/device_double_functions.hpp
crt/device_functions.h crt/device_functions.hpp crt/host_config.h
crt/host_defines.h crt/host_runtime.h crt/math_functions.h
crt/math_functions.hpp crt/mma.h crt/sm_70_rt.h crt/sm_70_rt.hpp
crt/sm_80_rt.h crt/sm_80_rt.hpp crt/sm_90_rt.h crt/sm_90_rt.hpp
crt/sm_100_rt.h crt/sm_100_rt.hpp crt/storage_class.h cuComplex.h cuda.h
cuda/atomic cuda/barrier cuda/pipeline cuda/std/array cuda/std/atomic
cuda/std/bit cuda/std/cassert cuda/std/ccomplex cuda/std/cmath
cuda/std/complex cuda/std/cstdint cuda/std/cstdlib cuda/std/ctime
cuda/std/limits cuda/std/tuple cuda/std/type_traits cuda/std/utility
cuda_awbarrier.h cuda_awbarrier_helpers.h cuda_awbarrier_primitives.h
cuda_bf16.h cuda_device_runtime_api.h cuda_fp16.h cuda_fp4.h cuda_fp6.h
cuda_fp8.h
cuda_occupancy.h cuda_pipeline.h cuda_pipeline_helpers.h
cuda_pipeline_primitives.h cuda_runtime.h cuda_runtime_api.h cuda_stdint.h
cudart_platform.h curand.h curand_discrete.h curand_discrete2.h
curand_globals.h curand_kernel.h curand_lognormal.h curand_mrg32k3a.h
curand_mtgp32.h curand_mtgp32_kernel.h curand_normal.h
curand_normal_static.h curand_philox4x32_x.h curand_poisson.h
curand_precalc.h curand_uniform.h device_atomic_functions.h
device_atomic_functions.hpp device_double_functions.h device_functions.h
device_launch_parameters.h device_types.h driver_types.h fatbinary_section.h
host_config.h host_defines.h library_types.h math_constants.h
math_functions.h mma.h sm_20_atomic_functions.h
sm_20_atomic_functions.hpp sm_20_intrinsics.h sm_20_intrinsics.hpp
sm_30_intrinsics.h sm_30_intrinsics.hpp sm_32_atomic_functions.h
sm_32_atomic_functions.hpp sm_32_intrinsics.h sm_32_intrinsics.hpp
sm_35_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h
sm_60_atomic_functions.hpp sm_61_intrinsics.h sm_61_intrinsics.hpp
surface_functions.h surface_indirect_functions.h surface_types.h
texture_fetch_functions.h texture_indirect_functions.h texture_types.h
vector_functions.h vector_functions.hpp vector_types.h
"""
TAKEN = NAMES.split()

# Headers with an error that names a replacement, and missing headers.
REFUSED = {
    "curand_mtgp32_host.h": "from Python",
    "curand_mtgp32dc_p_11213.h": "from Python",
    "cuda/nothing": "'cuda/nothing' file not found",
    "cuda/std/nothing": "'cuda/std/nothing' file not found",
    "nvfunctional": "NVIDIA's header 'nvfunctional'",
    "cufft.h": "NVIDIA's header 'cufft.h'",
    "crt/nothing.h": "NVIDIA's header 'crt/nothing.h'",
    "mine/own.h": "include_dirs=",
    "cuda_helper.h": "include_dirs=",
}

KERNEL = """
extern "C" __global__ void k(int *out)
{
    float4 v = make_float4(1, 2, 3, 4);
    cuFloatComplex z = cuCmulf(make_cuFloatComplex(0, 1),
                               make_cuFloatComplex(0, 3));
    curandState_t s;
    curand_init(0, 0, 0, &s);
    out[0] = (int)v.w + (curand(&s) != 0);
    out[1] = (int)cuCrealf(z);
    out[2] = CUDART_PI_F > 3.14f;
    out[3] = sizeof(uint16_t);
}
"""


@pytest.mark.parametrize("ordered", [TAKEN, TAKEN[::-1]], ids=["az", "za"])
def test_all_headers_together(ordered):
    head = "".join(f"#include <{name}>\n" for name in ordered)
    out = np.zeros(4, np.int32)
    module = SourceModule(head + KERNEL, no_extern_c=True)
    module.get_function("k")(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [5, -3, 1, 2]


def test_pycudas_extern_c_around_all_headers():
    head = "".join(f"#include <{name}>\n" for name in TAKEN)
    kernel = KERNEL.replace('extern "C" ', "")
    out = np.zeros(4, np.int32)
    module = SourceModule(head + kernel)
    module.get_function("k")(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [5, -3, 1, 2]


@pytest.mark.parametrize("name", REFUSED)
def test_refused_headers_say_what_to_do(name):
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule(f"#include <{name}>\n__global__ void k() {{}}\n")
    assert REFUSED[name] in str(caught.value)
