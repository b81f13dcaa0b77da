"""Functions of NVIDIA's bitcode library, which a source may declare itself."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

# Declaration, call and expected value.
ROWS = [
    ("double pow(double, double)", "pow(2., 10.)", 1024),
    ("float sinf(float)", "sinf(1.f)", np.sin(1)),
    ("double erfcinv(double)", "erfcinv(1.)", 0),
    ("float fast_expf(float)", "fast_expf(1.f)", np.e),
    ("float fast_powf(float, float)", "fast_powf(2.f, 3.f)", 8),
    ("float fast_fdividef(float, float)", "fast_fdividef(1.f, 4.f)", 0.25),
    ("int popc(int)", "popc(-1)", 32),
    ("int clzll(long long)", "clzll(1)", 63),
    ("int ffs(int)", "ffs(8)", 4),
    ("long long brevll(long long)", "brevll(2)", 2.0**62),
    ("unsigned umax(unsigned, unsigned)", "umax(1u, -1u)", 2.0**32 - 1),
    ("int min(int, int)", "min(1, -1)", -1),
    ("int abs(int)", "abs(-4)", 4),
    ("int mulhi(int, int)", "mulhi(1 << 20, 1 << 20)", 256),
    ("int byte_perm(int, int, int)", "byte_perm(0x0102, 0, 1)", 0x02020201),
    ("unsigned usad(unsigned, unsigned, unsigned)", "usad(3, 5, 1)", 3),
    ("int isnand(double)", "isnand(o[0] * 0 / 0.) != 0", 1),
    ("int isinff(float)", "isinff(1.f)", 0),
    ("int signbitd(double)", "signbitd(-0.) != 0", 1),
    ("double dadd_ru(double, double)", "dadd_ru(1., 1e-30)", 1 + 2**-52),
    ("float frcp_rz(float)", "frcp_rz(4.f)", 0.25),
    ("int float2int_rz(float)", "float2int_rz(-2.7f)", -2),
    ("float uint2float_rn(unsigned)", "uint2float_rn(7u)", 7),
    ("double hiloint2double(int, int)", "hiloint2double(0x3ff00000, 0)", 1),
    ("int double2hiint(double)", "double2hiint(1.)", 0x3FF00000),
    ("unsigned short float2half_rn(float)", "float2half_rn(1.f)", 0x3C00),
    ("float half2float(unsigned short)", "half2float(0x3c00)", 1),
    ("float powif(float, int)", "powif(3.f, 4)", 81),
    ("int ilogb(double)", "ilogb(9.)", 3),
    ("double rhypot(double, double)", "rhypot(3., 4.)", 0.2),
    ("long long llrint(double)", "llrint(2.5)", 2),
    ("float saturatef(float)", "saturatef(3.f)", 1),
]


def test_values(context):
    declarations = ""
    for text, call, _ in ROWS:
        name = call.partition("(")[0]
        declared = text.replace(f" {name}(", f" __nv_{name}(", 1)
        declarations += f"__device__ {declared};\n"
    body = "".join(
        f"o[{i}] = __nv_{call};\n" for i, (_, call, _) in enumerate(ROWS)
    )
    module = SourceModule(
        f"{declarations}__device__ void __nv_sincos(double, double *,"
        " double *);\n__global__ void k(double *o)\n{\n"
        f"{body} __nv_sincos(2., o + {len(ROWS)}, o + {len(ROWS) + 1}); }}"
    )
    out = np.ones(len(ROWS) + 2)
    module.get_function("k")(drv.InOut(out), block=(1, 1, 1))
    wanted = [value for _, _, value in ROWS] + [np.sin(2), np.cos(2)]
    np.testing.assert_allclose(out, wanted, rtol=1e-6, atol=1e-15)


def test_own_functions_of_such_names(context):
    out = np.zeros(2)
    module = SourceModule(
        """
        __device__ double __nv_sin(double a) { return a + 1; }
        __device__ double __nv_mine(double a) { return a + 2; }
        extern "C" __global__ void k(double *o)
        { o[0] = __nv_sin(1); o[1] = __nv_mine(1); }
        """,
        no_extern_c=True,
    )
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [2, 3]


def test_a_function_that_the_library_lacks(context):
    source = "__device__ int __nv_nothing(int);"
    kernel = "__global__ void k(int *o) { *o = __nv_nothing(1); }"
    with pytest.raises(drv.Error, match="__nv_nothing"):
        SourceModule(source + kernel)
