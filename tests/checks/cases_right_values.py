"""Correct kernels that initialize structs and local variables in many ways."""

# SPDX-License-Identifier: MIT

import numpy as np

F = np.float32
INTS = np.arange(256, dtype=np.int32)

CASES = [
    dict(
        name="struct_by_value",
        source="""
struct shape { int width; float scale; char tag; };
__global__ void k(float *out, shape s)
{
    s.width += threadIdx.x;
    shape copy = s;
    out[threadIdx.x] = copy.width * copy.scale;
}""",
        args=[
            256,
            np.array(
                [(3, 2.0, b"a")],
                np.dtype([("w", np.int32), ("s", F), ("t", "S1")], align=True),
            )[0],
        ],
    ),
    dict(
        name="parameter_whose_address_is_taken",
        source="""
__device__ __noinline__ int more(volatile int *p) { return ++*p; }
__device__ __noinline__ int get(int v)
{
    volatile int *p = &v;
    return *p + more(&v);
}
__global__ void k(int *out, int n)
{
    volatile int *p = &n;
    out[threadIdx.x] = *p + n + get(n);
}""",
        args=[256, np.int32(3)],
    ),
    dict(
        name="struct_partly_set",
        source="""
struct item { int key; int unused; };
__global__ void k(item *out)
{
    item it;
    it.key = threadIdx.x;
    item other = it;
    out[threadIdx.x] = other;
}""",
        args=[512],
    ),
    dict(
        name="struct_through_a_local",
        source="""
struct item { unsigned char part[1]; };
__global__ void k(const item *in, item *spare, item *out, int *sum)
{
    for (int i = 0; i < 50; i++) {
        const item it = in[i];
        spare[49 - i] = it;
    }
    for (int i = 0; i < 50; i++) out[i] = spare[i];
    for (int i = 0; i < 50; i++) sum[i] = out[i].part[0];
}""",
        args=[np.arange(50, dtype=np.uint8), 50, 50, 200],
        block=(1, 1, 1),
    ),
    dict(
        name="struct_kept_for_the_next_turn",
        source="""
struct item { int key, value; };
__global__ void k(const item *in, item *out, int *sum)
{
    item before = {0, 0};
    for (int i = 0; i < 20; i++) {
        const item it = in[i];
        out[i] = before;
        before = it;
        sum[i] = out[i].key + out[i].value;
    }
}""",
        args=[np.arange(40, dtype=np.int32), 160, 80],
        block=(1, 1, 1),
    ),
    dict(
        name="bit_fields",
        source="""
struct bits { unsigned a : 3, b : 5, c : 24; };
__global__ void k(bits *out, int *sum)
{
    bits own;
    own.a = 1; own.b = 2; own.c = threadIdx.x;
    out[threadIdx.x].a = 1;
    out[threadIdx.x].b = 2;
    out[threadIdx.x].c = 3;
    sum[threadIdx.x] = own.a + own.b + own.c + out[threadIdx.x].c;
}""",
        args=[256, 256],
    ),
    dict(
        name="local_arrays_and_pointers",
        source="""
__device__ void fill(int *p, int n) { for (int i = 0; i < n; i++) p[i] = i; }
__device__ int sum(const int *p, int n)
{ int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
__global__ void k(int *out, int n)
{
    int own[16], more[4] = {1, 2};
    fill(own, n);
    int *end = own + n, total = 0;
    for (int *p = own; p != end; p++) total += *p;
    out[threadIdx.x] = sum(own, n) + total + more[n & 3];
}""",
        args=[256, np.int32(13)],
    ),
    dict(
        name="set_on_all_used_paths",
        source="""
__global__ void k(int *out, int n)
{
    int best, at;
    for (int i = 0; i < n; i++) {
        int v = (i * 7 + threadIdx.x) % 11;
        if (i == 0 || v < best) { best = v; at = i; }
    }
    if (n > 0) out[threadIdx.x] = best + at;
}""",
        args=[256, np.int32(6)],
    ),
    dict(
        name="float4_and_sincos",
        source="""
__global__ void k(float4 *out, const float4 *in)
{
    float4 v = in[threadIdx.x];
    float s, c, whole; int e;
    sincosf(v.x, &s, &c);
    v.y = modff(v.y + s, &whole) + c;
    v.z = frexpf(v.z + 1, &e) + e + whole;
    out[threadIdx.x] = v;
}""",
        args=[1024, np.ones(256, F)],
    ),
    dict(
        name="struct_by_value_where_others_variables_were",
        source="""
struct table { int v[16]; };
__device__ int before(int n)
{
    int own[64];
    own[n] = n;
    return n ? before(n - 1) + own[n] : own[n];
}
__device__ int sum(table t, int n)
{
    return n ? sum(t, n - 1) + t.v[n] : 0;
}
__global__ void k(table t, int *out)
{
    out[threadIdx.x] = before(9) + sum(t, threadIdx.x & 15);
}""",
        args=[
            np.array([(INTS[:16],)], np.dtype([("v", np.int32, 16)]))[0],
            256,
        ],
    ),
    dict(
        name="second_results_of_library_functions",
        source="""
__global__ void k(double *out, const double *in)
{
    double x = in[threadIdx.x], s, c, whole;
    int e, q;
    sincos(x, &s, &c);
    out[threadIdx.x] = s + c + frexp(x, &e) + e + modf(x, &whole) + whole +
                       remquo(x, 3., &q) + q;
}""",
        args=[512, np.ones(64)],
    ),
    dict(
        name="dynamic_shared_memory_behind_what_is_no_multiple_of_16",
        source="""
__global__ void k(int *out, int n)
{
    __shared__ int own[65];
    extern __shared__ int rest[];
    int *both[2] = {own, rest}, t = threadIdx.x;
    own[t] = t;
    rest[t] = 2 * t;
    __syncthreads();
    out[t] = both[n & 1][63 - t];
    out[t] += both[(t + n) & 1][t];
}""",
        args=[256, np.int32(1)],
        shared=256,
    ),
]
