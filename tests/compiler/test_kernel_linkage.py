"""Names of kernels in modules: extern "C" and internal linkage."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule, compile

# Inside extern "C", as `SourceModule` puts it.
SOURCE = """
namespace { __global__ void unnamed(int *o) { *o = 1; }
            namespace in { __global__ void nested(int *o) { *o = 2; } } }
namespace named { __global__ void in_a_namespace(int *o) { *o = 3; }
                  static __global__ void hidden(int *o) { *o = 4; } }
static __global__ void local(int *o) { *o = 5; }
__global__ void declared(int *o);
static __global__ void declared(int *o) { *o = 6; }
__global__ void overloaded(int *o);
static __global__ void overloaded(float *o) { *o = 7; }
__global__ void overloaded(int *o) { *o = 8; }
"""
EXPLICIT = """
extern "C" __global__ void declared(int *o);
static __global__ void declared(int *o) { *o = 6; }
namespace { extern "C" __global__ void unnamed(int *o) { *o = 1; } }
namespace named { extern "C" __global__ void plain(int *o) { *o = 3; } }
"""


def value(module, name):
    """Return what a kernel writes, or None if the module does not have it."""
    out = np.zeros(1, np.int32)
    try:
        kernel = module.get_function(name)
    except drv.LogicError:
        return None
    kernel(drv.Out(out), block=(1, 1, 1))
    return int(out[0])


def test_extern_c_block(context):
    module = SourceModule(SOURCE)
    hidden = ["unnamed", "nested", "hidden", "local", "declared"]
    assert [value(module, name) for name in hidden] == [None] * 5
    assert value(module, "in_a_namespace") == 3
    assert value(module, "overloaded") == 8
    mangled = {"_Z5localPi": 5, "_Z8declaredPi": 6, "_ZN5named6hiddenEPi": 4}
    assert {name: value(module, name) for name in mangled} == mangled


def test_extern_c_of_one_kernel(context):
    module = SourceModule(EXPLICIT, no_extern_c=True)
    names = ["declared", "unnamed", "plain", "_Z8declaredPi"]
    assert [value(module, name) for name in names] == [None, None, 3, 6]


@pytest.mark.parametrize(
    "kernel",
    [
        "__global__ void k(int *o) noexcept { }",
        "__global__ constexpr void k(int *o) { }",
        "struct S { static __global__ void k(int *o) { } };",
        "__global__ void k(int *o, int &&a) { }",
        "struct S { int a; }; __global__ auto k(int *o) { }",
        "namespace n { } __global__ void k(int *o) throw() { }",
        'extern "C" { __global__ void k(int *o) noexcept { } }',
        "__device__ void f(__grid_constant__ const int a) { }",
    ],
)
def test_kernels_that_nvrtc_refuses_in_an_extern_c_block(context, kernel):
    with pytest.raises(drv.CompileError):
        compile(kernel, cache_dir=False)


@pytest.mark.filterwarnings("ignore:(?s).*compiler succeeded, but said")
def test_variables_of_the_host_are_compiled_for_the_device(context):
    """NVRTC needs an option for them; nvcc accepts them."""
    module = SourceModule("""
        int calls; static float table[3];
        [[unknown]] int other;
        __global__ void k(int *o) { *o = 7; }
    """)
    assert value(module, "k") == 7
