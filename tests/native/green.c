/* green.c - multiprocessors as resources, green contexts, context events.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <time.h>

#include "native.h"

#define COUNT 64
#define BYTES (COUNT * sizeof(int))

static const char source[] =
    "extern \"C\" __global__ void fill(int *x, int y)\n"
    "{ x[threadIdx.x] = y; }\n";

static CUcontext primary;
static CUdevResource whole;
static atomic_int gate; /* host functions wait for the gate */

static void
wait_gate(void *unused)
{
    (void)unused;
    while (!atomic_load(&gate)) {
        struct timespec pause = {0, 100000};

        nanosleep(&pause, NULL);
    }
}

static CUgreenCtx
green_of(CUdevResource *resources, unsigned count)
{
    CUdevResourceDesc desc;
    CUgreenCtx green = NULL;

    OK(cu.cuDevResourceGenerateDesc(&desc, resources, count));
    OK(cu.cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    return green;
}

/* Groups have equal sizes; with the remainder they are all multiprocessors. */
static void
test_splits(void)
{
    CUdevResource groups[64], left;
    unsigned least = whole.sm.minSmPartitionSize, all = whole.sm.smCount;
    unsigned count = 64, possible = 0;

    CHECK(whole.type == CU_DEV_RESOURCE_TYPE_SM && all > 0 && least > 0);
    OK(cu.cuDevSmResourceSplitByCount(NULL, &possible, &whole, NULL, 0,
                                      least));
    CHECK(possible > 0 && possible <= all / least);
    OK(cu.cuDevSmResourceSplitByCount(groups, &count, &whole, &left, 0,
                                      least));
    CHECK(count == (possible < 64 ? possible : 64));
    unsigned sum = left.type == CU_DEV_RESOURCE_TYPE_SM ? left.sm.smCount : 0;
    for (unsigned i = 0; i < count; i++) {
        CHECK(groups[i].sm.smCount >= least);
        CHECK(groups[i].sm.smCount == groups[0].sm.smCount);
        sum += groups[i].sm.smCount;
    }
    CHECK(sum == all);
    count = 1; /* one group: the others are the remainder */
    OK(cu.cuDevSmResourceSplitByCount(groups, &count, &whole, &left, 0, 0));
    CHECK(count == 1 && groups[0].sm.smCount < all + 1);
    CHECK((left.type == CU_DEV_RESOURCE_TYPE_SM) ==
          (groups[0].sm.smCount < all));
    EXPECT(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
           cu.cuDevSmResourceSplitByCount(groups, &count, &whole, &left, 0,
                                          all + 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuDevSmResourceSplitByCount(groups, &count, &whole, &left, 3,
                                          least));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuDevSmResourceSplitByCount(groups, NULL, &whole, &left, 0, 1));
    EXPECT(CUDA_ERROR_INVALID_RESOURCE_TYPE,
           cu.cuDeviceGetDevResource(0, &left, 77));
    EXPECT(CUDA_ERROR_INVALID_DEVICE,
           cu.cuDeviceGetDevResource(99, &left, CU_DEV_RESOURCE_TYPE_SM));
    EXPECT(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
           cu.cuDevSmResourceSplitByCount(groups + 1, &count, groups, &left, 0,
                                          1));
    if (left.type == CU_DEV_RESOURCE_TYPE_SM) {
        EXPECT(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION,
               cu.cuDevSmResourceSplitByCount(groups + 1, &count, &left, NULL,
                                              0, 1));
    }
}

/* A descriptor's resources are usually different parts of one split, but the
 * driver does not require it. */
static void
test_descriptors(void)
{
    CUdevResource parts[2], left, empty = {0};
    CUdevResourceDesc desc;
    CUgreenCtx green;
    unsigned count = 1;

    EXPECT(CUDA_ERROR_INVALID_RESOURCE_TYPE,
           cu.cuDevResourceGenerateDesc(&desc, &empty, 1));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuDevResourceGenerateDesc(&desc, NULL, 1));
    OK(cu.cuDevSmResourceSplitByCount(parts, &count, &whole, &left, 0, 0));
    parts[1] = parts[0];
    OK(cu.cuDevResourceGenerateDesc(&desc, parts, 2));
    OK(cu.cuDevResourceGenerateDesc(&desc, parts, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuGreenCtxCreate(&green, desc, 0, 0));
    if (left.type == CU_DEV_RESOURCE_TYPE_SM) {
        parts[1] = left;
        green = green_of(parts, 2);
        OK(cu.cuGreenCtxGetDevResource(green, &left, CU_DEV_RESOURCE_TYPE_SM));
        CHECK(left.sm.smCount == whole.sm.smCount);
        OK(cu.cuGreenCtxDestroy(green));
    }
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE,
                 cu.cuGreenCtxCreate(&green, (CUdevResourceDesc)primary, 0,
                                     CU_GREEN_CTX_DEFAULT_STREAM));
}

/* A green context is the primary context with other resources. */
static void
test_contexts(CUgreenCtx green, CUfunction fill, CUdeviceptr x)
{
    CUcontext context, current, of;
    CUgreenCtx found;
    CUstream own, made;
    CUdevice device = -1;
    CUdevResource part;
    int y = 7, host[COUNT] = {0};
    unsigned long long id = 0, other = 0;
    void *parameters[] = {&x, &y};

    OK(cu.cuCtxFromGreenCtx(&context, green));
    CHECK(context != primary);
    OK(cu.cuStreamGetGreenCtx(NULL, &found));
    CHECK(!found);
    OK(cu.cuCtxPushCurrent(context));
    OK(cu.cuCtxGetCurrent(&current));
    CHECK(current == context);
    OK(cu.cuCtxGetDevice(&device));
    CHECK(device == 0);
    OK(cu.cuCtxGetDevResource(context, &part, CU_DEV_RESOURCE_TYPE_SM));
    CHECK(part.sm.smCount == whole.sm.minSmPartitionSize);
    OK(cu.cuStreamGetGreenCtx(NULL, &found));
    CHECK(found == green);
    OK(cu.cuGreenCtxGetId(green, &id));
    OK(cu.cuGreenCtxGetId(NULL, &other));
    CHECK(id && id == other);
    OK(cu.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
    OK(cu.cuCtxPopCurrent(&current));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGreenCtxStreamCreate(&own, green, CU_STREAM_DEFAULT, 0));
    OK(cu.cuGreenCtxStreamCreate(&own, green, CU_STREAM_NON_BLOCKING, 0));
    for (int i = 0; i < 2; i++) {
        CUstream stream = i ? made : own;

        OK(cu.cuStreamGetGreenCtx(stream, &found));
        CHECK(found == green);
        OK(cu.cuStreamGetCtx(stream, &of));
        CHECK(of == context);
        y = 7 + i; /* a kernel of the primary context */
        OK(native_launch(fill, 1, COUNT, stream, parameters));
        OK(cu.cuMemcpyDtoHAsync(host, x, BYTES, stream));
        OK(cu.cuStreamSynchronize(stream));
        CHECK(host[0] == 7 + i && host[COUNT - 1] == 7 + i);
    }
    OK(cu.cuStreamDestroy(made));
    OK(cu.cuStreamDestroy(own));
}

static void
stream_pair(CUgreenCtx green, CUstream pair[2])
{
    OK(cu.cuGreenCtxStreamCreate(&pair[0], green, CU_STREAM_NON_BLOCKING, 0));
    OK(cu.cuStreamCreate(&pair[1], CU_STREAM_NON_BLOCKING));
}

/* An event of a green context waits for its streams, one of the primary
 * context for all streams. */
static void
test_record(CUgreenCtx green)
{
    CUevent part, all;
    CUstream pair[2];

    stream_pair(green, pair);
    OK(cu.cuEventCreate(&part, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&all, CU_EVENT_DISABLE_TIMING));
    gate = 0;
    OK(cu.cuLaunchHostFunc(pair[1], wait_gate, NULL));
    OK(cu.cuGreenCtxRecordEvent(green, part));
    OK(cu.cuCtxRecordEvent(primary, all));
    OK(cu.cuEventSynchronize(part));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuEventQuery(all));
    gate = 1;
    OK(cu.cuEventSynchronize(all));
    gate = 0;
    OK(cu.cuLaunchHostFunc(pair[0], wait_gate, NULL));
    OK(cu.cuGreenCtxRecordEvent(green, part));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuEventQuery(part));
    gate = 1;
    OK(cu.cuEventSynchronize(part));
    for (int i = 0; i < 2; i++) {
        OK(cu.cuStreamDestroy(pair[i]));
    }
    OK(cu.cuEventDestroy(part));
    OK(cu.cuEventDestroy(all));
}

/* Work that is added to the stream now does not start. */
static void
check_held(CUstream stream, CUdeviceptr x)
{
    struct timespec pause = {0, 5000000};

    OK(cu.cuMemsetD8Async(x, 1, 1, stream));
    nanosleep(&pause, NULL);
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(stream));
}

/* Waiting streams: all of the green context, also those created later. */
static void
test_wait(CUgreenCtx green, CUdeviceptr x)
{
    CUstream pair[2], later;
    CUevent event;

    stream_pair(green, pair);
    OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    gate = 0;
    OK(cu.cuLaunchHostFunc(pair[1], wait_gate, NULL));
    OK(cu.cuEventRecord(event, pair[1]));
    OK(cu.cuGreenCtxWaitEvent(green, event));
    OK(cu.cuGreenCtxStreamCreate(&later, green, CU_STREAM_NON_BLOCKING, 0));
    check_held(pair[0], x);
    check_held(later, x + 1); /* nothing orders the two streams */
    gate = 1;
    OK(cu.cuStreamSynchronize(pair[0]));
    OK(cu.cuStreamSynchronize(later));
    gate = 0;
    OK(cu.cuLaunchHostFunc(pair[0], wait_gate, NULL));
    OK(cu.cuEventRecord(event, pair[0]));
    OK(cu.cuCtxWaitEvent(primary, event));
    check_held(pair[1], x);
    gate = 1;
    OK(cu.cuStreamSynchronize(pair[1]));
    OK(cu.cuStreamDestroy(later));
    for (int i = 0; i < 2; i++) {
        OK(cu.cuStreamDestroy(pair[i]));
    }
    OK(cu.cuEventDestroy(event));
}

static void
test_captures(CUgreenCtx green)
{
    CUgraph graph = NULL;
    CUstream pair[2];
    CUevent event;

    stream_pair(green, pair);
    OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuStreamBeginCapture(pair[1], CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuGreenCtxRecordEvent(green, event)); /* none of its streams wait */
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           cu.cuCtxRecordEvent(primary, event));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(pair[1], &graph));
    OK(cu.cuStreamBeginCapture(pair[0], CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           cu.cuGreenCtxWaitEvent(green, event));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(pair[0], &graph));
    OK(cu.cuStreamBeginCapture(pair[1], CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuEventRecord(event, pair[1]));
    EXPECT(CUDA_ERROR_CAPTURED_EVENT, cu.cuGreenCtxWaitEvent(green, event));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(pair[1], &graph));
    for (int i = 0; i < 2; i++) {
        OK(cu.cuStreamDestroy(pair[i]));
    }
    OK(cu.cuEventDestroy(event));
}

/* Its streams and its context are destroyed with it; the primary one is not.
 * */
static void
test_end(CUgreenCtx green)
{
    CUcontext context;
    CUstream stream;
    int active = 0;
    unsigned flags;

    OK(cu.cuCtxFromGreenCtx(&context, green));
    OK(cu.cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    OK(cu.cuGreenCtxDestroy(green));
    EXPECT_STALE(CUDA_ERROR_CONTEXT_IS_DESTROYED,
                 cu.cuStreamSynchronize(stream));
    EXPECT_STALE(CUDA_ERROR_CONTEXT_IS_DESTROYED, cu.cuStreamDestroy(stream));
    EXPECT_STALE(CUDA_ERROR_INVALID_CONTEXT, cu.cuCtxPushCurrent(context));
    EXPECT_STALE(CUDA_ERROR_INVALID_CONTEXT, cu.cuGreenCtxDestroy(green));
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active);
}

int
main(int argc, char **argv)
{
    CUdevResource group;
    CUdeviceptr x;
    unsigned one = 1;
    int active = 1;
    unsigned flags;

    native_start(argc, argv);
    OK(cu.cuInit(0));
    OK(cu.cuDevicePrimaryCtxRetain(&primary, 0));
    OK(cu.cuCtxSetCurrent(primary));
    OK(cu.cuDeviceGetDevResource(0, &whole, CU_DEV_RESOURCE_TYPE_SM));
    CUfunction fill = native_function(native_module(source), "fill");
    OK(cu.cuMemAlloc(&x, BYTES));
    test_splits();
    test_descriptors();
    OK(cu.cuDevSmResourceSplitByCount(&group, &one, &whole, NULL, 0, 0));
    CUgreenCtx green = green_of(&group, 1), stored = green_of(&group, 1);
    test_contexts(green, fill, x);
    test_record(green);
    test_wait(green, x);
    test_captures(green);
    test_end(green);
    OK(cu.cuMemFree(x));
    OK(cu.cuDevicePrimaryCtxRelease(0)); /* `stored` still holds a reference */
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(active);
    OK(cu.cuGreenCtxDestroy(stored));
    OK(cu.cuDevicePrimaryCtxGetState(0, &flags, &active));
    CHECK(!active);
    return native_end("green");
}
