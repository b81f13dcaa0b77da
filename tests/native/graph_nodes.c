/* graph_nodes.c - nodes for memory, events, conditions and generic nodes.
 *
 * Also updates of executable graphs, and captures into a graph.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "native.h"

static const char source[] =
    "extern \"C\" {\n"
    "__device__ __cudart_builtin__ void CUDARTAPI cudaGraphSetConditional(\n"
    "    cudaGraphConditionalHandle handle, unsigned int value);\n"
    "__global__ void add(int *x, int y) { *x += y; }\n"
    "__global__ void put(unsigned long long h, int *x, int below)\n"
    "{ *x += 1; cudaGraphSetConditional(h, *x < below); }\n"
    "__global__ void choose(unsigned long long h, const int *x)\n"
    "{ cudaGraphSetConditional(h, (unsigned)*x); }\n"
    "}\n";

static CUfunction add_kernel, put_kernel, choose_kernel;
static CUdeviceptr x; /* eight ints */
static CUstream stream;

static CUdeviceptr
place(int i)
{
    return x + (CUdeviceptr)i * sizeof(int);
}

static void
put_value(int i, int wanted)
{
    native_write_int(place(i), wanted);
}

static CUgraph
graph_new(void)
{
    CUgraph graph = NULL;

    OK(cu.cuGraphCreate(&graph, 0));
    return graph;
}

static CUgraphExec
ready(CUgraph graph, unsigned long long flags)
{
    CUgraphExec exec = NULL;

    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, flags));
    return exec;
}

static void
run(CUgraphExec exec)
{
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuStreamSynchronize(stream));
}

static CUDA_KERNEL_NODE_PARAMS
kernel_params(CUfunction function, void **arguments)
{
    return (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = 1,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = arguments};
}

static CUgraphNode
add_node(CUgraph graph, CUgraphNode after, CUdeviceptr at, int y)
{
    void *arguments[] = {&at, &y};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(add_kernel, arguments);
    CUgraphNode node = NULL;

    OK(cu.cuGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &params));
    return node;
}

static CUgraphNode
fill_node(CUgraph graph, CUgraphNode after, CUdeviceptr at, unsigned value)
{
    CUDA_MEMSET_NODE_PARAMS fill = {
        .dst = at, .elementSize = 4, .value = value, .width = 1, .height = 1};
    CUcontext ctx = NULL;
    CUgraphNode node = NULL;

    OK(cu.cuCtxGetCurrent(&ctx));
    OK(cu.cuGraphAddMemsetNode(&node, graph, &after, after ? 1 : 0, &fill,
                               ctx));
    return node;
}

static CUgraphNode
copy_node(CUgraph graph, CUgraphNode after, CUdeviceptr to, CUdeviceptr from)
{
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = from,
                          .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                          .dstDevice = to,
                          .WidthInBytes = 4,
                          .Height = 1,
                          .Depth = 1};
    CUcontext ctx = NULL;
    CUgraphNode node = NULL;

    OK(cu.cuCtxGetCurrent(&ctx));
    OK(cu.cuGraphAddMemcpyNode(&node, graph, &after, after ? 1 : 0, &copy,
                               ctx));
    return node;
}

/* ---- memory ---- */

static CUDA_MEM_ALLOC_NODE_PARAMS
allocation(size_t bytes)
{
    return (CUDA_MEM_ALLOC_NODE_PARAMS){
        .poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                      .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}},
        .bytesize = bytes};
}

static cuuint64_t
graph_memory(CUgraphMem_attribute attribute)
{
    cuuint64_t value = 0;

    OK(cu.cuDeviceGetGraphMemAttribute(0, attribute, &value));
    return value;
}

/* Memory that a graph allocates and frees; no launch leaks any. */
static void
memory_within(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = allocation(4096), told = {0};
    CUgraph graph = graph_new(), clone = NULL;
    CUgraphNode made = NULL, freed = NULL, last, twice = NULL;
    CUdeviceptr pointer = 0;

    OK(cu.cuGraphAddMemAllocNode(&made, graph, NULL, 0, &params));
    CHECK(params.dptr);
    OK(cu.cuGraphMemAllocNodeGetParams(made, &told));
    CHECK(told.dptr == params.dptr && told.bytesize == 4096);
    last = fill_node(graph, made, params.dptr, 41);
    last = add_node(graph, last, params.dptr, 1);
    last = copy_node(graph, last, place(0), params.dptr);
    OK(cu.cuGraphAddMemFreeNode(&freed, graph, &last, 1, params.dptr));
    OK(cu.cuGraphMemFreeNodeGetParams(freed, &pointer));
    CHECK(pointer == params.dptr);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGraphAddMemFreeNode(&twice, graph, &last, 1, params.dptr));
    CHECK(cu.cuGraphClone(&clone, graph) != CUDA_SUCCESS);
    CHECK(cu.cuGraphDestroyNode(last) != CUDA_SUCCESS);
    CUgraphExec exec = ready(graph, 0);
    for (int turn = 0; turn < 2; turn++) {
        put_value(0, 0);
        run(exec);
        CHECK(native_read_int(place(0)) == 42);
    }
    cuuint64_t used = graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
    CHECK(used >= 4096);
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) >= used);
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == used);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuDeviceGraphMemTrim(0));
    CHECK(graph_memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == 0);
}

/* Memory that a launch leaves allocated: freed in a stream, by another graph,
 * by the next launch, or too late. */
static void
memory_left(void)
{
    CUDA_MEM_ALLOC_NODE_PARAMS params = allocation(64);
    CUgraph graph = graph_new(), freeing = graph_new();
    CUgraphNode made = NULL, freed = NULL;

    OK(cu.cuGraphAddMemAllocNode(&made, graph, NULL, 0, &params));
    fill_node(graph, made, params.dptr, 7);
    OK(cu.cuGraphAddMemFreeNode(&freed, freeing, NULL, 0, params.dptr));
    CUgraphExec exec = ready(graph, 0), end = ready(freeing, 0);
    run(exec);
    CHECK(native_read_int(params.dptr) == 7);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuGraphLaunch(exec, stream));
    OK(cu.cuMemFreeAsync(params.dptr, stream));
    run(exec);
    run(end);
    run(exec);
    OK(cu.cuMemFree(params.dptr));
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE, cu.cuMemFree(params.dptr));
    OK(cu.cuGraphExecDestroy(exec));
    exec = ready(graph, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    run(exec);
    run(exec);
    CHECK(native_read_int(params.dptr) == 7);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    CHECK(native_read_int(params.dptr) == 7); /* the memory outlives both */
    OK(cu.cuMemFreeAsync(params.dptr, stream));
    OK(cu.cuStreamSynchronize(stream));
    OK(cu.cuGraphExecDestroy(end));
    OK(cu.cuGraphDestroy(freeing));
}

/* A launch that fails leaves nothing allocated: the next one fails for the
 * same reason. A GPU's driver may keep the module, and then launches. */
static void
memory_of_failed_launch(void)
{
    CUmodule module = native_module(source);
    CUfunction add = native_function(module, "add");
    CUDA_MEM_ALLOC_NODE_PARAMS params = allocation(64);
    CUgraph graph = graph_new();
    CUgraphNode made = NULL, node = NULL;
    int one = 1;

    OK(cu.cuGraphAddMemAllocNode(&made, graph, NULL, 0, &params));
    void *arguments[] = {&params.dptr, &one};
    CUDA_KERNEL_NODE_PARAMS kernel = kernel_params(add, arguments);
    OK(cu.cuGraphAddKernelNode(&node, graph, &made, 1, &kernel));
    CUgraphExec exec = ready(graph, 0);
    OK(cu.cuModuleUnload(module));
    CUresult first = cu.cuGraphLaunch(exec, stream);
    if (first != CUDA_SUCCESS) {
        CHECK(first == CUDA_ERROR_INVALID_HANDLE);
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cu.cuGraphLaunch(exec, stream));
    } else {
        OK(cu.cuStreamSynchronize(stream));
        OK(cu.cuMemFree(params.dptr));
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

static void
memory_captured(void)
{
    CUdeviceptr captured = 0, none = 1;
    CUgraph graph = NULL;
    CUgraphNode nodes[4];
    CUgraphNodeType first = 0, last = 0;
    size_t count = 4;

    OK(cu.cuMemAllocAsync(&none, 0, stream));
    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuMemAllocAsync(&captured, 256, stream));
    OK(cu.cuMemsetD32Async(captured, 9, 4, stream));
    OK(cu.cuMemcpyDtoDAsync(place(0), captured, 4, stream));
    OK(cu.cuMemFreeAsync(captured, stream));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphGetNodes(graph, nodes, &count));
    CHECK(count == 4);
    OK(cu.cuGraphNodeGetType(nodes[0], &first));
    OK(cu.cuGraphNodeGetType(nodes[3], &last));
    CHECK(first == CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    CHECK(last == CU_GRAPH_NODE_TYPE_MEM_FREE);
    CUDA_MEMSET_NODE_PARAMS fill = {0};
    OK(cu.cuGraphMemsetNodeGetParams(nodes[1], &fill));
    CHECK(fill.dst == captured && fill.value == 9 && fill.elementSize == 4);
    CUgraphExec exec = ready(graph, 0);
    put_value(0, 0);
    run(exec);
    CHECK(native_read_int(place(0)) == 9);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

/* ---- events ---- */

static atomic_int gate, called;

static void
wait_for_gate(void *data)
{
    (void)data;
    while (!atomic_load(&gate)) {
        usleep(100);
    }
    atomic_fetch_add(&called, 1);
}

static void
events(void)
{
    CUgraph graph = graph_new();
    CUgraphNode host = NULL, recorded = NULL, waits = NULL;
    CUDA_HOST_NODE_PARAMS params = {.fn = wait_for_gate};
    CUevent inner, outer, other, told = NULL;
    CUstream elsewhere;

    OK(cu.cuEventCreate(&inner, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&outer, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuEventCreate(&other, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuStreamCreate(&elsewhere, CU_STREAM_NON_BLOCKING));
    OK(cu.cuGraphAddEventWaitNode(&waits, graph, NULL, 0, outer));
    OK(cu.cuGraphAddHostNode(&host, graph, &waits, 1, &params));
    OK(cu.cuGraphAddEventRecordNode(&recorded, graph, &host, 1, other));
    OK(cu.cuGraphEventRecordNodeSetEvent(recorded, inner));
    OK(cu.cuGraphEventRecordNodeGetEvent(recorded, &told));
    CHECK(told == inner);
    OK(cu.cuGraphEventWaitNodeGetEvent(waits, &told));
    CHECK(told == outer);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGraphEventWaitNodeGetEvent(host, &told));
    CUgraphExec exec = ready(graph, 0);
    atomic_store(&gate, 0);
    OK(cu.cuLaunchHostFunc(elsewhere, wait_for_gate, NULL));
    OK(cu.cuEventRecord(outer, elsewhere));
    OK(cu.cuGraphLaunch(exec, stream));
    EXPECT(CUDA_ERROR_NOT_READY, cu.cuEventQuery(inner));
    atomic_store(&gate, 1);
    OK(cu.cuEventSynchronize(inner));
    CHECK(atomic_load(&called) == 2);
    OK(cu.cuStreamSynchronize(stream));
    OK(cu.cuGraphExecEventRecordNodeSetEvent(exec, recorded, other));
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuStreamDestroy(elsewhere));
    OK(cu.cuEventDestroy(inner));
    OK(cu.cuEventDestroy(outer));
    OK(cu.cuEventDestroy(other));
}

/* In a capture an external event becomes a node. */
static void
events_captured(void)
{
    CUgraph graph = NULL;
    CUgraphNode nodes[2];
    CUgraphNodeType types[2] = {0};
    CUevent event;
    size_t count = 2;

    OK(cu.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cu.cuStreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
    OK(cu.cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_EXTERNAL));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphGetNodes(graph, nodes, &count));
    OK(cu.cuGraphNodeGetType(nodes[0], &types[0]));
    OK(cu.cuGraphNodeGetType(nodes[1], &types[1]));
    CHECK(types[0] == CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    CHECK(types[1] == CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    CUgraphExec exec = ready(graph, 0);
    run(exec);
    OK(cu.cuEventQuery(event));
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuEventDestroy(event));
}

/* ---- conditions ---- */

static CUgraph
conditional(CUgraph graph, CUgraphNode after, CUgraphConditionalHandle handle,
            CUgraphConditionalNodeType type, unsigned size, CUgraph *second)
{
    CUcontext ctx = NULL;
    CUgraphNode node = NULL;

    OK(cu.cuCtxGetCurrent(&ctx));
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    params.conditional.handle = handle;
    params.conditional.type = type;
    params.conditional.size = size;
    params.conditional.ctx = ctx;
    OK(cu.cuGraphAddNode(&node, graph, &after, after ? 1 : 0, &params));
    if (second) {
        *second = params.conditional.phGraph_out[1];
    }
    return params.conditional.phGraph_out[0];
}

static CUgraphNode
put_node(CUgraph graph, CUgraphNode after, CUgraphConditionalHandle handle,
         CUdeviceptr at, int below)
{
    void *arguments[] = {&handle, &at, &below};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(put_kernel, arguments);
    CUgraphNode node = NULL;

    OK(cu.cuGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &params));
    return node;
}

static CUgraphNode
choose_node(CUgraph graph, CUgraphNode after, CUgraphConditionalHandle handle,
            CUdeviceptr at)
{
    void *arguments[] = {&handle, &at};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(choose_kernel, arguments);
    CUgraphNode node = NULL;

    OK(cu.cuGraphAddKernelNode(&node, graph, &after, after ? 1 : 0, &params));
    return node;
}

/* A nested loop: the inner one runs to 3 in each iteration of the outer one,
 * which sets its condition. Defaults are set by launches only. */
static void
loops(CUcontext ctx)
{
    CUgraphConditionalHandle outer = 0, inner = 0;
    CUgraph graph = graph_new();

    OK(cu.cuGraphConditionalHandleCreate(&outer, graph, ctx, 1,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph body =
        conditional(graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1, NULL);
    CUgraphNode zero = fill_node(body, NULL, place(1), 0);
    OK(cu.cuGraphConditionalHandleCreate(&inner, body, ctx, 0,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNode set = choose_node(body, zero, inner, place(4));
    CUgraph within =
        conditional(body, set, inner, CU_GRAPH_COND_TYPE_WHILE, 1, NULL);
    put_node(within, NULL, inner, place(1), 3);
    add_node(within, NULL, place(2), 1);
    put_node(body, NULL, outer, place(0), 4);
    CUgraphExec exec = ready(graph, 0);
    for (int turn = 0; turn < 2; turn++) {
        put_value(0, 0);
        put_value(2, 0);
        put_value(4, 1);
        run(exec);
        CHECK(native_read_int(place(0)) == 4);
        CHECK(native_read_int(place(1)) == 3);
        CHECK(native_read_int(place(2)) == 12);
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

/* Without that the inner loop runs only once. */
static void
default_once(CUcontext ctx)
{
    CUgraphConditionalHandle outer = 0, inner = 0;
    CUgraph graph = graph_new();

    OK(cu.cuGraphConditionalHandleCreate(&outer, graph, ctx, 1,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph body =
        conditional(graph, NULL, outer, CU_GRAPH_COND_TYPE_WHILE, 1, NULL);
    OK(cu.cuGraphConditionalHandleCreate(&inner, body, ctx, 1,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph within =
        conditional(body, NULL, inner, CU_GRAPH_COND_TYPE_WHILE, 1, NULL);
    put_node(within, NULL, inner, place(1), 3);
    put_node(body, NULL, outer, place(0), 4);
    CUgraphExec exec = ready(graph, 0);
    for (int turn = 0; turn < 2; turn++) {
        put_value(0, 0);
        put_value(1, 0);
        run(exec);
        CHECK(native_read_int(place(0)) == 4);
        CHECK(native_read_int(place(1)) == 3 || !native_on_cpu);
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

static void
choices(CUcontext ctx, CUgraphConditionalNodeType type)
{
    CUgraphConditionalHandle handle = 0;
    CUgraph graph = graph_new(), second = NULL;
    CUgraphNode node = NULL;
    CUdeviceptr at = place(0);
    void *arguments[] = {&handle, &at};
    bool branch = type == CU_GRAPH_COND_TYPE_SWITCH;

    OK(cu.cuGraphConditionalHandleCreate(&handle, graph, ctx, 0, 0));
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(choose_kernel, arguments);
    OK(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    CUgraph first = conditional(graph, node, handle, type, 2, &second);
    add_node(first, NULL, place(1), 1);
    add_node(second, NULL, place(1), 10);
    CUgraphExec exec = ready(graph, 0);
    static const int expected[2][3] = {{10, 1, 1}, {1, 10, 0}};
    for (int which = 0; which < 3; which++) {
        put_value(0, which);
        put_value(1, 0);
        run(exec);
        CHECK(native_read_int(place(1)) == expected[branch][which]);
    }
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

static void
conditions_refused(CUcontext ctx)
{
    CUgraphConditionalHandle handle = 0;
    CUgraph graph = graph_new(), other = graph_new();
    CUgraphNode node = NULL;

    OK(cu.cuGraphConditionalHandleCreate(&handle, graph, ctx, 0, 0));
    CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL};
    params.conditional.handle = handle;
    params.conditional.size = 1;
    params.conditional.ctx = ctx;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGraphAddNode(&node, other, NULL, 0, &params));
    params.conditional.size = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGraphAddNode(&node, graph, NULL, 0, &params));
    OK(cu.cuGraphDestroy(other));
    OK(cu.cuGraphDestroy(graph));
}

/* A stream captures the body of a node, which keeps the graph alive. */
static void
body_captured(CUcontext ctx)
{
    CUgraphConditionalHandle handle = 0;
    CUgraph graph = graph_new(), same = NULL;
    CUdeviceptr at = place(3);
    int five = 5;
    void *arguments[] = {&at, &five};

    OK(cu.cuGraphConditionalHandleCreate(&handle, graph, ctx, 1,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraph body =
        conditional(graph, NULL, handle, CU_GRAPH_COND_TYPE_IF, 1, NULL);
    OK(cu.cuStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0,
                                      CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(native_launch(add_kernel, 1, 1, stream, arguments));
    if (native_on_cpu) {
        EXPECT(CUDA_ERROR_ILLEGAL_STATE, cu.cuGraphDestroy(graph));
    }
    OK(cu.cuStreamEndCapture(stream, &same));
    CHECK(same == body);
    CUgraphExec exec = ready(graph, 0);
    put_value(3, 0);
    run(exec);
    CHECK(native_read_int(place(3)) == 5);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

/* ---- executable graphs ---- */

static void
changes(void)
{
    CUgraph graph = graph_new(), inner = graph_new(), fresh = graph_new();
    CUgraphNode child = NULL, node, fill;
    CUdeviceptr at = place(0);
    unsigned enabled = 7;
    int seven = 7;
    void *arguments[] = {&at, &seven};
    CUDA_KERNEL_NODE_PARAMS params = kernel_params(add_kernel, arguments);
    CUcontext ctx = NULL;

    OK(cu.cuCtxGetCurrent(&ctx));
    add_node(inner, NULL, place(1), 1);
    add_node(fresh, NULL, place(1), 100);
    fill = fill_node(graph, NULL, place(2), 5);
    node = add_node(graph, fill, place(0), 1);
    OK(cu.cuGraphAddChildGraphNode(&child, graph, &node, 1, inner));
    CUgraphExec exec = ready(graph, 0);
    OK(cu.cuGraphExecKernelNodeSetParams(exec, node, &params));
    OK(cu.cuGraphExecChildGraphNodeSetParams(exec, child, fresh));
    CUDA_MEMSET_NODE_PARAMS filling = {.dst = place(2),
                                       .elementSize = 4,
                                       .value = 6,
                                       .width = 1,
                                       .height = 1};
    OK(cu.cuGraphExecMemsetNodeSetParams(exec, fill, &filling, ctx));
    put_value(0, 0);
    put_value(1, 0);
    run(exec);
    CHECK(native_read_int(place(0)) == 7 && native_read_int(place(1)) == 100);
    CHECK(native_read_int(place(2)) == 6);
    OK(cu.cuGraphNodeSetEnabled(exec, node, 0));
    OK(cu.cuGraphNodeGetEnabled(exec, node, &enabled));
    CHECK(enabled == 0);
    run(exec);
    CHECK(native_read_int(place(0)) == 7 && native_read_int(place(1)) == 200);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuGraphExecMemsetNodeSetParams(exec, node, &filling, ctx));
    add_node(fresh, NULL, place(1), 1);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuGraphExecChildGraphNodeSetParams(exec, child, fresh));
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuGraphDestroy(inner));
    OK(cu.cuGraphDestroy(fresh));
}

/* A child graph whose nodes have other dependencies is refused. */
static void
child_without_dependency(void)
{
    CUgraph graph = graph_new(), inner = graph_new(), fresh = graph_new();
    CUgraphNode child = NULL;
    CUgraphNode first = add_node(inner, NULL, place(0), 1);

    add_node(inner, first, place(1), 1);
    add_node(fresh, NULL, place(0), 1);
    add_node(fresh, NULL, place(1), 1);
    OK(cu.cuGraphAddChildGraphNode(&child, graph, NULL, 0, inner));
    CUgraphExec exec = ready(graph, 0);
    EXPECT_REFUSED(CUDA_ERROR_INVALID_VALUE,
                   cu.cuGraphExecChildGraphNodeSetParams(exec, child, fresh));
    OK(cu.cuGraphExecChildGraphNodeSetParams(exec, child, inner));
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuGraphDestroy(inner));
    OK(cu.cuGraphDestroy(fresh));
}

static void
attributes(void)
{
    CUgraph graph = graph_new();
    CUgraphNode one = add_node(graph, NULL, place(0), 1);
    CUgraphNode two = add_node(graph, one, place(0), 1);
    CUkernelNodeAttrValue value = {.priority = -2}, told = {.priority = 9};

    OK(cu.cuGraphKernelNodeSetAttribute(one, CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                        &value));
    OK(cu.cuGraphKernelNodeCopyAttributes(two, one));
    OK(cu.cuGraphKernelNodeGetAttribute(two, CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                        &told));
    CHECK(told.priority == -2);
    OK(cu.cuGraphDestroy(graph));
}

/* A stream captures after existing nodes; a graph is printed as text. */
static void
capture_into(const char *path)
{
    CUgraph graph = graph_new(), same = NULL;
    CUgraphNode node = add_node(graph, NULL, place(0), 1);
    CUdeviceptr at = place(0);
    int ten = 10;
    void *arguments[] = {&at, &ten};
    char text[4096] = "";

    OK(cu.cuStreamBeginCaptureToGraph(stream, graph, &node, NULL, 1,
                                      CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(native_launch(add_kernel, 1, 1, stream, arguments));
    OK(cu.cuStreamEndCapture(stream, &same));
    CHECK(same == graph);
    CUgraphExec exec = ready(graph, 0);
    put_value(0, 0);
    run(exec);
    CHECK(native_read_int(place(0)) == 11);
    OK(cu.cuGraphDebugDotPrint(graph, path, CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
    FILE *file = fopen(path, "r");
    CHECK(file && fread(text, 1, sizeof text - 1, file) > 0);
    CHECK(!strncmp(text, "digraph", 7) && strstr(text, "->"));
    CHECK(strstr(text, "add"));
    if (file) {
        fclose(file);
    }
    remove(path);
    OK(cu.cuGraphExecDestroy(exec));
    OK(cu.cuGraphDestroy(graph));
}

int
main(int argc, char **argv)
{
    char path[64];

    native_start(argc, argv);
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);
    add_kernel = native_function(module, "add");
    put_kernel = native_function(module, "put");
    choose_kernel = native_function(module, "choose");
    OK(cu.cuMemAlloc(&x, 8 * sizeof(int)));
    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    memory_within();
    memory_left();
    memory_of_failed_launch();
    memory_captured();
    events();
    events_captured();
    loops(ctx);
    default_once(ctx);
    choices(ctx, CU_GRAPH_COND_TYPE_IF);
    choices(ctx, CU_GRAPH_COND_TYPE_SWITCH);
    conditions_refused(ctx);
    body_captured(ctx);
    changes();
    child_without_dependency();
    attributes();
    snprintf(path, sizeof path, "/tmp/pycuda-%d.dot", (int)getpid());
    capture_into(path);
    OK(cu.cuCtxDestroy(ctx));
    return native_end("graph_nodes");
}
