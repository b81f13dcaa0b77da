/* capture_devices.c - captures with streams of two devices.
 *
 * The CPU library has two virtual devices here; with GPUs a second one is
 * needed.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "native.h"

#define COUNT 64
#define BYTES (COUNT * sizeof(int))

static const char source[] =
    "extern \"C\" __global__ void add(int *x, int y)\n"
    "{ x[threadIdx.x] += y; }\n";

/* State of each device; a kernel runs only on the device of its module. */
static struct side {
    CUcontext ctx;
    CUstream stream;
    CUevent forked, joined, timed;
    CUfunction add;
    CUdeviceptr x;
} sides[2];

static int host[COUNT];
static atomic_int calls;

static void
count_call(void *argument)
{
    atomic_fetch_add(&calls, *(int *)argument);
}

static void
use(int i)
{
    OK(cu.cuCtxSetCurrent(sides[i].ctx));
}

static void
side_open(int i, const char *image)
{
    struct side *side = &sides[i];
    CUmodule module;

    OK(cu.cuCtxCreate(&side->ctx, 0, i));
    OK(cu.cuStreamCreate(&side->stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuEventCreate(&side->forked, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&side->joined, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&side->timed, 0));
    OK(cu.cuModuleLoadData(&module, image));
    side->add = native_function(module, "add");
    OK(cu.cuMemAlloc(&side->x, BYTES));
}

static CUresult
add(int i, int y)
{
    void *parameters[] = {&sides[i].x, &y};

    return native_launch(sides[i].add, 1, COUNT, sides[i].stream, parameters);
}

static int
value(int i)
{
    use(i);
    OK(cu.cuMemcpyDtoH(host, sides[i].x, BYTES));
    for (int j = 1; j < COUNT; j++) {
        CHECK(host[j] == host[0]);
    }
    return host[0];
}

/* The second device's stream joins the capture of the first one's. */
static void
fork_to_second(void)
{
    use(0);
    OK(cu.cuEventRecord(sides[0].forked, sides[0].stream));
    use(1);
    OK(cu.cuStreamWaitEvent(sides[1].stream, sides[0].forked, 0));
}

static void
join_first(void)
{
    use(1);
    OK(cu.cuEventRecord(sides[1].joined, sides[1].stream));
    use(0);
    OK(cu.cuStreamWaitEvent(sides[0].stream, sides[1].joined, 0));
}

/* Device 0: x = `start` + 1; device 1: its x = that + `y`; device 0: x is the
 * sum copied back, plus 100. Host and event nodes are on both devices. */
static CUgraph
captured(int start, int y)
{
    static int one = 1, ten = 10;
    CUstream first = sides[0].stream, second = sides[1].stream;
    CUgraph graph = NULL;

    use(0);
    OK(cu.cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cu.cuMemsetD32Async(sides[0].x, (unsigned)start, COUNT, first));
    OK(add(0, 1));
    OK(cu.cuLaunchHostFunc(first, count_call, &one));
    fork_to_second();
    OK(cu.cuMemsetD32Async(sides[1].x, 0, COUNT, second));
    OK(cu.cuMemcpyPeerAsync(sides[1].x, sides[1].ctx, sides[0].x, sides[0].ctx,
                            BYTES, second));
    OK(add(1, y));
    OK(cu.cuLaunchHostFunc(second, count_call, &ten));
    OK(cu.cuEventRecordWithFlags(sides[1].timed, second,
                                 CU_EVENT_RECORD_EXTERNAL));
    OK(cu.cuMemcpyPeerAsync(sides[0].x, sides[0].ctx, sides[1].x, sides[1].ctx,
                            BYTES, second));
    join_first();
    OK(add(0, 100));
    OK(cu.cuEventRecordWithFlags(sides[0].timed, first,
                                 CU_EVENT_RECORD_EXTERNAL));
    OK(cu.cuStreamEndCapture(first, &graph));
    return graph;
}

/* Number of kernel nodes of the graph that run in the device's context. */
static int
kernels_of(CUgraph graph, int i)
{
    CUgraphNode nodes[16];
    size_t count = 16;
    int found = 0;

    OK(cu.cuGraphGetNodes(graph, nodes, &count));
    CHECK(count == 11);
    for (size_t j = 0; j < count && j < 16; j++) {
        CUDA_KERNEL_NODE_PARAMS params;
        CUgraphNodeType type;

        OK(cu.cuGraphNodeGetType(nodes[j], &type));
        if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
            OK(cu.cuGraphKernelNodeGetParams(nodes[j], &params));
            found += params.func == sides[i].add;
        }
    }
    return found;
}

static void
launch_in(CUgraphExec exec, int i)
{
    use(i);
    OK(cu.cuGraphLaunch(exec, sides[i].stream));
    OK(cu.cuStreamSynchronize(sides[i].stream));
    for (int j = 0; j < 2; j++) {
        OK(cu.cuEventSynchronize(sides[j].timed));
    }
}

static void
test_nodes_of_both(void)
{
    CUgraph graph = captured(5, 20), other = captured(7, 30);
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec;

    CHECK(kernels_of(graph, 0) == 2 && kernels_of(graph, 1) == 1);
    CHECK(calls == 0);
    use(1);
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        launch_in(exec, i);
        CHECK(calls == 11 * (i + 1));
        CHECK(value(0) == 126 && value(1) == 26);
        OK(cu.cuMemsetD32(sides[i].x, 0, COUNT));
        OK(cu.cuCtxSynchronize());
    }
    OK(cu.cuGraphExecUpdate(exec, other, &info));
    launch_in(exec, 1);
    CHECK(value(0) == 138 && value(1) == 38);
    use(0); /* the stream belongs to a context that is not current */
    OK(cu.cuGraphLaunch(exec, sides[1].stream));
    OK(cu.cuStreamSynchronize(sides[1].stream));
    CHECK(value(0) == 138);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuGraphDestroy(other));
}

/* A graph of one kernel or fill, on either device. */
static CUgraphNode
single(int i, int kernel, CUgraph *graph)
{
    CUgraphNode node = NULL;
    size_t count = 1;

    use(i);
    OK(cu.cuStreamBeginCapture(sides[i].stream,
                               CU_STREAM_CAPTURE_MODE_RELAXED));
    if (kernel) {
        OK(add(i, 1));
    } else {
        OK(cu.cuMemsetD32Async(sides[i].x, 1, COUNT, sides[i].stream));
    }
    OK(cu.cuStreamEndCapture(sides[i].stream, graph));
    OK(cu.cuGraphGetNodes(*graph, &node, &count));
    return node;
}

/* Nodes keep their contexts when an executable graph is updated. */
static void
test_updates_keep_contexts(int kernel)
{
    CUgraphExecUpdateResultInfo info;
    CUgraph graph, other;
    CUgraphExec exec;
    CUgraphNode node = single(0, kernel, &graph);

    single(1, kernel, &other);
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
           cu.cuGraphExecUpdate(exec, other, &info));
    CHECK(info.result ==
          (kernel ? CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE
                  : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED));
    if (!kernel) {
        CUDA_MEMSET_NODE_PARAMS fill = {.dst = sides[1].x,
                                        .value = 9,
                                        .elementSize = 4,
                                        .width = COUNT,
                                        .height = 1};

        EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuGraphExecMemsetNodeSetParams(
                                             exec, node, &fill, sides[1].ctx));
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuGraphDestroy(other));
}

static void
begin_forked(void)
{
    use(0);
    OK(cu.cuStreamBeginCapture(sides[0].stream,
                               CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuMemsetD32Async(sides[0].x, 1, COUNT, sides[0].stream));
    fork_to_second();
}

static void
end_with(CUresult code)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CUgraph graph = NULL;

    use(0);
    EXPECT(code, cu.cuStreamEndCapture(sides[0].stream, &graph));
    CHECK(!code == !!graph);
    if (graph) {
        OK(cu.cuGraphDestroy(graph));
    }
    OK(cu.cuStreamIsCapturing(sides[1].stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
}

static void
test_errors(void)
{
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;
    CUstream blocking;

    begin_forked(); /* the second device has work that has not been joined */
    OK(cu.cuStreamIsCapturing(sides[1].stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(add(1, 1));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED,
           cu.cuStreamEndCapture(sides[1].stream, &graph));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    begin_forked();
    OK(add(1, 1));
    end_with(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);

    begin_forked(); /* waits for all work of the second device */
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu.cuCtxSynchronize());
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    begin_forked(); /* the first device's event cannot be recorded there */
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuEventRecord(sides[0].joined, sides[1].stream));
    join_first();
    end_with(CUDA_SUCCESS);

    begin_forked(); /* two captures remain separate */
    OK(cu.cuStreamCreate(&blocking, CU_STREAM_DEFAULT));
    OK(cu.cuStreamBeginCapture(blocking, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_MERGE,
           cu.cuStreamWaitEvent(blocking, sides[0].forked, 0));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(blocking, &graph));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    /* The second device's legacy stream, and streams that wait for it. */
    begin_forked();
    OK(cu.cuMemsetD32(sides[1].x, 3, COUNT));
    OK(cu.cuStreamWaitEvent(blocking, sides[0].forked, 0));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
           cu.cuMemsetD32(sides[1].x, 3, COUNT));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    use(1);
    OK(cu.cuStreamDestroy(blocking));
}

/* Streams and contexts that are destroyed while they take part. */
static void
test_ends(void)
{
    CUgraphExec exec;
    CUcontext ctx;
    CUstream stream;
    CUdeviceptr x;
    CUevent joined;
    CUgraph graph = NULL;

    begin_forked(); /* a stream that does not join the capture */
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuStreamWaitEvent(stream, sides[0].forked, 0));
    OK(cu.cuMemsetD32Async(sides[1].x, 3, COUNT, stream));
    OK(cu.cuStreamDestroy(stream));
    end_with(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    /* A context that is destroyed after its stream has joined. */
    begin_forked();
    OK(cu.cuCtxCreate(&ctx, 0, 1));
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuMemAlloc(&x, BYTES));
    OK(cu.cuStreamWaitEvent(stream, sides[0].forked, 0));
    OK(cu.cuMemsetD32Async(x, 3, COUNT, stream));
    OK(cu.cuEventRecord(joined, stream));
    use(0);
    OK(cu.cuStreamWaitEvent(sides[0].stream, joined, 0));
    OK(cu.cuStreamEndCapture(sides[0].stream, &graph));
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuCtxDestroy(ctx));
    EXPECT_REFUSED(CUDA_ERROR_INVALID_CONTEXT,
                   cu.cuGraphLaunch(exec, sides[0].stream));
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

/* Copies, fills and events work in streams of a context that is not current;
 * kernels do not. */
static void
test_stream_of_another_context(void)
{
    use(0);
    OK(cu.cuMemsetD32Async(sides[1].x, 4, COUNT, sides[1].stream));
    OK(cu.cuMemcpyDtoHAsync(host, sides[1].x, BYTES, sides[1].stream));
    OK(cu.cuEventRecord(sides[1].joined, sides[1].stream));
    OK(cu.cuEventRecord(sides[0].joined, sides[0].stream));
    OK(cu.cuStreamWaitEvent(sides[1].stream, sides[0].joined, 0));
    OK(cu.cuStreamSynchronize(sides[1].stream));
    CHECK(host[0] == 4 && host[COUNT - 1] == 4);
    EXPECT(CUDA_ERROR_INVALID_HANDLE,
           cu.cuEventRecord(sides[0].joined, sides[1].stream));
    use(1);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_HANDLE, add(0, 1));
}

int
main(int argc, char **argv)
{
    int count = 0;

    setenv("PYCUDA_CPU_DEVICES", "2", 1);
    native_start(argc, argv);
    OK(cu.cuInit(0));
    OK(cu.cuDeviceGetCount(&count));
    CHECK(!native_on_cpu || count == 2);
    if (count < 2) {
        return native_end("capture_devices");
    }
    char *image = native_compile(source, 0, NULL);
    side_open(0, image);
    side_open(1, image);
    free(image);
    test_nodes_of_both();
    test_updates_keep_contexts(0);
    test_updates_keep_contexts(1);
    test_errors();
    test_ends();
    test_stream_of_another_context();
    return native_end("capture_devices");
}
