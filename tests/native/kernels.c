/* kernels.c - features of kernels, launched from C.
 *
 * Barriers, warps, shared memory, atomics, recursion, printf; each result is
 * checked.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void reduce(int *out, const int *in)\n"
    "{\n"
    "    __shared__ int part[256];\n"
    "    int t = threadIdx.x;\n"
    "    part[t] = in[blockIdx.x * 256 + t];\n"
    "    __syncthreads();\n"
    "    for (int step = 128; step; step /= 2) {\n"
    "        if (t < step) part[t] += part[t + step];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (!t) atomicAdd(out, part[0]);\n"
    "}\n"
    "__global__ void early(int *out, int n)\n"
    "{\n"
    "    extern __shared__ int words[];\n"
    "    int t = threadIdx.x;\n"
    "    if (t >= n) return;\n"
    "    words[t] = t;\n"
    "    __syncthreads();\n"
    "    out[t] = words[n - 1 - t];\n"
    "}\n"
    "__global__ void shuffles(int *out)\n"
    "{\n"
    "    int lane = threadIdx.x % 32, sum = threadIdx.x;\n"
    "    for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d);\n"
    "    out[threadIdx.x] = __shfl_sync(~0u, sum, 0);\n"
    "    out[64 + threadIdx.x] = __shfl_xor_sync(~0u, lane, 5, 8);\n"
    "    out[128 + threadIdx.x] = __shfl_up_sync(~0u, lane, 3, 16);\n"
    "    out[192 + threadIdx.x] = __ballot_sync(~0u, lane % 3 == 0);\n"
    "    if (lane < 10) {\n"
    "        out[256 + threadIdx.x] = __any_sync(0x3ff, lane == 9);\n"
    "        out[320 + threadIdx.x] = __shfl_sync(0x3ff, lane * lane, 9);\n"
    "    }\n"
    "}\n"
    "__global__ void counts(int *out)\n"
    "{\n"
    "    int t = threadIdx.x;\n"
    "    out[t] = __syncthreads_count(t % 5 == 0);\n"
    "    out[100 + t] = __syncthreads_and(t < 99) * 2 +\n"
    "                   __syncthreads_or(t == 7);\n"
    "}\n"
    "__global__ void lock(int *out, int *held)\n"
    "{\n"
    "    while (atomicCAS(held, 0, 1)) { }\n"
    "    int old = *(volatile int *)out;\n"
    "    *(volatile int *)out = old + 1;\n"
    "    __threadfence();\n"
    "    atomicExch(held, 0);\n"
    "}\n"
    "__device__ int deep(int n) { return n < 2 ? n : deep(n - 1) +\n"
    "                                                 deep(n - 2); }\n"
    "__global__ void fibonacci(int *out)\n"
    "{\n"
    "    out[threadIdx.x] = deep(threadIdx.x);\n"
    "}\n"
    "__global__ void shape(int *out)\n"
    "{\n"
    "    __shared__ int seen;\n"
    "    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y *\n"
    "                                        threadIdx.z);\n"
    "    if (!t) seen = 0;\n"
    "    __syncthreads();\n"
    "    atomicAdd(&seen, t);\n"
    "    __syncthreads();\n"
    "    int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y *\n"
    "                                      blockIdx.z);\n"
    "    if (!t) out[b] = seen + b;\n"
    "}\n"
    "__constant__ int table[4] = {1, 2, 3, 4};\n"
    "__device__ int counter = 5;\n"
    "__global__ void globals(int *out)\n"
    "{\n"
    "    out[threadIdx.x] = table[threadIdx.x] + counter;\n"
    "}\n"
    "}\n";

static CUdeviceptr device_out;
static int out[4096];

/* Runs a kernel whose first parameter is `out`, and copies 4096 ints back. */
static void
run(CUmodule module, const char *name, const unsigned grid[3],
    const unsigned block[3], unsigned shared, void *second)
{
    void *parameters[] = {&device_out, second};

    OK(cu.cuMemsetD8(device_out, 0, sizeof out));
    OK(cu.cuLaunchKernel(native_function(module, name), grid[0], grid[1],
                         grid[2], block[0], block[1], block[2], shared, NULL,
                         parameters, NULL));
    OK(cu.cuMemcpyDtoH(out, device_out, sizeof out));
}

static void
run_line(CUmodule module, const char *name, unsigned blocks, unsigned threads,
         unsigned shared, void *second)
{
    const unsigned grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};

    run(module, name, grid, block, shared, second);
}

static void
test_barriers(CUmodule module)
{
    static int in[256 * 40];
    CUdeviceptr device_in;
    int total = 0, n = 100;

    for (int i = 0; i < 256 * 40; i++) {
        in[i] = i % 97;
        total += in[i];
    }
    OK(cu.cuMemAlloc(&device_in, sizeof in));
    OK(cu.cuMemcpyHtoD(device_in, in, sizeof in));
    run_line(module, "reduce", 40, 256, 0, &device_in);
    CHECK(out[0] == total);
    OK(cu.cuMemFree(device_in));
    run_line(module, "early", 1, 128, 128 * sizeof(int), &n);
    CHECK(out[0] == 99 && out[99] == 0 && out[100] == 0);
    run_line(module, "counts", 1, 100, 0, NULL);
    CHECK(out[0] == 20 && out[99] == 20 && out[100] == 1 && out[199] == 1);
}

static void
test_warps(CUmodule module)
{
    run_line(module, "shuffles", 1, 64, 0, NULL);
    CHECK(out[0] == 496 && out[31] == 496 && out[32] == 1520);
    for (int t = 0; t < 64; t++) {
        int lane = t % 32, first = lane & ~15;
        CHECK(out[64 + t] == (lane ^ 5));
        CHECK(out[128 + t] == (lane - 3 >= first ? lane - 3 : lane));
        CHECK(out[192 + t] == 0x49249249);
        CHECK(out[256 + t] == (lane < 10));
        CHECK(out[320 + t] == (lane < 10 ? 81 : 0));
    }
}

static void
test_rest(CUmodule module)
{
    static const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
    const unsigned grid[3] = {3, 2, 2}, block[3] = {5, 7, 3};
    CUdeviceptr held, symbol;
    size_t bytes;
    int ten = 10;

    OK(cu.cuMemAlloc(&held, 4));
    OK(cu.cuMemsetD32(held, 0, 1));
    run_line(module, "lock", 4, 64, 0, &held);
    CHECK(out[0] == 256);
    OK(cu.cuMemFree(held));
    run_line(module, "fibonacci", 1, 10, 0, NULL);
    CHECK(!memcmp(out, fibonacci, sizeof fibonacci));
    run(module, "shape", grid, block, 0, NULL);
    for (int b = 0; b < 12; b++) {
        CHECK(out[b] == 105 * 104 / 2 + b);
    }
    run_line(module, "globals", 1, 4, 0, NULL);
    CHECK(out[0] == 6 && out[3] == 9);
    OK(cu.cuModuleGetGlobal(&symbol, &bytes, module, "counter"));
    CHECK(bytes == sizeof ten);
    OK(cu.cuMemcpyHtoD(symbol, &ten, sizeof ten));
    run_line(module, "globals", 1, 4, 0, NULL);
    CHECK(out[0] == 11 && out[3] == 14);
    EXPECT(CUDA_ERROR_NOT_FOUND,
           cu.cuModuleGetGlobal(&symbol, &bytes, module, "nothing"));
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);

    OK(cu.cuMemAlloc(&device_out, sizeof out));
    test_barriers(module);
    test_warps(module);
    test_rest(module);
    OK(cu.cuMemFree(device_out));
    OK(cu.cuModuleUnload(module));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("kernels");
}
