"""Kernels that launch kernels."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler

pytestmark = pytest.mark.usefixtures("context")


def build(source, **settings):
    """Compile and link `source`, or skip without the device runtime."""
    settings.setdefault("no_extern_c", True)
    try:
        return compiler.DynamicSourceModule(source, **settings)
    except RuntimeError as error:
        if "libcudadevrt" not in str(error):
            raise
        return pytest.skip(str(error))


def run(source, count=64, block=1, grid=1, dtype=np.int32, **settings):
    """Run `parent` on `count` zeros, and return the result."""
    result = np.zeros(count, dtype)
    parent = build(source, **settings).get_function("parent")
    parent(drv.InOut(result), block=(block, 1, 1), grid=(grid, 1))
    return result


FORMS = r"""
struct Box { int a[5]; char c; double d; };
struct Counted {
    int x;
    __device__ Counted(int v) : x(v) {}
};
__global__ void overloaded(int *a, int i) { a[i] = 1; }
__global__ void overloaded(int *a, double i) { a[(int)i] = 2; }
template <class T, int N> __global__ void put(T *a, T v) { a[N] = v; }
static __global__ void local(int *a) { a[5] = 5; }
namespace { __global__ void unnamed(int *a) { a[6] = 6; } }
namespace outer { namespace inner {
    __global__ void nested(int *a) { a[7] = 7; }
} }
__global__ void many(int *a, char c, short s, Box p, bool b, float f,
                     long long q, float4 v)
{
    a[8] = c;
    a[9] = s;
    a[10] = p.a[4] + p.c + (int)p.d;
    a[11] = b;
    a[12] = (int)f;
    a[13] = (int)(q >> 20);
    a[14] = (int)v.w;
}
__global__ void counted(int *a, Counted c) { a[15] = c.x; }
typedef void (*pointer)(int *);
__device__ pointer table[2];
template <class F> __device__ void dependent(F f, int *a)
{
    f<<<1, 1>>>(a, 16);
}
__global__ void shape(int *a)
{
    if (blockIdx.x == 1 && threadIdx.y == 1)
        a[17] = gridDim.x * 10 + blockDim.y;
}
extern __shared__ int words[];
__global__ void shared_words(int *a)
{
    words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        a[18] = words[31];
}
__global__ void store(int *a, int i) { a[i] = i; }
#define LAUNCH(k, ...) k<<<1, 1>>>(__VA_ARGS__)
extern "C" __global__ void parent(int *a)
{
    int zero = 0;
    overloaded<<<1, 1>>>(a, 1);
    overloaded<<<1, 1>>>(a, 2.0);
    put<int, 3><<<1, 1>>>(a, 3);
    put<int, (5 > 4 ? 4 : 5)><<<1, 1>>>(a, 4);
    pointer p = local;
    p<<<1, 1>>>(a);
    table[1] = unnamed;
    table[1]<<<1, 1>>>(a);
    outer::inner::nested<<<1, 1>>>(a);
    many<<<1, 1>>>(a, -3, 300, Box{{1, 2, 3, 4, 5}, 6, 7.5}, true, 8.5f,
                   1LL << 20, make_float4(1, 2, 3, 4));
    counted<<<1, 1>>>(a, Counted(15));
    dependent(put<int, 16>, a);
    shape<<<dim3(2), {1, 2}>>>(a);
    shared_words<<<1, 32, 128>>>(a);
    LAUNCH(store, a, 19);
    (*&store)<<<1, 1>>>(a, 20);
    auto lambda = [=](int k) { store<<<1, 1>>>(a, k); };
    lambda(21);
    if (zero)
        store<<<1, 1>>>(a, 22);
    else
        ::store<<<1, 1>>>(a, 23);
    zero ? store<<<1, 1>>>(a, 24) : store<<<1, 1>>>(a, 25);
    store <<< 1,  // blocks
              1 >>> (a,
                     26);
    a[27] = __LINE__;
}
"""


def test_forms_of_launches():
    result = run(FORMS)
    expected = np.arange(64)
    expected[[1, 2, 8, 9, 10]] = 1, 2, -3, 300, 18
    expected[[11, 12, 13, 14, 17, 18]] = 1, 8, 1, 4, 22, 31
    expected[[22, 24]] = 0
    expected[27] = 1 + FORMS[: FORMS.index("__LINE__")].count("\n")
    expected[28:] = expected[0] = 0
    assert result[2:].tolist() == expected[2:].tolist()
    assert result[1] == 1


HEADER = r"""
#pragma once
__global__ void deep(int *a, int i) { a[i] = i + 10; }
__device__ inline void start(int *a, int i)
{
    deep<<<1, 1>>>(a, i);
    if (cudaGetLastError() != cudaSuccess)
        a[3] = 1;
}
#define CONFIGURATION(n) <<<1, n>>>
"""


@pytest.mark.cpu
def test_launches_in_headers(tmp_path):
    """A launch may be in a header, or spread over several macros."""
    (tmp_path / "launches.h").write_text(HEADER)
    source = r"""
    #include "launches.h"
    #include <cuda_fp16.h>
    extern "C" __global__ void parent(int *a)
    {
        start(a, 0);
        deep CONFIGURATION(1) (a, 1);
        a[2] = __half2int_rn(__float2half(2.0f));
    }
    """
    result = run(source, 4, include_dirs=[str(tmp_path)])
    assert result.tolist() == [10, 11, 2, 0]


@pytest.mark.cpu
def test_the_runtime_api_in_headers(tmp_path):
    (tmp_path / "queries.h").write_text("""
    __device__ inline int warp() {
        int size = 0;
        cudaDeviceGetAttribute(&size, cudaDevAttrWarpSize, 0);
        return size;
    }
    """)
    source = """
    #include "queries.h"
    extern "C" __global__ void parent(int *a) { a[0] = warp(); }
    """
    assert run(source, 1, include_dirs=[str(tmp_path)]).tolist() == [32]


def test_children_end_before_their_parent():
    source = r"""
    __global__ void child(int *a, int depth)
    {
        if (depth < 5 && threadIdx.x < 2)
            child<<<1, 2>>>(a, depth + 1);
        atomicAdd(&a[depth], 1);
    }
    extern "C" __global__ void parent(int *a)
    {
        child<<<1, 2>>>(a, 0);
    }
    """
    assert run(source, 8).tolist() == [2, 4, 8, 16, 32, 64, 0, 0]


def test_the_default_stream_of_a_block_is_ordered():
    """Launches of one block run in order, also if several threads launch."""
    source = r"""
    __global__ void step(int *a, int expected)
    {
        if (*a == expected)
            *a = expected + 1;
    }
    extern "C" __global__ void parent(int *a)
    {
        for (int i = 0; i < 16; i++) {
            if (threadIdx.x == i % blockDim.x)
                step<<<1, 1>>>(a + blockIdx.x, i);
            __syncthreads();
        }
    }
    """
    assert run(source, 8, block=32, grid=8).tolist() == [16] * 8


def test_ten_thousand_children():
    source = r"""
    __global__ void child(int *a, int i) { a[i * 4 + threadIdx.x] = i; }
    extern "C" __global__ void parent(int *a)
    {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        child<<<1, 4, 0, cudaStreamFireAndForget>>>(a, i);
    }
    """
    limit = drv.limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT
    before = drv.Context.get_limit(limit)
    drv.Context.set_limit(limit, 16384)
    try:
        result = run(source, 40000, block=100, grid=100)
    finally:
        drv.Context.set_limit(limit, before)
    assert (result == np.arange(40000) // 4).all()


def test_the_limit_of_pending_launches():
    source = r"""
    __global__ void child(int *a) { atomicAdd(a, 1); }
    extern "C" __global__ void parent(int *a)
    {
        for (int i = 0; i < 5000; i++) {
            child<<<1, 1, 0, cudaStreamTailLaunch>>>(a);
            cudaError_t error = cudaGetLastError();
            if (error != cudaSuccess) {
                a[1]++;
                a[2] = error;
            }
        }
        size_t limit;
        a[3] = cudaDeviceGetLimit(&limit,
                                  cudaLimitDevRuntimePendingLaunchCount);
        a[4] = (int)limit;
    }
    """
    limit = drv.limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT
    done, refused, code, query, value = run(source, 5).tolist()
    assert (query, value) == (0, drv.Context.get_limit(limit))
    assert done + refused == 5000
    assert refused and code == 69  # cudaErrorLaunchPendingCountExceeded


def test_the_limit_of_depth():
    source = r"""
    __global__ void child(int *a, int depth)
    {
        a[0] = depth;
        child<<<1, 1>>>(a, depth + 1);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess)
            a[1] = error;
    }
    extern "C" __global__ void parent(int *a) { child<<<1, 1>>>(a, 1); }
    """
    depth, code = run(source, 2).tolist()
    # All grids of the chain are pending until the last one ends.
    assert depth == 2048
    assert code == 69  # cudaErrorLaunchPendingCountExceeded


def test_tail_launches():
    """They run after all other children; a chain of them has no limit."""
    source = r"""
    __global__ void child(int *a) { atomicAdd(a, 1); }
    __global__ void tail(int *a, int i)
    {
        a[i] = *a;
        child<<<1, 1>>>(a);
    }
    __global__ void chain(int *a, int left)
    {
        a[8]++;
        if (left)
            chain<<<1, 1, 0, cudaStreamTailLaunch>>>(a, left - 1);
    }
    extern "C" __global__ void parent(int *a)
    {
        tail<<<1, 1, 0, cudaStreamTailLaunch>>>(a, 1);
        tail<<<1, 1, 0, cudaStreamTailLaunch>>>(a, 2);
        chain<<<1, 1, 0, cudaStreamTailLaunch>>>(a, 3000);
        tail<<<1, 1, 0, cudaStreamTailLaunch>>>(a, 3);
        for (int i = 0; i < 10; i++)
            child<<<1, 1, 0, cudaStreamFireAndForget>>>(a);
    }
    """
    result = run(source, 9)
    assert result[:4].tolist() == [13, 10, 11, 12]
    assert result[8] == 3001


def test_streams_and_events():
    source = r"""
    __global__ void slow(int *a)
    {
        for (int i = 0; i < 20000; i++)
            atomicAdd(&a[1], 1);
        a[0] = 7;
    }
    __global__ void add(int *to, const int *from) { *to = *from + 1; }
    extern "C" __global__ void parent(int *a)
    {
        cudaStream_t one, two;
        cudaEvent_t event;
        int errors = 0;
        errors += cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
        errors += cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
        errors += cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        slow<<<1, 1, 0, one>>>(a);
        errors += cudaEventRecord(event, one);
        errors += cudaStreamWaitEvent(two, event, 0);
        add<<<1, 1, 0, two>>>(a + 2, a);
        errors += cudaStreamDestroy(two);
        errors += cudaEventDestroy(event);
        add<<<1, 1, 0, one>>>(a + 3, a);
        errors += cudaStreamDestroy(one);
        a[4] = errors;
        a[5] = cudaStreamDestroy(one);
        a[6] = cudaGetLastError();
        a[7] = cudaGetLastError();
        a[8] = cudaEventRecord(event, one);
        a[9] = cudaStreamCreateWithFlags(&one, cudaStreamDefault);
        a[10] = cudaEventCreateWithFlags(&event, cudaEventDefault);
    }
    """
    result = run(source, 11).tolist()
    assert result[:4] == [7, 20000, 8, 8]
    assert result[4] == 0
    if drv.Device(0).name().startswith("CPU"):
        # 400: cudaErrorInvalidResourceHandle, 1: cudaErrorInvalidValue
        assert result[5:] == [400, 400, 0, 400, 1, 1]


def test_errors_of_launches():
    """Each thread has its own last error."""
    source = r"""
    __global__ void child(int *a) { a[0] = 1; }
    __global__ void __launch_bounds__(32) small(int *a) { a[0] = 1; }
    extern "C" __global__ void parent(int *a)
    {
        int i = threadIdx.x;
        if (i == 0)
            child<<<1, 2048>>>(a);
        if (i == 1)
            child<<<0, 1>>>(a);
        if (i == 2)
            small<<<1, 64>>>(a);
        __syncthreads();
        a[4 * i + 1] = cudaPeekAtLastError();
        a[4 * i + 2] = cudaGetLastError();
        a[4 * i + 3] = cudaGetLastError();
    }
    """
    result = run(source, 32, block=4).reshape(8, 4)
    assert (result[:4, 1] == result[:4, 2]).all()
    assert (result[:, 3] == 0).all()
    assert result[0, 0] == 0
    # 9: cudaErrorInvalidConfiguration
    assert result[:4, 1].tolist() == [9, 9, 9, 0]


def test_texts_of_errors():
    source = r"""
    __device__ void copy(char *to, const char *text)
    {
        while ((*to++ = *text++)) {}
    }
    extern "C" __global__ void parent(char *a)
    {
        copy(a, cudaGetErrorName(cudaErrorInvalidConfiguration));
        copy(a + 64, cudaGetErrorString(cudaErrorInvalidConfiguration));
    }
    """
    result = run(source, 128, dtype=np.int8).tobytes()
    assert result[:64].rstrip(b"\0") == b"cudaErrorInvalidConfiguration"
    assert result[64:].rstrip(b"\0") == b"invalid configuration argument"


def test_memory():
    source = r"""
    __global__ void take(int *a, int *made)
    {
        for (int i = 0; i < 4; i++)
            a[i] = made[i];
        cudaFree(made);
    }
    __global__ void fill(int *made)
    {
        made[threadIdx.x] = 10 + threadIdx.x;
    }
    extern "C" __global__ void parent(int *a)
    {
        void *made;
        a[60] = cudaMalloc(&made, 16);
        fill<<<1, 4>>>((int *)made);
        a[61] = cudaMemcpyAsync(a + 4, made, 16, cudaMemcpyDeviceToDevice, 0);
        a[62] = cudaMemsetAsync(a + 8, 1, 8, 0);
        a[63] = cudaMemcpy2DAsync(a + 16, 16, a + 4, 8, 8, 2,
                                  cudaMemcpyDeviceToDevice, 0);
        cudaMemset2DAsync(a + 24, 16, 2, 4, 2, 0);
        take<<<1, 1>>>(a, (int *)made);
    }
    """
    result = run(source)
    fives = [10, 11, 12, 13]
    assert result[:8].tolist() == fives + fives
    assert result[16:22].tolist() == [10, 11, 0, 0, 12, 13]
    if drv.Device(0).name().startswith("CPU"):
        # CUDA 13.0 returns success on an H100 and sets nothing, also in a
        # program that nvcc compiled.
        assert result[8:10].tolist() == [0x1010101] * 2
        assert result[24:30].tolist() == [0x2020202, 0, 0, 0, 0x2020202, 0]
    assert not result[60:].any()


def test_queries():
    source = r"""
    __global__ void __launch_bounds__(96) child(int *a) { a[0] = 1; }
    extern "C" __global__ void parent(int *a)
    {
        cudaFuncAttributes attributes;
        a[0] = cudaFuncGetAttributes(&attributes, (const void *)child);
        a[1] = attributes.maxThreadsPerBlock;
        a[2] = cudaGetDevice(&a[3]);
        a[4] = cudaGetDeviceCount(&a[5]);
        a[6] = cudaDeviceGetAttribute(&a[7], cudaDevAttrWarpSize, 0);
        a[8] = cudaRuntimeGetVersion(&a[9]);
        a[10] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &a[11], (const void *)child, 64, 0);
    }
    """
    result = run(source, 12).tolist()
    assert result[::2] == [0] * 6
    assert result[1] == 96
    assert result[3:8:2] == [0, drv.Device.count(), 32]
    assert result[9] == 6000
    assert result[11] >= 1


QUICKSORT = r"""
__global__ void sort_range(unsigned *data, int left, int right, int depth)
{
    if (depth > 16 || right - left < 24) {
        for (int i = left + 1; i <= right; i++) {
            unsigned value = data[i];
            int k = i;
            for (; k > left && data[k - 1] > value; k--)
                data[k] = data[k - 1];
            data[k] = value;
        }
        return;
    }
    unsigned pivot = data[(left + right) / 2];
    int low = left, high = right;
    while (low <= high) {
        while (data[low] < pivot)
            low++;
        while (data[high] > pivot)
            high--;
        if (low <= high) {
            unsigned value = data[low];
            data[low++] = data[high];
            data[high--] = value;
        }
    }
    cudaStream_t first, second;
    if (left < high) {
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
        sort_range<<<1, 1, 0, first>>>(data, left, high, depth + 1);
        cudaStreamDestroy(first);
    }
    if (low < right) {
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        sort_range<<<1, 1, 0, second>>>(data, low, right, depth + 1);
        cudaStreamDestroy(second);
    }
}
extern "C" __global__ void sort(unsigned *data, int count)
{
    sort_range<<<1, 1>>>(data, 0, count - 1, 0);
}
"""


def test_quicksort():
    data = np.random.default_rng(7).integers(0, 1 << 32, 20000, np.uint32)
    sort = build(QUICKSORT).get_function("sort")
    result = data.copy()
    sort(drv.InOut(result), np.int32(len(data)), block=(1, 1, 1))
    assert (result == np.sort(data)).all()


MANDELBROT = r"""
#define SIDE 128
#define MOST 200
__device__ int dwell(int x, int y)
{
    float a = 3.0f * x / SIDE - 2.2f, b = 3.0f * y / SIDE - 1.5f;
    float u = 0, v = 0;
    int i = 0;
    for (; i < MOST && u * u + v * v < 4; i++) {
        float w = u * u - v * v + a;
        v = 2 * u * v + b;
        u = w;
    }
    return i;
}
__global__ void pixels(int *out, int x0, int y0, int side)
{
    int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (threadIdx.x < side && threadIdx.y < side)
        out[y * SIDE + x] = dwell(x, y);
}
__global__ void square(int *out, int x0, int y0, int side, int value)
{
    for (int i = threadIdx.x; i < side * side; i += blockDim.x)
        out[(y0 + i / side) * SIDE + x0 + i % side] = value;
}
__global__ void adaptive(int *out, int x0, int y0, int side)
{
    __shared__ int same;
    x0 += blockIdx.x * side;
    y0 += blockIdx.y * side;
    int first = dwell(x0, y0);
    if (threadIdx.x == 0)
        same = 1;
    __syncthreads();
    for (int i = threadIdx.x; i < 4 * side; i += blockDim.x) {
        int k = i % side, edge = i / side;
        int x = edge == 0 ? 0 : edge == 1 ? side - 1 : k;
        int y = edge == 2 ? 0 : edge == 3 ? side - 1 : k;
        if (dwell(x0 + x, y0 + y) != first)
            same = 0;
    }
    __syncthreads();
    if (threadIdx.x)
        return;
    if (same)
        square<<<1, 64>>>(out, x0, y0, side, first);
    else if (side <= 8)
        pixels<<<1, dim3(8, 8)>>>(out, x0, y0, side);
    else
        adaptive<<<dim3(2, 2), 64>>>(out, x0, y0, side / 2);
}
__global__ void plain(int *out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * SIDE + x] = dwell(x, y);
}
"""


def test_adaptive_mandelbrot():
    """If the border of a square has one value, a child fills it."""
    names = ["adaptive", "plain"]
    module = build(MANDELBROT)
    images = np.full((2, 128, 128), -1, np.int32)
    adaptive, plain = (module.get_function(find(module, n)) for n in names)
    zero, side = np.int32(0), np.int32(32)
    adaptive(
        drv.InOut(images[0]), zero, zero, side, block=(64, 1, 1), grid=(4, 4)
    )
    plain(drv.InOut(images[1]), block=(32, 1, 1), grid=(4, 128))
    assert (images[1] > 0).all()
    assert (images[0] == images[1]).mean() > 0.999


def find(module, name):
    """Return the mangled name of the kernel `name` without parameters."""
    known = {"adaptive": "_Z8adaptivePiiii", "plain": "_Z5plainPi"}
    return known[name]


def test_tree():
    """A tree of 3 ** 7 leaves is visited, one grid per inner node."""
    source = r"""
    struct Node { int value, first; };
    __global__ void visit(const Node *nodes, int at, int *sum)
    {
        const Node node = nodes[at + threadIdx.x];
        atomicAdd(sum, node.value);
        atomicAdd(sum + 1, 1);
        if (node.first)
            visit<<<1, 3, 0, cudaStreamFireAndForget>>>(nodes, node.first,
                                                        sum);
    }
    extern "C" __global__ void walk(const Node *nodes, int *sum)
    {
        visit<<<1, 1>>>(nodes, 0, sum);
    }
    """
    inner = sum(3**level for level in range(7))
    nodes = np.zeros((inner + 3**7, 2), np.int32)
    nodes[:, 0] = np.arange(len(nodes)) % 101
    nodes[:inner, 1] = 1 + 3 * np.arange(inner)
    result = np.zeros(2, np.int32)
    walk = build(source).get_function("walk")
    walk(drv.In(nodes), drv.InOut(result), block=(1, 1, 1))
    assert result.tolist() == [nodes[:, 0].sum(), len(nodes)]


def test_large_arguments_and_grids():
    """3,000 bytes of arguments; blocks of three axes have their own errors."""
    source = r"""
    struct Large { int a[750]; };
    __global__ void child(int *a, Large large)
    {
        int i = blockIdx.x + 2 * (blockIdx.y + 3 * blockIdx.z);
        a[i] = large.a[749 - i] + threadIdx.x;
    }
    extern "C" __global__ void parent(int *a)
    {
        Large large;
        for (int i = 0; i < 750; i++)
            large.a[i] = i;
        child<<<dim3(2, 3, 4), 1>>>(a, large);
        for (int i = 0; i < 750; i++)
            large.a[i] = 0;
    }
    """
    assert run(source, 24).tolist() == [749 - i for i in range(24)]


def test_launches_between_barriers_and_warp_operations():
    source = r"""
    __global__ void add(int *a, int n) { atomicAdd(a, n); }
    __device__ __noinline__ void down(int *a, int n)
    {
        if (n)
            down(a, n - 1);
        else
            add<<<1, 1>>>(a, 1);
    }
    extern "C" __global__ void parent(int *a)
    {
        __shared__ int s[64];
        int i = threadIdx.x;
        s[i] = i;
        __syncthreads();
        if (i < 3)
            add<<<1, 1>>>(a, s[63 - i]);
        __syncthreads();
        int sum = __reduce_add_sync(~0u, i);
        if (i % 32 == 0)
            add<<<1, 1>>>(a + 1, sum);
        if (i & 1)
            s[i] = __shfl_sync(0xaaaaaaaa, i, 1);
        if (i == 33)
            add<<<1, 1>>>(a + 2, s[i]);
        down(a + 3, i % 5);
    }
    """
    result = run(source, 4, block=64).tolist()
    assert result == [63 + 62 + 61, sum(range(64)), 33, 64]


@pytest.mark.cpu
def test_launches_in_a_cooperative_grid_and_a_graph():
    source = r"""
    #include <cooperative_groups.h>
    __global__ void add(int *a) { atomicAdd(a, 1); }
    extern "C" __global__ void meeting(int *a)
    {
        add<<<1, 4>>>(a);
        cooperative_groups::this_grid().sync();
        add<<<1, 4, 0, cudaStreamTailLaunch>>>(a);
    }
    extern "C" __global__ void parent(int *a) { add<<<2, 4>>>(a); }
    """
    module = build(source)
    memory = drv.mem_alloc(4)
    drv.memset_d32(memory, 0, 1)
    module.get_function("meeting")(
        memory, block=(2, 1, 1), grid=(4, 1), cooperative=True
    )
    stream = drv.Stream()
    drv.Context.synchronize()
    parent = module.get_function("parent")
    with stream.capture() as graph:
        parent(memory, block=(1, 1, 1), stream=stream)
        parent(memory, block=(1, 1, 1), stream=stream)
    graph.launch(stream)
    graph.launch(stream)
    stream.synchronize()
    result = np.zeros(1, np.int32)
    drv.memcpy_dtoh(result, memory)
    assert result[0] == 2 * 8 * 4 + 4 * 8


def test_streams_of_the_program_wait_for_children():
    source = r"""
    __global__ void slow(volatile int *a)
    {
        for (int i = 0; i < 200000; i++)
            a[1] = i;
        a[0] = 1;
    }
    __global__ void middle(int *a) { slow<<<1, 1>>>(a); }
    extern "C" __global__ void parent(int *a) { middle<<<1, 1>>>(a); }
    extern "C" __global__ void after(int *a) { a[2] = a[0]; }
    """
    module = build(source)
    memory = drv.mem_alloc(12)
    stream, event = drv.Stream(), drv.Event()
    for _ in range(5):
        drv.memset_d32(memory, 0, 3)
        drv.Context.synchronize()
        block = (1, 1, 1)
        module.get_function("parent")(memory, block=block, stream=stream)
        event.record(stream)
        module.get_function("after")(memory, block=block, stream=stream)
        event.synchronize()
        result = np.zeros(3, np.int32)
        stream.synchronize()
        drv.memcpy_dtoh(result, memory)
        assert result.tolist() == [1, 199999, 1]


def test_output_of_a_child(capfd):
    source = r"""
    __global__ void child() { printf("hello from thread %d\n", threadIdx.x); }
    extern "C" __global__ void parent(int *a) { child<<<1, 3>>>(); }
    """
    run(source)
    drv.Context.synchronize()
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == [f"hello from thread {i}" for i in range(3)]


def test_modules():
    """A kernel launches one that another source defines."""
    child = r"""
    __device__ int scale = 3;
    __global__ void child(int *a) { a[threadIdx.x] = scale * threadIdx.x; }
    """
    parent = r"""
    extern __global__ void child(int *a);
    extern "C" __global__ void parent(int *a) { child<<<1, 4>>>(a); }
    """
    module = compiler.DynamicModule(no_extern_c=True)
    try:
        module.add_stdlib("cudadevrt")
    except RuntimeError as error:
        pytest.skip(str(error))
    for source in (child, parent):
        module.add_source(source, ["-rdc=true"])
    module.link()
    result = np.zeros(4, np.int32)
    module.get_function("parent")(drv.InOut(result), block=(1, 1, 1))
    assert result.tolist() == [0, 3, 6, 9]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("child(a);", "a __global__ function call must be configured"),
        (
            "other<<<1, 1>>>(a);",
            "a __device__ function call cannot be configured",
        ),
        ("cudaDeviceSynchronize();", "cudaDeviceSynchronize"),
        ("child<<<1, 1>>>();", "argument"),
    ],
)
@pytest.mark.cpu
def test_errors_of_sources(statement, text):
    source = r"""
    __device__ void other(int *a) { a[0] = 1; }
    __global__ void child(int *a) { a[0] = 1; }
    extern "C" __global__ void parent(int *a) { %s }
    """
    with pytest.raises(drv.CompileError, match=text):
        build(source % statement)


def test_without_relocatable_code():
    source = r"""
    __global__ void child(int *a) { a[0] = 1; }
    __global__ void parent(int *a) { child<<<1, 1>>>(a); }
    """
    with pytest.raises(drv.CompileError, match="(?i)launch"):
        compiler.SourceModule(source)
