/* graphs.c - graphs built from nodes and by capture; launches, updates,
 * errors.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>

#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void add(int *x, int y) { *x += y; }\n"
    "__global__ void twice(int *x) { *x *= 2; }\n"
    "__global__ void sum(int *to, const int *a, const int *b)\n"
    "{ *to = *a + *b; }\n"
    "}\n";

static CUfunction add_kernel, twice_kernel, sum_kernel;
static CUdeviceptr x; /* eight ints */

static CUdeviceptr
place(int i)
{
    return x + (CUdeviceptr)i * sizeof(int);
}

static int
value(int i)
{
    return native_read_int(place(i));
}

static void
put(int i, int wanted)
{
    native_write_int(place(i), wanted);
}

static CUresult
add(int i, int y, CUstream stream)
{
    CUdeviceptr at = place(i);
    void *parameters[] = {&at, &y};

    return native_launch(add_kernel, 1, 1, stream, parameters);
}

static CUresult
twice(int i, CUstream stream)
{
    CUdeviceptr at = place(i);
    void *parameters[] = {&at};

    return native_launch(twice_kernel, 1, 1, stream, parameters);
}

static CUresult
sum(int to, int a, int b, CUstream stream)
{
    CUdeviceptr at = place(to), one = place(a), two = place(b);
    void *parameters[] = {&at, &one, &two};

    return native_launch(sum_kernel, 1, 1, stream, parameters);
}

static CUgraph
captured(CUstream stream, int y)
{
    CUgraph graph = NULL;

    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, y, stream));
    OK(twice(0, stream));
    OK(cu.cuStreamEndCapture(stream, &graph));
    return graph;
}

static CUgraphExec
ready(CUgraph graph)
{
    CUgraphExec exec = NULL;

    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static void
run(CUgraphExec exec, CUstream stream)
{
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuStreamSynchronize(stream));
}

/* Capturing runs nothing; each launch runs all nodes in order. */
static void
test_capture(CUstream stream)
{
    CUstreamCaptureStatus status;
    size_t nodes = 0, edges = 0;

    put(0, 1);
    CUgraph graph = captured(stream, 3);
    CHECK(value(0) == 1);
    OK(cu.cuStreamIsCapturing(stream, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cu.cuGraphGetNodes(graph, NULL, &nodes));
    OK(cu.cuGraphGetEdges(graph, NULL, NULL, &edges));
    CHECK(nodes == 2 && edges == 1);
    CUgraphExec exec = ready(graph);
    run(exec, stream);
    CHECK(value(0) == 8);
    OK(cu.cuGraphDestroy(graph)); /* the executable graph remains */
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuStreamSynchronize(stream));
    CHECK(value(0) == ((8 + 3) * 2 + 3) * 2);
    OK(cu.cuGraphExecDestroy(exec));
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE, cu.cuGraphExecDestroy(exec));
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE, cu.cuGraphDestroy(graph));
}

/* Events fork the capture to another stream and join it back. */
static void
test_fork(CUstream one, CUstream two)
{
    CUgraph graph = NULL;
    CUevent forked, joined;
    size_t nodes = 0, edges = 0, roots = 0;

    OK(cu.cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuMemsetD32(x, 0, 8));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, 5, one));
    OK(cu.cuEventRecord(forked, one));
    OK(cu.cuStreamWaitEvent(two, forked, 0));
    OK(sum(1, 0, 0, one));
    OK(sum(2, 0, 0, two));
    OK(twice(2, two));
    OK(cu.cuEventRecord(joined, two));
    OK(cu.cuStreamWaitEvent(one, joined, 0));
    OK(sum(3, 1, 2, one));
    OK(cu.cuStreamEndCapture(one, &graph));
    OK(cu.cuGraphGetNodes(graph, NULL, &nodes));
    OK(cu.cuGraphGetEdges(graph, NULL, NULL, &edges));
    OK(cu.cuGraphGetRootNodes(graph, NULL, &roots));
    CHECK(nodes == 5 && edges == 5 && roots == 1);
    CUgraphExec exec = ready(graph);
    for (int i = 1; i <= 20; i++) {
        run(exec, i % 2 ? one : two);
        CHECK(value(3) == 10 * i + 20 * i);
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuEventDestroy(forked));
    OK(cu.cuEventDestroy(joined));
}

static void
test_capture_errors(CUstream one, CUstream two)
{
    CUgraph graph = NULL;
    CUevent event;

    OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE, cu.cuStreamEndCapture(one, &graph));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           cu.cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_RELAXED));

    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(CUDA_ERROR_ILLEGAL_STATE,
           cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu.cuStreamSynchronize(one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, add(0, 1, one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(one, &graph));
    CHECK(graph == NULL);

    /* the default stream would wait for it */
    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, 1, one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, add(0, 1, NULL));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(one, &graph));

    /* A branch that is not joined. */
    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, 1, one));
    OK(cu.cuEventRecord(event, one));
    OK(cu.cuStreamWaitEvent(two, event, 0));
    OK(add(1, 1, two));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNJOINED,
           cu.cuStreamEndCapture(one, &graph));

    /* An event recorded before the capture. */
    OK(cu.cuEventRecord(event, two));
    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
           cu.cuStreamWaitEvent(one, event, 0));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(one, &graph));

    /* Two captures cannot be merged. */
    OK(cu.cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuStreamBeginCapture(two, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuEventRecord(event, one));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_MERGE,
           cu.cuStreamWaitEvent(two, event, 0));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(one, &graph));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(two, &graph));
    OK(cu.cuEventDestroy(event));
    OK(cu.cuCtxSynchronize());
}

/* The relaxed mode allows calls that the global mode forbids. */
static void
test_modes(CUstream stream)
{
    CUdeviceptr memory;
    CUgraph graph = NULL;

    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cu.cuMemAlloc(&memory, 64));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuMemAlloc(&memory, 64));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuMemFree(memory));
}

static void
test_update(CUstream stream)
{
    CUgraphExecUpdateResultInfo info;
    CUgraph first = captured(stream, 3), second = captured(stream, 4);
    CUgraph other = NULL;

    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, 1, stream));
    OK(cu.cuStreamEndCapture(stream, &other));
    CUgraphExec exec = ready(first);
    put(0, 0);
    OK(cu.cuGraphExecUpdate(exec, second, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    run(exec, stream);
    CHECK(value(0) == 8);
    EXPECT(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
           cu.cuGraphExecUpdate(exec, other, &info));
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    run(exec, stream); /* as before */
    CHECK(value(0) == 24);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(first));
    OK(cu.cuGraphDestroy(second));
    OK(cu.cuGraphDestroy(other));
}

static atomic_int called;

static void CUDA_CB
count_call(void *data)
{
    atomic_fetch_add(&called, *(int *)data);
}

static CUgraphNode
kernel_node(CUgraph graph, CUgraphNode *after, size_t count, int y)
{
    CUdeviceptr at = place(0);
    void *parameters[] = {&at, &y};
    CUDA_KERNEL_NODE_PARAMS params = {.func = add_kernel,
                                      .gridDimX = 1,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 1,
                                      .blockDimY = 1,
                                      .blockDimZ = 1,
                                      .kernelParams = parameters};
    CUgraphNode node = NULL;

    OK(cu.cuGraphAddKernelNode(&node, graph, after, count, &params));
    return node;
}

/* A graph built from nodes: fill, kernel, host function. */
static void
test_nodes(CUcontext ctx, CUstream stream)
{
    CUDA_MEMSET_NODE_PARAMS fill = {.dst = place(0),
                                    .elementSize = 4,
                                    .value = 7,
                                    .width = 1,
                                    .height = 1};
    int one = 1;
    CUDA_HOST_NODE_PARAMS host = {.fn = count_call, .userData = &one};
    CUgraphNode filled, called_back, empty, found;
    CUgraphNodeType type;
    CUgraph graph, clone;
    size_t count = 0;

    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphAddMemsetNode(&filled, graph, NULL, 0, &fill, ctx));
    CUgraphNode added = kernel_node(graph, &filled, 1, 10);
    OK(cu.cuGraphAddHostNode(&called_back, graph, &added, 1, &host));
    OK(cu.cuGraphAddEmptyNode(&empty, graph, NULL, 0));
    OK(cu.cuGraphAddDependencies(graph, &called_back, &empty, 1));
    OK(cu.cuGraphNodeGetType(called_back, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_HOST);
    OK(cu.cuGraphNodeGetDependencies(empty, NULL, &count));
    CHECK(count == 1);
    OK(cu.cuGraphNodeGetDependentNodes(filled, NULL, &count));
    CHECK(count == 1);
    OK(cu.cuGraphClone(&clone, graph));
    OK(cu.cuGraphNodeFindInClone(&found, filled, clone));
    fill.value = 0;
    OK(cu.cuGraphMemsetNodeGetParams(found, &fill));
    CHECK(fill.value == 7);
    fill.value = 100;
    OK(cu.cuGraphMemsetNodeSetParams(found, &fill));
    fill.value = 0;
    OK(cu.cuGraphMemsetNodeGetParams(filled, &fill));
    CHECK(fill.value == 7);
    CUgraphExec exec = ready(graph), other = ready(clone);
    run(exec, stream);
    CHECK(value(0) == 17 && atomic_load(&called) == 1);
    run(other, stream);
    CHECK(value(0) == 110 && atomic_load(&called) == 2);
    OK(cu.cuGraphDestroyNode(called_back));
    OK(cu.cuGraphGetNodes(graph, NULL, &count));
    CHECK(count == 3);
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE,
                 cu.cuGraphNodeGetType(called_back, &type));
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphExecDestroy(other));
    OK(cu.cuGraphDestroy(clone));
    OK(cu.cuGraphDestroy(graph));
}

/* A graph as a child node of another one, also of one that is being captured,
 * where it cannot be launched. */
static void
test_nested(CUstream stream)
{
    CUgraph inner = captured(stream, 1), outer = NULL, within = NULL;
    CUgraphExec small = ready(inner);
    CUstreamCaptureStatus status;
    const CUgraphNode *tips;
    CUgraphNode node, found;
    CUgraphNodeType type;
    size_t count = 1;

    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           cu.cuGraphLaunch(small, stream));
    EXPECT(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cu.cuStreamEndCapture(stream, &outer));
    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, 1, stream));
    OK(cu.cuStreamGetCaptureInfo(stream, &status, NULL, &outer, &tips,
                                 &count));
    OK(cu.cuGraphAddChildGraphNode(&node, outer, tips, count, inner));
    OK(cu.cuStreamUpdateCaptureDependencies(
        stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(add(0, 1, stream));
    OK(cu.cuStreamEndCapture(stream, &outer));
    OK(cu.cuGraphDestroy(inner));
    OK(cu.cuGraphExecDestroy(small));
    OK(cu.cuGraphNodeGetType(node, &type));
    CHECK(type == CU_GRAPH_NODE_TYPE_GRAPH);
    OK(cu.cuGraphChildGraphNodeGetGraph(node, &within));
    OK(cu.cuGraphGetRootNodes(within, &found, &count));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGraphChildGraphNodeGetGraph(found, &within));
    CUgraphExec exec = ready(outer);
    put(0, 0);
    run(exec, stream);
    CHECK(value(0) == 5);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(outer));
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE,
                 cu.cuGraphGetNodes(within, NULL, &count));
}

/* Child graphs, in parallel and with empty ones, three levels deep. */
static void
test_deep(CUstream stream)
{
    CUgraph leaf = captured(stream, 1), middle, top, empty, clone;
    CUgraphNode node[3];

    OK(cu.cuGraphCreate(&middle, 0));
    OK(cu.cuGraphCreate(&top, 0));
    OK(cu.cuGraphCreate(&empty, 0));
    OK(cu.cuGraphAddChildGraphNode(&node[0], middle, NULL, 0, leaf));
    OK(cu.cuGraphAddChildGraphNode(&node[1], middle, node, 1, empty));
    OK(cu.cuGraphAddChildGraphNode(&node[2], middle, node + 1, 1, leaf));
    OK(cu.cuGraphAddChildGraphNode(&node[0], top, NULL, 0, middle));
    OK(cu.cuGraphAddChildGraphNode(&node[1], top, node, 1, middle));
    OK(cu.cuGraphClone(&clone, top));
    OK(cu.cuGraphAddChildGraphNode(&node[2], top, node + 1, 1, clone));
    OK(cu.cuGraphDestroy(clone));
    OK(cu.cuGraphClone(&clone, top));
    OK(cu.cuGraphDestroy(leaf));
    OK(cu.cuGraphDestroy(middle));
    OK(cu.cuGraphDestroy(empty));
    OK(cu.cuGraphDestroy(top));
    CUgraphExec exec = ready(clone);
    put(0, 0);
    run(exec, stream);
    CHECK(value(0) == 510); /* eight leaves, each (x + 1) * 2 */
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(clone));
}

static void
test_wide(CUcontext ctx, CUstream stream)
{
    enum { BRANCHES = 100 };
    CUgraphNode branches[BRANCHES];
    CUdeviceptr many;
    CUgraph graph;
    int result = 0, right = 0;

    OK(cu.cuMemAlloc(&many, BRANCHES * sizeof(int)));
    OK(cu.cuGraphCreate(&graph, 0));
    for (int i = 0; i < BRANCHES; i++) {
        CUDA_MEMSET_NODE_PARAMS fill = {.dst = many + 4u * (unsigned)i,
                                        .elementSize = 4,
                                        .value = 5,
                                        .width = 1,
                                        .height = 1};
        OK(cu.cuGraphAddMemsetNode(&branches[i], graph, NULL, 0, &fill, ctx));
    }
    kernel_node(graph, branches, BRANCHES, 1);
    CUgraphExec exec = ready(graph);
    put(0, 0);
    run(exec, stream);
    CHECK(value(0) == 1);
    for (int i = 0; i < BRANCHES; i++) {
        OK(cu.cuMemcpyDtoH(&result, many + 4u * (unsigned)i, sizeof result));
        right += result == 5;
    }
    CHECK(right == BRANCHES);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuMemFree(many));
}

/* A stream without work that is destroyed during its capture: the origin
 * stream ends the capture, another stream does not change it. */
static void
test_left(CUstream stream)
{
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;
    CUevent forked;

    OK(cu.cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
    for (int turn = 0; turn < 2; turn++) {
        CUstream other;
        OK(cu.cuStreamCreate(&other, 0));
        CUstream first = turn ? stream : other, second = turn ? other : stream;
        OK(cu.cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED));
        OK(cu.cuEventRecord(forked, first));
        OK(cu.cuStreamWaitEvent(second, forked, 0));
        OK(cu.cuStreamDestroy(other));
        OK(cu.cuStreamIsCapturing(stream, &status));
        CHECK(status == (turn ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                              : CU_STREAM_CAPTURE_STATUS_NONE));
    }
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuEventDestroy(forked));
}

/* A stream that has been joined may be destroyed. */
static void
test_joined(CUstream stream)
{
    CUgraph graph = NULL;
    CUevent forked, joined;
    CUstream other;
    size_t nodes = 0;

    OK(cu.cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuStreamCreate(&other, 0));
    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(add(0, 1, stream));
    OK(cu.cuEventRecord(forked, stream));
    OK(cu.cuStreamWaitEvent(other, forked, 0));
    OK(add(1, 2, other));
    OK(cu.cuEventRecord(joined, other));
    OK(cu.cuStreamWaitEvent(stream, joined, 0));
    OK(cu.cuStreamDestroy(other));
    OK(add(2, 3, stream));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphGetNodes(graph, NULL, &nodes));
    CHECK(nodes == 3);
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuEventDestroy(forked));
    OK(cu.cuEventDestroy(joined));
}

int
main(int argc, char **argv)
{
    CUstream one, two;

    native_start(argc, argv);
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);
    add_kernel = native_function(module, "add");
    twice_kernel = native_function(module, "twice");
    sum_kernel = native_function(module, "sum");
    OK(cu.cuMemAlloc(&x, 8 * sizeof(int)));
    OK(cu.cuStreamCreate(&one, 0));
    OK(cu.cuStreamCreate(&two, 0));
    test_capture(one);
    test_fork(one, two);
    test_capture_errors(one, two);
    test_modes(one);
    test_update(one);
    test_nodes(ctx, one);
    test_nested(one);
    test_deep(one);
    test_wide(ctx, one);
    if (native_on_cpu) { /* CUDA's documentation does not define this */
        test_left(one);
    }
    test_joined(one);
    OK(cu.cuStreamDestroy(one));
    OK(cu.cuStreamDestroy(two));
    OK(cu.cuModuleUnload(module));
    OK(cu.cuMemFree(x));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("graphs");
}
