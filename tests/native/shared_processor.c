/* shared_processor.c - two concurrent kernels while all threads share a
 * processor.
 *
 * A worker that looks for work may be preempted while two kernels are queued;
 * then another worker has to be woken for the second kernel, on which the
 * first one may wait.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "native.h"

/* `add` takes too long for the launching thread to run it. */
static const char source[] =
    "extern \"C\" __global__ void wait(volatile int *flag)\n"
    "{\n"
    "    const long long start = clock64();\n"
    "    while (!*flag && clock64() - start < 20000000000LL) { }\n"
    "}\n"
    "extern \"C\" __global__ void add(volatile int *x)\n"
    "{ for (int i = 0; i < 100000; i++) { *x += 1; } }\n";

enum { ROUNDS = 50, STEPS = 100000, PATIENCE = 60 };

/* Workers inherit the CPU affinity of this thread. */
static void
share_a_processor(void)
{
    cpu_set_t all, one;
    int first = 0;

    CHECK(!sched_getaffinity(0, sizeof all, &all));
    while (!CPU_ISSET(first, &all)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one));
}

int
main(int argc, char **argv)
{
    CUstream held;
    CUdeviceptr device_flag, x;
    volatile int *flag;
    int value = -1, processors = 0;

    native_start(argc, argv);
    CUcontext ctx = native_context();
    OK(cu.cuDeviceGetAttribute(&processors,
                               CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    if (processors < 2) {
        return native_end("shared_processor"); /* one kernel at a time */
    }
    share_a_processor();
    CUmodule module = native_module(source);
    CUfunction wait = native_function(module, "wait");
    CUfunction add = native_function(module, "add");
    void *flag_parameter[] = {&device_flag}, *x_parameter[] = {&x};

    OK(cu.cuMemHostAlloc((void **)&flag, 4, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cu.cuMemHostGetDevicePointer(&device_flag, (void *)flag, 0));
    OK(cu.cuMemAlloc(&x, 4));
    OK(cu.cuMemsetD32(x, 0, 1));
    OK(cu.cuStreamCreate(&held, CU_STREAM_NON_BLOCKING));
    *flag = 1; /* a driver may load a kernel at its first launch */
    OK(native_launch(wait, 1, 1, held, flag_parameter));
    OK(cu.cuStreamSynchronize(held));
    alarm(PATIENCE);
    for (int i = 0; i < ROUNDS; i++) {
        *flag = 0;
        OK(native_launch(add, 1, 1, NULL, x_parameter));
        OK(cu.cuStreamSynchronize(NULL));
        OK(native_launch(wait, 1, 1, held, flag_parameter));
        OK(native_launch(add, 1, 1, NULL, x_parameter));
        OK(cu.cuStreamSynchronize(NULL));
        *flag = 1;
        OK(cu.cuStreamSynchronize(held));
    }
    OK(cu.cuMemcpyDtoH(&value, x, sizeof value));
    CHECK(value == 2 * STEPS * ROUNDS);
    OK(cu.cuCtxDestroy(ctx));
    return native_end("shared_processor");
}
