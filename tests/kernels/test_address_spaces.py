"""Classification of addresses by memory space: __isShared and the others."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

GLOBAL, SHARED, CONSTANT, LOCAL, PARAMETER = 1, 2, 4, 8, 16
SOURCE = """
struct Given { int first, rest[5]; };
__constant__ int table[4];
__device__ int variable;

__device__ int ask(const void *p)
{
    return (__isGlobal(p) != 0) | (__isShared(p) != 0) << 1
         | (__isConstant(p) != 0) << 2 | (__isLocal(p) != 0) << 3;
}
__device__ __noinline__ int ask_from_afar(const void *p) { return ask(p); }

__global__ void kernel(int *out, const __grid_constant__ Given given, int n)
{
    __shared__ int room[64];
    extern __shared__ int more[];
    int own[8];
    for (int i = 0; i < 8; i++) own[i] = n * i;
    BARRIER
    room[threadIdx.x % 64] = own[n & 7];
    BARRIER
    int *o = out + 10 * (threadIdx.x + blockIdx.x * blockDim.x);
    void *heap = malloc(8);
    o[0] = ask(out);
    o[1] = ask(&variable);
    o[2] = ask(heap);
    o[3] = ask(room);
    o[4] = ask(room + 63) + 0 * room[n];
    o[5] = ask(more + n);
    o[6] = ask(table + n);
    o[7] = ask(own + n);
    o[8] = ask_from_afar(own);
    o[9] = (__isGridConstant(&given.rest[n]) != 0) << 4
         | (ask(&given.rest[n]) & ~4);
    free(heap);
}
"""
WANTED = [GLOBAL] * 3 + [SHARED] * 3 + [CONSTANT] + [LOCAL] * 2
# The parameter space is part of the global space.
WANTED += [PARAMETER | GLOBAL]
# Blocks that run as one loop, as loops between barriers, and on fibers.
BARRIERS = {
    "none": "",
    "met": "__syncthreads();",
    "divergent": "if (threadIdx.x & 1) __syncthreads(); else __syncthreads();",
}


@pytest.mark.parametrize("block", [1, 64])
@pytest.mark.parametrize("barrier", BARRIERS)
def test_where_an_address_is(barrier, block, device):
    if barrier == "divergent" and device == "gpu":
        pytest.skip("lanes that reach a barrier at two places")
    module = SourceModule(SOURCE.replace("BARRIER", BARRIERS[barrier]))
    given = np.zeros(1, [("first", "i4"), ("rest", "i4", 5)])
    out = np.zeros((3 * block, 10), np.int32)
    module.get_function("kernel")(
        cuda.Out(out),
        given[0],
        np.int32(3),
        block=(block, 1, 1),
        grid=(3, 1),
        shared=64,
    )
    assert (out == WANTED).all(), out[0]


def test_addresses_go_to_their_space_and_back():
    module = SourceModule(
        """
        __constant__ int table[1];
        __global__ void kernel(int *out)
        {
            __shared__ int room[1];
            int own = 3;
            room[0] = 2;
            #define THERE_AND_BACK(space, p) \\
                *(int *)__cvta_##space##_to_generic( \\
                    __cvta_generic_to_##space(p))
            out[1] = THERE_AND_BACK(shared, room);
            out[2] = THERE_AND_BACK(local, &own);
            out[3] = THERE_AND_BACK(constant, table);
            THERE_AND_BACK(global, out) = 1;
        }
        """
    )
    cuda.memcpy_htod(module.get_global("table")[0], np.int32([4]))
    out = np.zeros(4, np.int32)
    module.get_function("kernel")(cuda.InOut(out), block=(1, 1, 1))
    assert out.tolist() == [1, 2, 3, 4]


@pytest.mark.cpu
def test_a_parameter_is_local_where_threads_have_copies():
    module = SourceModule(
        """
        struct Given { int first, rest[5]; };
        __global__ void kernel(int *out, Given given)
        {
            given.rest[threadIdx.x % 5] = 1;
            out[threadIdx.x] = __isLocal(&given) != 0;
        }
        """
    )
    given = np.zeros(1, [("first", "i4"), ("rest", "i4", 5)])
    out = np.zeros(32, np.int32)
    module.get_function("kernel")(cuda.Out(out), given[0], block=(32, 1, 1))
    assert out.all()


STACKS = """
#include <cooperative_groups.h>
__device__ __noinline__ int down(int n, const int *above, int *o)
{
    int own[64];
    for (int i = 0; i < 64; i++) own[i] = n + above[i & 1];
    if (n == 0) {
        o[0] = __isLocal(above) && __isLocal(own) && !__isGlobal(own);
        return 0;
    }
    return down(n - 1, own, o) + own[3];
}
__global__ void recursive(int *out, int n)
{
    int *o = out + threadIdx.x + blockIdx.x * blockDim.x, own[2] = {1, 2};
    if (down(19 + n, own, o) == 0) o[0] = 0;
}
__global__ void large(int *out, int n)
{
    int *o = out + threadIdx.x + blockIdx.x * blockDim.x, own[20000];
    for (int i = 0; i < 20000; i++) own[i] = i * n;
    o[0] = __isLocal(own) && __isLocal(own + 19999) && own[n] == n;
}
__global__ void cooperative(int *out, int n)
{
    __shared__ int room[4];
    int *o = out + threadIdx.x + blockIdx.x * blockDim.x, own[] = {1, 2, 3};
    cooperative_groups::this_grid().sync();
    room[threadIdx.x & 3] = own[n];
    o[0] = __isLocal(own + n) && __isShared(room) && !__isShared(own);
}
"""


@pytest.mark.cpu
@pytest.mark.parametrize("name", ["recursive", "large", "cooperative"])
def test_on_every_stack(name):
    kernel = SourceModule(STACKS).get_function(name)
    out = np.zeros(64, np.int32)
    more = {"cooperative": True} if name == "cooperative" else {}
    kernel(cuda.Out(out), np.int32(1), block=(32, 1, 1), grid=(2, 1), **more)
    assert out.all()
