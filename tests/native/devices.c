/* devices.c - several devices and contexts; objects freed with a context.
 *
 * The CPU library has two virtual devices here; with GPUs the second part
 * needs a second one.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

static const char source[] = "extern \"C\" {\n"
                             "__device__ int kept = 3;\n"
                             "__global__ void heap(int *out)\n"
                             "{\n"
                             "    int *p = (int *)malloc(64);\n"
                             "    p[threadIdx.x % 16] = 7;\n"
                             "    *out = p[threadIdx.x % 16];\n"
                             "    free(p);\n"
                             "}\n"
                             "}\n";

static void
test_peers(void)
{
    CUcontext one, two;
    CUdeviceptr a, b;
    int can = 0, value = 0;

    OK(cu.cuDeviceCanAccessPeer(&can, 0, 1));
    OK(cu.cuDeviceCanAccessPeer(&can, 0, 0));
    CHECK(can == 0);
    OK(cu.cuCtxCreate(&one, 0, 0));
    OK(cu.cuMemAlloc(&a, 4));
    OK(cu.cuMemsetD32(a, 42, 1));
    OK(cu.cuCtxCreate(&two, 0, 1));
    OK(cu.cuMemAlloc(&b, 4));
    OK(cu.cuMemcpyPeer(b, two, a, one, 4));
    OK(cu.cuMemcpyDtoH(&value, b, 4));
    CHECK(value == 42);
    OK(cu.cuCtxDestroy(two));
    OK(cu.cuMemFree(a)); /* `one` is current again */
    OK(cu.cuCtxDestroy(one));
}

static void
test_primary(void)
{
    CUcontext first, second, current;
    unsigned flags;
    int active;

    OK(cu.cuDevicePrimaryCtxRetain(&first, 0));
    OK(cu.cuDevicePrimaryCtxRetain(&second, 0));
    CHECK(first == second);
    OK(cu.cuCtxGetCurrent(&current));
    CHECK(current == NULL);
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 1);
    OK(cu.cuCtxPushCurrent(first));
    OK(cu.cuCtxPopCurrent(&current));
    CHECK(current == first);
    OK(cu.cuDevicePrimaryCtxRelease(0));
    OK(cu.cuDevicePrimaryCtxRelease(0));
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active == 0);
}

/* Destroying a context frees all objects in it. */
static void
test_end(const char *image)
{
    size_t free_before, free_after, total;
    CUcontext keep, ctx;
    CUevent event;
    CUstream stream;
    CUmodule module;
    CUdeviceptr p, symbol, out;
    size_t bytes;
    int value = 0;
    void *parameters[] = {&out};

    OK(cu.cuCtxCreate(&keep, 0, 0));
    OK(cu.cuMemGetInfo(&free_before, &total));
    OK(cu.cuCtxCreate(&ctx, 0, 0));
    OK(cu.cuEventCreate(&event, 0));
    OK(cu.cuStreamCreate(&stream, 0));
    OK(cu.cuModuleLoadData(&module, image));
    OK(cu.cuModuleGetGlobal(&symbol, &bytes, module, "kept"));
    OK(cu.cuMemcpyDtoH(&value, symbol, sizeof value));
    CHECK(value == 3 && bytes == sizeof value);
    OK(cu.cuMemAlloc(&out, 4));
    OK(native_launch(native_function(module, "heap"), 4, 64, stream,
                     parameters));
    OK(cu.cuEventRecord(event, stream));
    OK(cu.cuMemcpyDtoH(&value, out, sizeof value));
    CHECK(value == 7);
    OK(cu.cuMemAlloc(&p, 1000));
    OK(cu.cuMemAlloc(&p, 1000000));
    OK(cu.cuCtxDestroy(ctx));
    if (native_on_cpu) { /* a GPU's driver may have freed the handles */
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cu.cuEventQuery(event));
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamDestroy(stream));
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cu.cuModuleUnload(module));
        OK(cu.cuMemGetInfo(&free_after, &total));
        CHECK(free_after == free_before);
    }
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree(p));
    OK(cu.cuCtxDestroy(keep));
}

int
main(int argc, char **argv)
{
    int count = 0;

    setenv("PYCUDA_CPU_DEVICES", "2", 1);
    native_start(argc, argv);
    OK(cu.cuInit(0));
    OK(cu.cuDeviceGetCount(&count));
    char *image = native_compile(source, 0, NULL);
    test_primary();
    test_end(image);
    if (count > 1) {
        test_peers();
    }
    CHECK(!native_on_cpu || count == 2);
    free(image);
    return native_end("devices");
}
