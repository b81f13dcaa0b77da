"""Features of later C++ standards, which nvcc accepts in earlier ones."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda._compile import standards
from pycuda.compiler import SourceModule, compile

SOURCES = {
    "c++14": """
    namespace a::b { struct P { int x, y; }; }
    template <class... T> __device__ int sum(T... v) { return (v + ...); }
    template <class T> __device__ int size(T v)
    { if constexpr (sizeof(T) == 4) return 4; else return v.size; }
    extern "C" __global__ void k(int *o)
    {
        auto [x, y] = a::b::P{1, 2};
        if (int z = x + y; z > 2) *o = z + sum(10, 20) + size(1);
    }
    """,
    "c++11": """
    #include <pycuda-complex.hpp>
    template <class T> constexpr T three = T(3);
    extern "C" __global__ void k(int *o)
    {
        auto f = [](auto a) { return a; };
        pycuda::complex<float> c(three<float>, 4.f);
        *o = f(30) + int(abs(c)) + 0b10;
    }
    """,
    "c++03": """
    extern "C" __global__ void k(int *o) { auto n = 37; *o = n; }
    """,
    "c++17": """
    __device__ int twice(auto v) { return 2 * v; }
    struct bits { int low : 3 = 1; };
    extern "C" __global__ void k(int *o)
    { *o = twice(18); for (bits b; int v : {0, 0}) *o += b.low - v - *o % 2; }
    """,
}
RESULTS = {"c++14": 37, "c++11": 37, "c++03": 37, "c++17": 37}


@pytest.mark.filterwarnings("ignore:(?s).*compiled as C")
@pytest.mark.parametrize("standard", SOURCES)
def test_results(context, standard):
    out = np.zeros(1, np.int32)
    module = SourceModule(
        SOURCES[standard], no_extern_c=True, options=[f"-std={standard}"]
    )
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out[0] == RESULTS[standard]


def test_the_log_names_the_standard(context):
    with pytest.warns(UserWarning, match=r"compiled as C\+\+17.*C\+\+14"):
        SourceModule(SOURCES["c++14"], options=["-std=c++14"],
                     no_extern_c=True, cache_dir=False)  # fmt: skip


def test_the_requested_standard_comes_first(context):
    out = np.zeros(1, np.int64)
    for year in (2011, 2014, 2017, 2020):
        module = SourceModule(
            "__global__ void k(long *o) { *o = __cplusplus / 100; }",
            options=[f"-std=c++{year - 2000}"],
        )
        module.get_function("k")(drv.Out(out), block=(1, 1, 1))
        assert out[0] == year


def test_the_error_is_that_of_the_requested_standard(context):
    with pytest.raises(drv.CompileError, match="nowhere") as caught:
        compile("__global__ void k() { nowhere; }", options=["-std=c++14"])
    assert "c++14" in " ".join(caught.value.args[1])


@pytest.mark.parametrize(
    ("options", "log", "later"),
    [
        (["-std=c++14", "-w"], "", ["--std=c++17", "-w"]),
        (["--std=c++11"], "", ["--std=c++17"]),
        (["--std=c++03"], "", ["--std=c++17"]),
        (["--std=c++20"], "is a C++20 feature", None),
        ([], "error: x is undefined", None),
        ([], 'error: "auto" is not allowed here', ["--std=c++20"]),
        (["-std=c++17"], "are a C++20 extension", ["--std=c++20"]),
    ],
)
def test_remedies(options, log, later):
    assert standards.remedy(options, log) == later
