"""Control flow around warp operations: warps give the results of fibers."""

import re

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.cpu._explain import code

pytestmark = pytest.mark.cpu

SOURCE = r"""
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
#define ALL 0xffffffffu
struct P {
    int a;
    float b;
};
extern "C" {
__global__ void
k_switch(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, w = t / 32, v = in[t];
    switch (w % 4) {
    case 0:
        v += __shfl_down_sync(ALL, v, 3);
    case 1:
        v ^= __shfl_up_sync(ALL, v, 5);
        break;
    case 2:
        v = __reduce_max_sync(ALL, v);
        break;
    default:
        for (int i = 0; i < w; ++i) {
            if (__any_sync(ALL, v > 1000 * i))
                v -= i;
            else
                break;
        }
    }
    o[t + blockIdx.x * 128 + blockIdx.y * 256 + 512 * blockIdx.z] = v;
}
__global__ void
k_goto(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, v = in[t], n = 0;
again:
    v = __shfl_xor_sync(ALL, v, 1 << (n % 5)) + 1;
    if (__ballot_sync(ALL, v & 1) & 1) {
        if (++n < 9)
            goto again;
    }
    __syncthreads();
    o[t] = v + n;
}
__global__ void
k_double(double *o, const int *in, double s)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    double v = in[t] * s;
    __shared__ double sh[128];
    for (int r = 0; r < 3; ++r) {
        for (int k = 16; k; k /= 2)
            v += __shfl_xor_sync(ALL, v, k) * 0.5;
        sh[t] = v;
        __syncthreads();
        v = sh[(t + 33) % 128] + r;
        __syncthreads();
        if (t / 32 == r) {
            v = __shfl_sync(ALL, v, r);
            sh[t] = v;
            __syncwarp();
            v += sh[t ^ 7];
        }
        __syncthreads();
    }
    o[t] = v;
}
__global__ void
k_local(int *o, const int *in, P p)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, l[20];
    for (int i = 0; i < 20; ++i)
        l[i] = in[t] * i + p.a;
    for (int i = 0; i < 7; ++i) {
        int j = __shfl_sync(ALL, in[t] & 15, (t + i) & 31);
        l[j] += __popc(__match_any_sync(ALL, l[j] & 7));
    }
    int s = 0;
    for (int i = 0; i < 20; ++i)
        s = s * 3 + l[i];
    o[t] = s;
}
__global__ void
k_cg(int *o, const int *in)
{
    auto b = cg::this_thread_block();
    auto t32 = cg::tiled_partition<32>(b);
    auto t4 = cg::tiled_partition<4>(b);
    int r = b.thread_rank(), v = in[r];
    int a = cg::reduce(t32, v, cg::plus<int>()),
        c = cg::reduce(t4, v, cg::greater<int>());
    int e = cg::exclusive_scan(t32, v), f = cg::inclusive_scan(t4, v);
    auto all = cg::coalesced_threads();
    o[r] = a + 3 * c + 5 * e + 7 * f + 11 * all.size() + all.thread_rank() +
           13 * t4.match_any(v & 1) + t32.ballot(v > 5);
}
__global__ void
k_odd(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, v = in[t];
    if (v & 1) {
        auto g = cg::coalesced_threads();
        v += g.size() * 100 + g.thread_rank();
    }
    v += __shfl_xor_sync(ALL, v, 9);
    o[t] = v;
}
__global__ void
k_types(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    short s = in[t];
    unsigned char c = in[t] >> 3;
    long long q = (long long)in[t] << 33;
    bool f = in[t] & 2;
    float x = in[t] * 0.25f;
    s = __shfl_up_sync(ALL, s, 1);
    c = __shfl_down_sync(ALL, c, 2);
    q = __shfl_xor_sync(ALL, q, 4);
    f = __shfl_sync(ALL, f, t & 7);
    x = __shfl_sync(ALL, x, 31);
    o[t] = s + c * 3 + (int)(q >> 35) + f * 1000 + (int)x +
           __uni_sync(ALL, f) * 77;
    int p;
    unsigned m = __match_all_sync(ALL, t / 32, &p);
    o[t] += m % 1000 + p;
}
__global__ void
k_loopbar(int *o, const int *in)
{
    __shared__ int s[128];
    int t = threadIdx.x + blockDim.x * threadIdx.y, v = in[t];
    for (int k = 0; k < 5; ++k) {
        s[t] = v;
        __syncthreads();
        int u = s[(t * 7 + k) % 128];
        __syncthreads();
        if (t / 32 != k) {
            for (int j = 0; j < k; ++j)
                u += __shfl_down_sync(ALL, u, j + 1);
            if (t % 32 == 3)
                s[t] = -u;
            __syncwarp();
            u ^= s[t | 3];
        }
        __syncthreads();
        if (s[5] > 100000000)
            break;
        v = u + k;
        __syncthreads();
    }
    o[t] = v;
}
__global__ void
k_ret(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, v = in[t];
    if (t >= 64) {
        o[t] = __shfl_xor_sync(ALL, v, 2);
        return;
    }
    v = __reduce_add_sync(ALL, v);
    if (t % 32 == 31) {
        o[t] = -v;
        return;
    }
    o[t] = v;
}
__global__ void
k_volatile(int *o, const int *in)
{
    __shared__ volatile int s[128];
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32];
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    __syncthreads();
    o[t] = s[0] * (t + 1);
}
__global__ void
k_nested(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y, w = t / 32, v = in[t];
    for (int i = 0; i <= w; ++i) {
        int x = v;
        for (int j = i; j < 3; ++j) {
            x = __shfl_xor_sync(ALL, x, i + j + 1);
            if (t & 1)
                x += j;
            if (__all_sync(ALL, x < 50))
                continue;
            v += x & 3;
        }
        v ^= __shfl_sync(ALL, x, v & 31);
    }
    o[t] = v;
}
__global__ void
k_atom(int *o, const int *in)
{
    int t = threadIdx.x + blockDim.x * threadIdx.y;
    unsigned m = __ballot_sync(ALL, in[t] & 1);
    int b = 0;
    if ((t & 31) == 0)
        b = atomicAdd(o, __popc(m));
    b = __shfl_sync(ALL, b, 0);
    __syncwarp();
    if (in[t] & 1)
        o[1 + b + __popc(m & ((1u << (t & 31)) - 1))] = t;
}
}
"""
NAMES = re.findall(r"void\s+(k_\w+)\(", SOURCE)
BLOCKS = [(128, 1, 1), (32, 4, 1), (64, 2, 1)]


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        for setting in "10":
            patch.setenv("PYCUDA_CPU_WARPS", setting)
            made[setting] = SourceModule(
                SOURCE,
                no_extern_c=True,
                options=["-fmad=false"],
                cache_dir=str(tmp_path_factory.mktemp("warps")),
            )
    return made


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", NAMES)
def test_the_same_both_ways(modules, name, block):
    x = np.random.default_rng(5).integers(0, 1000, 128).astype(np.int32)
    grid = (2, 2, 2) if name == "k_switch" else (1, 1)
    outs = []
    for module in modules.values():
        out = np.zeros(2048, np.float64)
        more = {
            "k_double": [np.float64(0.37)],
            "k_local": [np.array((3, 1.5), dtype="i4, f4")],
        }.get(name, [])
        module.get_function(name)(
            cuda.InOut(out), cuda.In(x), *more, block=block, grid=grid
        )
        if name == "k_atom":  # the order of the warps is not specified
            out.view(np.int32)[1:129].sort()
        outs.append(out.tobytes())
    assert outs[0] == outs[1]
    assert any(outs[0])


ONE_LANE = """
extern "C" __global__ void sums(const float *in, float *out, int n)
{
    __shared__ float part[32];
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += in[i];
        square += in[i] * in[i];
    }
    for (int s = 16; s > 0; s >>= 1) {
        sum += __shfl_xor_sync(~0u, sum, s);
        square += __shfl_xor_sync(~0u, square, s);
    }
    if (threadIdx.x % 32 == 0) {
        part[threadIdx.x / 32] = sum;
        part[threadIdx.x / 32 + 16] = square;
    }
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x % 32];
}
"""


def test_work_of_one_lane_is_not_a_loop(tmp_path):
    path = tmp_path / "kernel.cu"
    path.write_text(ONE_LANE)
    # 31 of 32 iterations of the loop over lanes would do nothing.
    assert not re.search(r"icmp \w+ i\d+ %\S+, (31|32)\n", code(path))
