/* faults.c - errors: bad arguments, bad handles, bad kernels.
 *
 * No call may crash; each returns CUDA's error code. A kernel that fails makes
 * its context unusable and leaves other contexts untouched.
 *
 * SPDX-License-Identifier: MIT */
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void store(int *p) { *p = 1; }\n"
    "__global__ void trap() { __trap(); }\n"
    "__global__ void check(int n) { assert(threadIdx.x < n); }\n"
    "__device__ int deep(int n, volatile int *p)\n"
    "{ int a[64]; a[n % 64] = n; *p = n;\n"
    "  return n < 0 ? 0 : deep(n + 1, p) + a[n % 7]; }\n"
    "__global__ void overflow(int *p) { *p = deep(0, p); }\n"
    "__global__ void late(int *p)\n"
    "{ __syncthreads(); if (threadIdx.x == 40) *p = 1; __syncthreads(); }\n"
    "__global__ void stuck(int *p)\n"
    "{ if (threadIdx.x % 32 < 16) *p = __shfl_sync(~0u, 1, 20);\n"
    "  else __syncthreads(); }\n"
    "__global__ void active(unsigned *p)\n"
    "{ if (threadIdx.x % 32 > 20) p[threadIdx.x] = __activemask(); }\n"
    "__global__ void empty() { }\n"
    "}\n";

/* Runs one kernel in a new context; returns the result of synchronizing. */
static CUresult
run_alone(const char *image, const char *name, void **parameters)
{
    CUcontext ctx;
    CUmodule module;
    CUfunction function;
    CUdeviceptr unused;

    OK(cu.cuCtxCreate(&ctx, 0, 0));
    OK(cu.cuModuleLoadData(&module, image));
    OK(cu.cuModuleGetFunction(&function, module, name));
    OK(native_launch(function, 3, 64, NULL, parameters));
    CUresult code = cu.cuCtxSynchronize();
    if (code) { /* the error is permanent */
        EXPECT(code, cu.cuMemAlloc(&unused, 4));
        EXPECT(code, cu.cuCtxSynchronize());
        EXPECT(code, native_launch(function, 1, 1, NULL, parameters));
    }
    OK(cu.cuCtxDestroy(ctx));
    return code;
}

static void
test_kernels(const char *image)
{
    CUdeviceptr null = 0, wild = 16;
    int ten = 10;
    void *at_null[] = {&null}, *at_wild[] = {&wild}, *n[] = {&ten};

    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_alone(image, "store", at_null));
    EXPECT(CUDA_SUCCESS, run_alone(image, "empty", NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_alone(image, "store", at_wild));
    EXPECT(CUDA_ERROR_ASSERT, run_alone(image, "check", n));
    CUresult code = run_alone(image, "trap", NULL);
    CHECK(code == CUDA_ERROR_LAUNCH_FAILED ||
          code == CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

/* On fibers: a fault after a barrier, lanes that wait for each other forever
 * (a GPU hangs), lanes that query the active mask. */
static void
test_fibers(const char *image)
{
    CUdeviceptr null = 0, p;
    unsigned got[64] = {0};
    void *at_null[] = {&null}, *at_p[] = {&p};
    CUmodule module;

    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, run_alone(image, "late", at_null));
    OK(cu.cuMemAlloc(&p, sizeof got));
    if (native_on_cpu) {
        EXPECT(CUDA_ERROR_LAUNCH_FAILED, run_alone(image, "stuck", at_p));
    }
    OK(cu.cuModuleLoadData(&module, image));
    OK(cu.cuMemsetD8(p, 0, sizeof got));
    OK(native_launch(native_function(module, "active"), 1, 64, NULL, at_p));
    OK(cu.cuMemcpyDtoH(got, p, sizeof got));
    CHECK(got[20] == 0 && got[21] == 0xffe00000 && got[63] == 0xffe00000);
    OK(cu.cuModuleUnload(module));
    OK(cu.cuMemFree(p));
}

static void
test_recursion(const char *image)
{
    CUcontext ctx;
    CUmodule module;
    CUfunction function;
    CUdeviceptr p;
    void *parameters[] = {&p};

    OK(cu.cuCtxCreate(&ctx, 0, 0));
    OK(cu.cuMemAlloc(&p, 4));
    OK(cu.cuModuleLoadData(&module, image));
    OK(cu.cuModuleGetFunction(&function, module, "overflow"));
    OK(native_launch(function, 1, 1, NULL, parameters));
    CHECK(cu.cuCtxSynchronize() != CUDA_SUCCESS);
    OK(cu.cuCtxDestroy(ctx));
}

static void
test_launches(const char *image)
{
    CUmodule module;
    CUfunction f;
    CUdeviceptr p = 0;
    void *parameters[] = {&p};

    OK(cu.cuModuleLoadData(&module, image));
    OK(cu.cuModuleGetFunction(&f, module, "empty"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, native_launch(f, 1, 1025, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, native_launch(f, 0, 1, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, native_launch(f, 1, 0, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuLaunchKernel(f, 1, 65536, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, NULL, NULL, NULL));
    OK(cu.cuFuncSetAttribute(
        f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    OK(cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, NULL, NULL, NULL));
    OK(cu.cuModuleGetFunction(&f, module, "store"));
    (void)parameters;
    OK(cu.cuCtxSynchronize());
    EXPECT(CUDA_ERROR_NOT_FOUND, cu.cuModuleGetFunction(&f, module, "none"));
    OK(cu.cuModuleUnload(module));
}

static void
test_memory(void)
{
    CUdeviceptr p, base;
    size_t bytes;
    char host[64];

    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemAlloc(&p, 0));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cu.cuMemAlloc(&p, (size_t)1 << 50));
    OK(cu.cuMemAlloc(&p, 1000));
    CHECK(p % 256 == 0);
    OK(cu.cuMemGetAddressRange(&base, &bytes, p + 10));
    CHECK(base == p && bytes == 1000);
    OK(cu.cuMemcpyHtoD(p, host, sizeof host));
    if (native_on_cpu) { /* a GPU checks whole pages */
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               cu.cuMemcpyHtoD(p + 990, host, sizeof host));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD8(p + 999, 0, 2));
    }
    OK(cu.cuMemFree(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyDtoH(host, 0x1000, 4));
}

static void
test_images(void)
{
    static const char ptx[] = ".version 8.0\n.target sm_50\n.address_size 64\n"
                              ".visible .entry k()\n{\n    nonsense;\n}\n";
    static unsigned char cubin[64] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUmodule module;

    CHECK(cu.cuModuleLoadData(&module, "no image") != CUDA_SUCCESS);
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND, cu.cuModuleLoad(&module, "/no/file"));
    if (!native_on_cpu) {
        return;
    }
    EXPECT(CUDA_ERROR_INVALID_IMAGE, cu.cuModuleLoadData(&module, "no image"));
    EXPECT(CUDA_ERROR_INVALID_PTX,
           cu.cuModuleLoadDataEx(&module, ptx, 2, options, values));
    CHECK(strstr(log, "ptx:6: error: ") != NULL);
    cubin[18] = 190;
    EXPECT(CUDA_ERROR_NO_BINARY_FOR_GPU, cu.cuModuleLoadData(&module, cubin));
}

/* Handles that are invalid or destroyed. */
static void
test_handles(void)
{
    char garbage[256];
    int value;
    CUfunction f;

    memset(garbage, 0x5a, sizeof garbage);
    if (!native_on_cpu) { /* a GPU's driver may dereference them */
        return;
    }
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuStreamSynchronize((CUstream)(void *)garbage));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cu.cuEventQuery((CUevent)0x1234567));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuModuleGetFunction(&f, (CUmodule)(void *)garbage, "f"));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS,
                                 (CUfunction)(void *)garbage));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT,
           cu.cuCtxPushCurrent((CUcontext)(void *)garbage));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuLaunchKernel((CUfunction)(void *)garbage, 1, 1, 1, 1, 1, 1, 0,
                             NULL, NULL, NULL));
}

/* Calls in a child of fork() return an error and do not hang. */
static void
test_fork(void)
{
    pid_t child = fork();
    int status = 0;

    if (!child) {
        CUdeviceptr p;
        int bad = cu.cuMemAlloc(&p, 4) != CUDA_ERROR_NOT_INITIALIZED ||
                  cu.cuInit(0) != CUDA_ERROR_NOT_INITIALIZED ||
                  cu.cuCtxSynchronize() != CUDA_ERROR_NOT_INITIALIZED;
        _exit(bad);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int
main(int argc, char **argv)
{
    CUcontext ctx, popped;
    CUdeviceptr p;

    native_start(argc, argv);
    EXPECT(CUDA_ERROR_NOT_INITIALIZED, cu.cuMemAlloc(&p, 4));
    OK(cu.cuInit(0));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cu.cuMemAlloc(&p, 4));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxPopCurrent(&popped));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cu.cuCtxCreate(&ctx, 0, 99));
    ctx = native_context();
    char *image = native_compile(source, 0, NULL);
    test_kernels(image);
    test_fibers(image);
    test_recursion(image);
    test_launches(image);
    test_memory();
    test_images();
    test_handles();
    OK(cu.cuCtxDestroy(ctx));
    EXPECT(CUDA_ERROR_INVALID_CONTEXT, cu.cuMemAlloc(&p, 4));
    test_fork();
    free(image);
    return native_end("faults");
}
