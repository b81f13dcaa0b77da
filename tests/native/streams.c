/* streams.c - ordering: streams, events, the default stream, host functions.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <unistd.h>

#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void wait(volatile int *flag)\n"
    "{\n"
    "    const long long start = clock64();\n"
    "    flag[1] = 1;\n"
    "    while (!*flag && clock64() - start < 20000000000LL) { }\n"
    "}\n"
    "__global__ void add(int *x, int y) { *x += y; }\n"
    "__global__ void twice(int *x) { *x *= 2; }\n"
    "__global__ void fill(int *x, int y)\n"
    "{ x[blockIdx.x * blockDim.x + threadIdx.x] = y; }\n"
    "}\n";

static CUfunction wait_kernel, add_kernel, twice_kernel, fill_kernel;
/* Pinned words: a kernel signals in the second one that it runs, and spins on
 * the first one, for a limited time. */
static int *flag;
static CUdeviceptr device_flag, x;

static void
add(int y, CUstream stream)
{
    void *parameters[] = {&x, &y};

    OK(native_launch(add_kernel, 1, 1, stream, parameters));
}

static void
twice(CUstream stream)
{
    void *parameters[] = {&x};

    OK(native_launch(twice_kernel, 1, 1, stream, parameters));
}

static void
hold(CUstream stream)
{
    void *parameters[] = {&device_flag};

    flag[0] = flag[1] = 0;
    OK(native_launch(wait_kernel, 1, 1, stream, parameters));
}

/* A driver may load a kernel at its first launch and wait for other work. */
static void
load_kernels(void)
{
    int y = 0;
    void *parameters[] = {&x, &y};

    hold(NULL);
    *(volatile int *)flag = 1;
    OK(cu.cuMemsetD32(x, 0, 1));
    add(0, NULL);
    twice(NULL);
    OK(native_launch(fill_kernel, 1, 1, NULL, parameters));
    OK(cu.cuCtxSynchronize());
}

/* The time is measured from the moment at which the device starts the work. */
static void
await_held(void)
{
    while (!((volatile int *)flag)[1]) {
        usleep(100);
    }
}

static int
value(void)
{
    int result = -1;

    OK(cu.cuMemcpyDtoH(&result, x, sizeof result));
    return result;
}

static void
test_order(CUstream one, CUstream two)
{
    CUevent event;

    OK(cu.cuEventCreate(&event, 0));
    /* An event that was never recorded is complete. */
    OK(cu.cuEventQuery(event));
    OK(cu.cuMemsetD32(x, 0, 1));
    OK(cu.cuCtxSynchronize());
    hold(one);
    add(3, one);
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(one));
    OK(cu.cuEventRecord(event, one));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuEventQuery(event));
    OK(cu.cuStreamWaitEvent(two, event, 0));
    twice(two);
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(two));
    *(volatile int *)flag = 1;
    OK(cu.cuStreamSynchronize(two));
    CHECK(value() == 6);
    OK(cu.cuEventSynchronize(event));
    OK(cu.cuEventDestroy(event));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuEventDestroy(event));
}

/* Default-stream work waits for blocking streams, and they wait for it. */
static void
test_default_stream(CUstream blocking, CUstream other)
{
    OK(cu.cuMemsetD32(x, 1, 1));
    OK(cu.cuCtxSynchronize());
    hold(blocking);
    add(4, blocking);
    twice(NULL);
    add(7, other);
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(NULL));
    *(volatile int *)flag = 1;
    CHECK(value() == 17);
}

static void
test_non_blocking(void)
{
    CUstream free_stream;

    OK(cu.cuStreamCreate(&free_stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuMemsetD32(x, 5, 1));
    OK(cu.cuCtxSynchronize());
    hold(free_stream);
    twice(NULL); /* does not wait for the stream */
    OK(cu.cuStreamSynchronize(NULL));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(free_stream));
    *(volatile int *)flag = 1;
    OK(cu.cuStreamSynchronize(free_stream));
    CHECK(value() == 10);
    OK(cu.cuStreamDestroy(free_stream));
}

static void CUDA_CB
count(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

static void
test_host_functions(CUstream stream)
{
    atomic_int calls = 0;

    hold(stream);
    OK(cu.cuLaunchHostFunc(stream, count, &calls));
    usleep(2000);
    CHECK(calls == 0);
    *(volatile int *)flag = 1;
    OK(cu.cuStreamSynchronize(stream));
    CHECK(calls == 1);
}

static void
test_time(CUstream stream)
{
    CUevent start, end, untimed;
    float ms = -1;

    OK(cu.cuEventCreate(&start, 0));
    OK(cu.cuEventCreate(&end, 0));
    OK(cu.cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cu.cuEventElapsedTime(&ms, start, end));
    OK(cu.cuEventRecord(start, stream));
    hold(stream);
    OK(cu.cuEventRecord(end, stream));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuEventElapsedTime(&ms, start, end));
    await_held();
    usleep(5000);
    *(volatile int *)flag = 1;
    OK(cu.cuEventSynchronize(end));
    OK(cu.cuEventElapsedTime(&ms, start, end));
    CHECK(ms >= 5 && ms < 5000);
    OK(cu.cuEventRecord(untimed, stream));
    OK(cu.cuEventSynchronize(untimed));
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuEventElapsedTime(&ms, start, untimed));
    OK(cu.cuEventDestroy(start));
    OK(cu.cuEventDestroy(end));
    OK(cu.cuEventDestroy(untimed));
}

/* Many operations in order over two streams and the default one. */
static void
test_many(CUstream one, CUstream two)
{
    enum { N = 1 << 16 };
    static int host[N];
    CUdeviceptr big;
    int wrong = 0, y = 0;
    void *parameters[] = {&big, &y};

    OK(cu.cuMemAlloc(&big, sizeof host));
    for (int i = 0; i < 300; i++) {
        y = i;
        OK(native_launch(fill_kernel, N / 256, 256,
                         i % 3 == 0   ? NULL
                         : i % 3 == 1 ? one
                                      : two,
                         parameters));
        if (i % 3) {
            OK(cu.cuStreamSynchronize(i % 3 == 1 ? one : two));
        }
    }
    OK(cu.cuMemcpyDtoH(host, big, sizeof host));
    for (int i = 0; i < N; i++) {
        wrong += host[i] != 299;
    }
    CHECK(wrong == 0);
    OK(cu.cuMemFree(big));
}

/* Functions for programs with per-thread default streams. */
static void
per_thread_default(void)
{
    CUresult (*get_id)(CUstream, unsigned long long *);
    CUdriverProcAddressQueryResult found;
    unsigned long long own = 0, legacy = 0, asked = 0;
    void *address = NULL;

    OK(cu.cuStreamGetId(CU_STREAM_PER_THREAD, &own));
    OK(cu.cuStreamGetId(NULL, &legacy));
    CHECK(own != legacy);
    OK(cu.cuGetProcAddress("cuStreamGetId", &address, 12000,
                           CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
                           &found));
    memcpy(&get_id, &address, sizeof get_id);
    OK(get_id(NULL, &asked));
    CHECK(asked == own);
    OK(get_id(CU_STREAM_LEGACY, &asked));
    CHECK(asked == legacy);
    OK(cu.cuStreamGetId(NULL, &asked));
    CHECK(asked == legacy);
}

int
main(int argc, char **argv)
{
    CUstream one, two;

    native_start(argc, argv);
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);
    wait_kernel = native_function(module, "wait");
    add_kernel = native_function(module, "add");
    twice_kernel = native_function(module, "twice");
    fill_kernel = native_function(module, "fill");
    OK(cu.cuMemHostAlloc((void **)&flag, 8, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cu.cuMemHostGetDevicePointer(&device_flag, flag, 0));
    OK(cu.cuMemAlloc(&x, 4));
    OK(cu.cuStreamCreate(&one, 0));
    OK(cu.cuStreamCreate(&two, 0));
    load_kernels();
    test_order(one, two);
    test_default_stream(one, two);
    test_non_blocking();
    test_host_functions(one);
    test_time(one);
    test_many(one, two);
    per_thread_default();
    OK(cu.cuStreamDestroy(one));
    OK(cu.cuStreamDestroy(two));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuStreamDestroy(two));
    OK(cu.cuMemFreeHost(flag));
    OK(cu.cuMemFree(x));
    OK(cu.cuModuleUnload(module));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("streams");
}
