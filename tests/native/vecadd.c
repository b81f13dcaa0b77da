/* vecadd.c - a vector addition without Python.
 *
 * The kernel is compiled from a string through NVRTC and launched through the
 * driver, and its result is checked.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

#define N 100000

static const char source[] =
    "extern \"C\" __global__ void add(float *c, const float *a,\n"
    "                               const float *b, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n) {\n"
    "        c[i] = a[i] + b[i];\n"
    "    }\n"
    "}\n";

static float a[N], b[N], c[N];

int
main(int argc, char **argv)
{
    CUdeviceptr da = 0, db = 0, dc = 0;
    int n = N, wrong = 0;
    void *parameters[] = {&dc, &da, &db, &n};

    native_start(argc, argv);
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);
    CUfunction add = native_function(module, "add");

    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i + 1);
    }
    OK(cu.cuMemAlloc(&da, sizeof a));
    OK(cu.cuMemAlloc(&db, sizeof b));
    OK(cu.cuMemAlloc(&dc, sizeof c));
    OK(cu.cuMemcpyHtoD(da, a, sizeof a));
    OK(cu.cuMemcpyHtoD(db, b, sizeof b));
    OK(native_launch(add, (N + 255) / 256, 256, NULL, parameters));
    OK(cu.cuMemcpyDtoH(c, dc, sizeof c));
    for (int i = 0; i < N; i++) {
        wrong += c[i] != a[i] + b[i];
    }
    CHECK(wrong == 0);

    /* Passes the arguments in packed form. */
    struct {
        CUdeviceptr c, a, b;
        int n;
    } packed = {dc, db, db, N};
    size_t bytes = 28;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cu.cuLaunchKernel(add, (N + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, NULL,
                         extra));
    OK(cu.cuMemcpyDtoH(c, dc, sizeof c));
    for (int i = 0; i < N; i++) {
        wrong += c[i] != 2 * b[i];
    }
    CHECK(wrong == 0);
    OK(cu.cuMemFree(da));
    OK(cu.cuMemFree(db));
    OK(cu.cuMemFree(dc));
    OK(cu.cuModuleUnload(module));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("vecadd");
}
