"""Kernels and variables looked up by their C++ names."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = """
namespace space
{
__device__ int table[4] = {1, 2, 3, 4};
template <class T> __constant__ T factor = 3;

template <class T, int N>
__global__ void add(T *x)
{
    x[threadIdx.x] += N;
}
}

template <class T>
__global__ void scale(T *x)
{
    x[threadIdx.x] *= space::factor<T>;
}

extern "C" __global__ void plain(int *x)
{
    x[threadIdx.x] = space::table[threadIdx.x];
}
"""
NAMES = [
    "space::add<float, 3>",
    "space::add<int,5>",
    "scale<double>",
    "&space::table",
    "&space::factor<double>",
]

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(params=["cold", "from the cache"])
def module(request, tmp_path):
    for _ in range(1 if request.param == "cold" else 2):
        made = SourceModule(
            SOURCE, name_expressions=NAMES, cache_dir=str(tmp_path)
        )
    return made


def run(function, dtype):
    data = np.arange(4, dtype=dtype)
    function(drv.InOut(data), block=(4, 1, 1))
    return data.tolist()


def test_kernels(module):
    function = module.get_function
    assert run(function("space::add<float, 3>"), np.float32) == [3, 4, 5, 6]
    assert run(function("space::add< int, 5 >"), np.int32) == [5, 6, 7, 8]
    assert run(function("scale<double>"), np.float64) == [0, 3, 6, 9]
    assert run(function("plain"), np.int32) == [1, 2, 3, 4]


def test_variables(module):
    address, size = module.get_global("&space::table")
    assert (size, module.get_global("space::table")[0]) == (16, address)
    found = np.zeros(4, np.int32)
    drv.memcpy_dtoh(found, address)
    assert found.tolist() == [1, 2, 3, 4]
    drv.memcpy_htod(address, found[::-1].copy())
    function = module.get_function("plain")
    assert run(function, np.int32) == [4, 3, 2, 1]


def test_what_was_not_named_is_not_there(module):
    with pytest.raises(drv.LogicError):
        module.get_function("space::add<float, 4>")


def test_the_names_are_part_of_the_key(tmp_path):
    for names in (["scale<int>"], ["scale<float>"], []):
        SourceModule(
            SOURCE,
            name_expressions=names,
            no_extern_c=True,
            cache_dir=str(tmp_path),
        )
    stored = [path.name for path in tmp_path.glob("*-*.*")]
    assert len(stored) == 3


@pytest.mark.parametrize("name", ["scale<nothing>", "nowhere", "1 +"])
def test_a_name_that_the_source_has_not(name):
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(SOURCE, name_expressions=[name], cache_dir=False)
    assert name.split("<")[-1].rstrip(">") in str(caught.value)


def test_bad_arguments():
    with pytest.raises(TypeError, match="list of strings"):
        SourceModule(SOURCE, name_expressions="scale<float>")
    with pytest.raises(TypeError, match="list of strings"):
        SourceModule(SOURCE, name_expressions=[1])
    with pytest.raises(ValueError, match="NVRTC"):
        SourceModule(SOURCE, nvcc="/bin/nvcc", name_expressions=["scale<int>"])
