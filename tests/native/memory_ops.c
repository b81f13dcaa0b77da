/* memory_ops.c - streams that write words and wait for their values.
 *
 * Also priorities and attributes of streams.
 *
 * SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "native.h"

static CUdeviceptr words; /* eight 64-bit words, 0 */

static CUdeviceptr
word(int i)
{
    return words + 8u * (CUdeviceptr)i;
}

static unsigned long long
read_word(int i)
{
    unsigned long long result = 0;

    OK(cu.cuMemcpyDtoH(&result, word(i), sizeof result));
    return result;
}

static void
clear(void)
{
    OK(cu.cuMemsetD8(words, 0, 64));
    OK(cu.cuCtxSynchronize());
}

/* One stream waits for another one's write. */
static void
streams(CUstream one, CUstream two)
{
    clear();
    OK(cu.cuStreamWaitValue32(one, word(0), 5, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cu.cuStreamWriteValue64(one, word(1), 1ull << 40, 0));
    usleep(10000);
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(one));
    OK(cu.cuStreamWriteValue32(two, word(0), 4, 0));
    OK(cu.cuStreamSynchronize(two));
    usleep(10000);
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(one));
    OK(cu.cuStreamWriteValue32(two, word(0), 6, 0));
    OK(cu.cuStreamSynchronize(one));
    CHECK(read_word(1) == 1ull << 40);
}

/* Each comparison accepts the right values: the value is already there. */
static void
comparisons(CUstream stream)
{
    static const struct {
        unsigned flags, has, wanted;
    } rows[] = {
        {CU_STREAM_WAIT_VALUE_GEQ, 7, 7},
        {CU_STREAM_WAIT_VALUE_GEQ, 2, 0xFFFFFFF0u}, /* cyclic */
        {CU_STREAM_WAIT_VALUE_EQ, 9, 9},
        {CU_STREAM_WAIT_VALUE_AND, 6, 4},
        {CU_STREAM_WAIT_VALUE_NOR, 6, 0x10},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(cu.cuStreamWriteValue32(stream, word(2), rows[i].has, 0));
        OK(cu.cuStreamWaitValue32(stream, word(2), rows[i].wanted,
                                  rows[i].flags));
        OK(cu.cuStreamSynchronize(stream));
    }
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuStreamWaitValue32(stream, word(2) + 2, 0, 0));
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuStreamWriteValue32(stream, 8, 0, 0));
}

static CUstreamBatchMemOpParams
operation(CUstreamBatchMemOpType type, int i, unsigned long long value,
          unsigned flags)
{
    CUstreamBatchMemOpParams params = {0};

    params.writeValue.operation = type;
    params.writeValue.address = word(i);
    params.writeValue.value64 = value;
    params.writeValue.flags = flags;
    return params;
}

/* A batch of operations, also in a capture, and as a node. */
static void
batches(CUstream one, CUstream two, CUcontext ctx)
{
    CUstreamBatchMemOpParams list[] = {
        operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, 3, 3, 0),
        operation(CU_STREAM_MEM_OP_WAIT_VALUE_64, 4, 1,
                  CU_STREAM_WAIT_VALUE_EQ),
        operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, 5, 5, 0),
    };
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {
        .ctx = ctx, .count = 3, .paramArray = list};
    CUgraph graphs[2];
    CUgraphNode node;

    clear();
    OK(cu.cuStreamBatchMemOp(one, 3, list, 0));
    OK(cu.cuStreamWriteValue64(two, word(4), 1, 0));
    OK(cu.cuStreamSynchronize(one));
    CHECK(read_word(3) == 3 && read_word(5) == 5);
    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuStreamBatchMemOp(one, 3, list, 0));
    OK(cu.cuStreamEndCapture(one, &graphs[0]));
    OK(cu.cuGraphCreate(&graphs[1], 0));
    OK(cu.cuGraphAddBatchMemOpNode(&node, graphs[1], NULL, 0, &params));
    for (int i = 0; i < 2; i++) {
        CUgraphExec exec;

        clear();
        OK(cu.cuGraphInstantiateWithFlags(&exec, graphs[i], 0));
        OK(cu.cuGraphLaunch(exec, one));
        usleep(10000);
        EXPECT(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(one));
        OK(cu.cuStreamWriteValue64(two, word(4), 1, 0));
        OK(cu.cuStreamSynchronize(one));
        CHECK(read_word(5) == 5);
        OK(cu.cuGraphExecDestroy(exec));
        OK(cu.cuGraphDestroy(graphs[i]));
    }
}

/* ---- priorities ---- */

static const char source[] =
    "extern \"C\" __global__ void mark(int *next, int *at, int turns)\n"
    "{\n"
    "    volatile int x = 0;\n"
    "    for (int i = 0; i < turns; i++) x = x + i;\n"
    "    if (!threadIdx.x) at[blockIdx.x] = atomicAdd(next, 1);\n"
    "}\n";

/* Blocks of a high-priority kernel run before those of a kernel that was
 * launched earlier but has not yet received the processors. */
static void
priorities(void)
{
    enum { BLOCKS = 400, TURNS = 100000 };
    static int at[2 * BLOCKS];
    CUfunction mark = native_function(native_module(source), "mark");
    CUstream low, high;
    int least = 1, greatest = 1, told = 1, turns = TURNS, early = 0;
    CUdeviceptr next, slow, urgent;
    CUstreamAttrValue value = {0};

    OK(cu.cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least == 0 && greatest == -5);
    OK(cu.cuStreamCreateWithPriority(&low, CU_STREAM_NON_BLOCKING, 3));
    OK(cu.cuStreamGetPriority(low, &told));
    CHECK(told == 0);
    OK(cu.cuStreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, greatest));
    OK(cu.cuStreamGetAttribute(high, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    CHECK(value.priority == greatest);
    OK(cu.cuMemAlloc(&next, 4 + sizeof at));
    slow = next + 4;
    urgent = slow + 4 * BLOCKS;
    OK(cu.cuMemsetD8(next, 0, 4 + sizeof at));
    OK(cu.cuCtxSynchronize());
    void *first[] = {&next, &slow, &turns}, *then[] = {&next, &urgent, &turns};
    OK(native_launch(mark, BLOCKS, 32, low, first));
    OK(native_launch(mark, BLOCKS, 32, high, then));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuMemcpyDtoH(at, slow, sizeof at));
    for (int i = 0; i < BLOCKS; i++) {
        /* Blocks of the slow kernel that ran after the urgent one's. */
        early += at[i] >= BLOCKS;
    }
    CHECK(early > BLOCKS / 2 || !native_on_cpu);
    OK(cu.cuMemFree(next));
    OK(cu.cuStreamDestroy(low));
    OK(cu.cuStreamDestroy(high));
}

static void
attributes(CUstream one, CUstream two)
{
    CUstreamAttrValue policy = {.syncPolicy = CU_SYNC_POLICY_SPIN}, told;

    OK(cu.cuStreamGetAttribute(one, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                               &told));
    CHECK(!native_on_cpu || told.syncPolicy == CU_SYNC_POLICY_AUTO);
    OK(cu.cuStreamSetAttribute(one, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                               &policy));
    OK(cu.cuStreamCopyAttributes(two, one));
    OK(cu.cuStreamGetAttribute(two, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                               &told));
    CHECK(told.syncPolicy == CU_SYNC_POLICY_SPIN);
    EXPECT(
        CUDA_ERROR_INVALID_VALUE,
        cu.cuStreamGetAttribute(one, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &told));
}

int
main(int argc, char **argv)
{
    CUstream one, two;

    native_start(argc, argv);
    CUcontext ctx = native_context();
    OK(cu.cuStreamCreate(&one, CU_STREAM_NON_BLOCKING));
    OK(cu.cuStreamCreate(&two, CU_STREAM_NON_BLOCKING));
    OK(cu.cuMemAlloc(&words, 64));
    streams(one, two);
    comparisons(one);
    batches(one, two, ctx);
    priorities();
    attributes(one, two);
    OK(cu.cuCtxDestroy(ctx));
    return native_end("memory_ops");
}
