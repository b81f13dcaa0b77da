"""Arrive-wait barriers: the primitives of 64 bits and the class of CUDA 11."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = """
#include <cuda_pipeline.h>
#include <cuda_awbarrier.h>
using namespace nvcuda::experimental;
#define INIT(b, n) if (threadIdx.x == 0) __mbarrier_init(&b, n); \\
    __syncthreads();

__global__ void rounds(int *o)
{
    __shared__ __mbarrier_t b; __shared__ int s[64]; int v = 0;
    INIT(b, 64)
    for (int r = 0; r < 5; r++) {
        s[threadIdx.x] = threadIdx.x + r;
        auto t = __mbarrier_arrive(&b);
        while (!__mbarrier_test_wait(&b, t)) ;
        v += s[63 - threadIdx.x];
        t = __mbarrier_arrive(&b);
        while (!__mbarrier_try_wait(&b, t, 10)) ;
    }
    o[threadIdx.x] = v;
}
__global__ void dropped(int *o)
{
    __shared__ __mbarrier_t b;
    INIT(b, 48)
    if (threadIdx.x < 16) {
        __mbarrier_arrive_and_drop(&b);
    } else {
        for (int r = 0; r < 3; r++) {
            auto t = __mbarrier_arrive(&b);
            while (!__mbarrier_test_wait(&b, t)) ;
            o[threadIdx.x]++;
        }
    }
}
__global__ void parity(int *o)
{
    __shared__ __mbarrier_t b;
    INIT(b, 32)
    for (int r = 0; r < 4; r++) {
        __mbarrier_arrive(&b);
        while (!__mbarrier_test_wait_parity(&b, r & 1)) ;
        o[threadIdx.x]++;
    }
}
__global__ void counts(int *o)
{
    __shared__ __mbarrier_t b;
    __mbarrier_init(&b, 3);
    auto t = __mbarrier_arrive(&b);
    o[0] = __mbarrier_token_pending_count(t);
    t = __mbarrier_arrive(&b);
    o[1] = o[0] - __mbarrier_token_pending_count(t);
    o[0] = 0;
    o[2] = __mbarrier_test_wait(&b, t);
    __pipeline_arrive_on(&b);
    __mbarrier_arrive(&b);
    o[3] = __mbarrier_test_wait(&b, t);
    o[4] = __mbarrier_maximum_count();
    o[5] = sizeof(b) + sizeof(t);
    __mbarrier_inval(&b);
}
__global__ void produced(int *o)
{
    __shared__ awbarrier full, empty; __shared__ int s[16]; int v = 0;
    if (threadIdx.x == 0) { init(&full, 32); init(&empty, 32); }
    __syncthreads();
    for (int r = 0; r < 6; r++) {
        if (threadIdx.x < 16) {
            s[threadIdx.x] = r * 16 + threadIdx.x;
            full.arrive();
        } else {
            full.wait(full.arrive());
            v += s[threadIdx.x - 16];
        }
        empty.arrive_and_wait();
    }
    o[threadIdx.x] = v;
}
__global__ void copied(int *o)
{
    __shared__ int s[32]; pipeline p;
    o[threadIdx.x] = threadIdx.x;
    __syncthreads();
    memcpy_async(s[threadIdx.x], o[31 - threadIdx.x], p);
    p.commit_and_wait();
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x] * 3;
}
"""
RESULTS = {
    "rounds": [5 * (63 - i) + 10 for i in range(64)],
    "dropped": [0] * 16 + [3] * 32,
    "parity": [4] * 32,
    "counts": [0, 1, 0, 1, (1 << 14) - 1, 16],
    "produced": [0] * 16
    + [sum(r * 16 + i for r in range(6)) for i in range(16)],
    "copied": [3 * (31 - i) for i in range(32)],
}


@cache
def module():
    return SourceModule(
        SOURCE.replace("__global__", 'extern "C" __global__'),
        no_extern_c=True,
    )


@pytest.mark.parametrize("name", RESULTS)
def test_barriers(context, name):
    wanted = RESULTS[name]
    out = np.zeros(len(wanted), np.int32)
    threads = 1 if name == "counts" else len(wanted)
    module().get_function(name)(drv.InOut(out), block=(threads, 1, 1))
    assert out.tolist() == wanted
