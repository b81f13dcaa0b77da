"""Thrust algorithms in kernels of the CPU device: sequential, per thread."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]

SOURCE = """
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

struct even {
    __device__ bool operator()(int x) const { return x % 2 == 0; }
};
struct twice {
    __device__ int operator()(int x) const { return 2 * x; }
};

extern "C" {
__global__ void sort(int n, int *a, float *)
{
    thrust::sort(thrust::device, a, a + n);
}
__global__ void sort_down(int n, int *a, float *)
{
    thrust::sort(thrust::seq, a, a + n, thrust::greater<int>());
}
__global__ void stable_sort(int n, int *a, float *)
{
    thrust::stable_sort(a, a + n);
}
__global__ void sort_by_key(int n, int *a, float *b)
{
    thrust::sort_by_key(thrust::seq, a, a + n, b);
}
__global__ void stable_by_key_down(int n, int *a, float *b)
{
    thrust::stable_sort_by_key(thrust::cuda::par, a, a + n, b,
                               thrust::greater<int>());
}
__global__ void folds(int n, int *a, int *o)
{
    o[0] = thrust::reduce(thrust::seq, a, a + n);
    o[1] = thrust::reduce(a, a + n, 5);
    o[2] = thrust::reduce(thrust::seq, a, a + n, -9, thrust::maximum<int>());
    o[3] = thrust::count_if(thrust::seq, a, a + n, even());
    o[4] = thrust::max_element(thrust::seq, a, a + n) - a;
    o[5] = thrust::transform_reduce(a, a + n, twice(), 0,
                                    thrust::plus<int>());
    o[6] = thrust::is_sorted(a, a + n);
    o[7] = thrust::inner_product(thrust::seq, a, a + n, a, 0);
    o += 8;
    thrust::inclusive_scan(thrust::seq, a, a + n, o);
    thrust::exclusive_scan(a, a + n, o + n, 3);
    thrust::transform(thrust::device, a, a + n, o + 2 * n, twice());
    thrust::sequence(thrust::seq, o + 3 * n, o + 4 * n);
}
}
"""
SIZES = [0, 1, 16, 17, 100, 1000]


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE, no_extern_c=True)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "name",
    ["sort", "sort_down", "stable_sort", "sort_by_key", "stable_by_key_down"],
)
def test_sorts(module, name, n):
    random = np.random.default_rng(n)
    keys = random.integers(0, 50, n + 1).astype("i4")
    values = random.random(n + 1).astype("f4")
    order = np.argsort(
        -keys[:n] if name.endswith("down") else keys[:n], kind="stable"
    )
    want = keys[:n][order], values[:n][order], keys[n], values[n]
    given = keys.copy(), values.copy()
    module.get_function(name)(
        np.int32(n), drv.InOut(given[0]), drv.InOut(given[1]), block=(1, 1, 1)
    )
    assert np.array_equal(given[0][:n], want[0])
    if "key" in name:
        assert np.array_equal(given[1][:n], want[1])
    assert (given[0][n], given[1][n]) == want[2:]


@pytest.mark.parametrize("n", SIZES[1:])
def test_reductions_scans_and_maps(module, n):
    a = np.random.default_rng(n).integers(0, 50, n).astype("i4")
    got = np.zeros(8 + 4 * n, "i4")
    module.get_function("folds")(
        np.int32(n), drv.In(a), drv.Out(got), block=(1, 1, 1)
    )
    assert got[:8].tolist() == [
        a.sum(),
        a.sum() + 5,
        a.max(),
        (a % 2 == 0).sum(),
        a.argmax(),
        2 * a.sum(),
        int((np.diff(a) >= 0).all()),
        (a * a).sum(),
    ]
    sums = np.cumsum(a)
    want = np.concatenate([sums, sums - a + 3, 2 * a, np.arange(n)])
    assert np.array_equal(got[8:], want)
