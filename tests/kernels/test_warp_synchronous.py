"""Warp-synchronous programs from before Volta, without barriers in a warp."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# On GPUs since Volta such programs are formally incorrect.
pytestmark = pytest.mark.cpu

REDUCE = """
template <int SIZE> __device__ void warp_sum(volatile float *s, int t)
{
    if (SIZE >= 64) s[t] += s[t + 32];
    s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4];
    s[t] += s[t + 2]; s[t] += s[t + 1];
}
extern "C" __global__ void reduce(const float *in, float *out, int n)
{
    STORAGE
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256)
        sum += in[i];
    s[t] = sum;
    __syncthreads();
    if (t < 128) s[t] += s[t + 128];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) warp_sum<64>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}
"""


@pytest.mark.parametrize(
    "storage",
    ["__shared__ float s[256];", "extern __shared__ float s[];"],
)
def test_reduction(storage):
    x = np.random.default_rng(24).integers(0, 9, 5000).astype(np.float32)
    out = np.empty(3, np.float32)
    SourceModule(
        REDUCE.replace("STORAGE", storage), no_extern_c=True
    ).get_function("reduce")(
        cuda.In(x),
        cuda.Out(out),
        np.int32(5000),
        block=(256, 1, 1),
        grid=(3, 1),
        shared=1024 if "extern" in storage else 0,
    )
    assert out.sum() == x.sum()


SCAN = """
__device__ int warp_scan(volatile int *s, int t)
{
    int lane = t & 31;
    if (lane >= 1) s[t] += s[t - 1];
    if (lane >= 2) s[t] += s[t - 2];
    if (lane >= 4) s[t] += s[t - 4];
    if (lane >= 8) s[t] += s[t - 8];
    if (lane >= 16) s[t] += s[t - 16];
    return s[t];
}
__global__ void scan(const int *in, int *out)
{
    __shared__ int s[128];
    s[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = warp_scan(s, threadIdx.x);
}
"""


@pytest.mark.parametrize("threads", [32, 96, 128])
def test_scan_of_each_warp(threads):
    x = np.random.default_rng(25).integers(-9, 10, threads).astype(np.int32)
    out = np.empty_like(x)
    SourceModule(SCAN).get_function("scan")(
        cuda.In(x), cuda.Out(out), block=(threads, 1, 1)
    )
    assert np.array_equal(out, x.reshape(-1, 32).cumsum(1).ravel())


FLAG = """
__global__ void pass_on(int *out)
{
    volatile __shared__ int token;
    if (threadIdx.x == 0) token = 0;
    __syncthreads();
    while (token != (int)threadIdx.x) { }
    out[threadIdx.x] = token * 2;
    __threadfence_block();
    token = threadIdx.x + 1;
}
"""


def test_a_token_goes_round():
    """Volatile flags still work between the threads of a warp."""
    out = np.empty(70, np.int32)
    SourceModule(FLAG).get_function("pass_on")(cuda.Out(out), block=(70, 1, 1))
    assert out.tolist() == list(range(0, 140, 2))
