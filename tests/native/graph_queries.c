/* graph_queries.c - queries of graphs and nodes, changes of nodes.
 *
 * Also the older and newer signatures that cuGetProcAddress returns.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

/* Function pointers, looked up by symbol name. */
static struct {
#define DRIVER_OLD_ROW(base, symbol, since, per_thread, parameters,           \
                       arguments)                                             \
    CUresult(*symbol) parameters;
#include "api/driver_old_rows.h"
} old;

static const char source[] =
    "extern \"C\" __global__ void add(int *x, int y) { *x += y; }\n";

static CUdeviceptr x; /* four ints */
static int host_calls;

static int
value(int i)
{
    return native_read_int(x + 4 * (CUdeviceptr)i);
}

static void
put(int i, int wanted)
{
    OK(cu.cuMemcpyHtoD(x + 4 * (CUdeviceptr)i, &wanted, sizeof wanted));
}

static void
count_call(void *data)
{
    host_calls += *(int *)data;
}

static CUDA_KERNEL_NODE_PARAMS
adding(CUfunction function, void **arguments)
{
    CUDA_KERNEL_NODE_PARAMS params = {0};

    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = 1;
    params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    return params;
}

static void
run(CUgraph graph)
{
    CUgraphExec exec = NULL;

    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuGraphLaunch(exec, NULL));
    OK(cu.cuCtxSynchronize());
    OK(cu.cuGraphExecDestroy(exec));
}

static void
kernel_nodes(CUfunction function)
{
    int y = 5, z = 7;
    void *arguments[] = {&x, &y}, *changed[] = {&x, &z};
    CUDA_KERNEL_NODE_PARAMS params = adding(function, arguments), told = {0};
    CUDA_KERNEL_NODE_PARAMS_v1 first = {0};
    CUgraph graph = NULL;
    CUgraphNode node = NULL;

    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    OK(cu.cuGraphKernelNodeGetParams(node, &told));
    CHECK(told.func == function && told.gridDimX == 1);
    CHECK(told.kernelParams && *(int *)told.kernelParams[1] == 5);
    params.kernelParams = changed;
    OK(cu.cuGraphKernelNodeSetParams(node, &params));
    OK(cu.cuGraphKernelNodeGetParams(node, &told));
    CHECK(*(int *)told.kernelParams[1] == 7);
    put(0, 1);
    run(graph);
    CHECK(value(0) == 8);
    OK(old.cuGraphKernelNodeGetParams(node, &first));
    CHECK(first.func == function && first.blockDimX == 1);
    CHECK(*(int *)first.kernelParams[1] == 7);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphKernelNodeGetParams(node, NULL));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphKernelNodeSetParams(node, NULL));
    OK(cu.cuGraphDestroy(graph));
}

static CUDA_MEMCPY3D
copying(int from, int to)
{
    CUDA_MEMCPY3D copy = {0};

    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = x + 4 * (CUdeviceptr)from;
    copy.dstDevice = x + 4 * (CUdeviceptr)to;
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 4;
    copy.srcHeight = copy.dstHeight = copy.Height = copy.Depth = 1;
    return copy;
}

static void
copy_nodes(CUcontext ctx)
{
    CUDA_MEMCPY3D copy = copying(0, 1), told = {0};
    CUgraph graph = NULL;
    CUgraphNode node = NULL;

    put(0, 11);
    put(1, 0);
    put(2, 0);
    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphAddMemcpyNode(&node, graph, NULL, 0, &copy, ctx));
    run(graph);
    CHECK(value(1) == 11 && value(2) == 0);
    OK(cu.cuGraphMemcpyNodeGetParams(node, &told));
    CHECK(told.srcDevice == x && told.dstDevice == x + 4);
    CHECK(told.WidthInBytes == 4);
    copy = copying(0, 2);
    OK(cu.cuGraphMemcpyNodeSetParams(node, &copy));
    put(0, 12);
    run(graph);
    CHECK(value(1) == 11 && value(2) == 12);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphAddMemcpyNode(&node, graph, NULL, 0, NULL, ctx));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphMemcpyNodeGetParams(node, NULL));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphMemcpyNodeSetParams(node, NULL));
    OK(cu.cuGraphDestroy(graph));
}

static void
host_nodes(void)
{
    int one = 1, ten = 10;
    CUDA_HOST_NODE_PARAMS params = {count_call, &one}, told = {0};
    CUgraph graph = NULL;
    CUgraphNode node = NULL;

    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphAddHostNode(&node, graph, NULL, 0, &params));
    OK(cu.cuGraphHostNodeGetParams(node, &told));
    CHECK(told.fn == count_call && told.userData == &one);
    run(graph);
    CHECK(host_calls == 1);
    params.userData = &ten;
    OK(cu.cuGraphHostNodeSetParams(node, &params));
    run(graph);
    CHECK(host_calls == 11);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphHostNodeGetParams(node, NULL));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuGraphHostNodeSetParams(node, NULL));
    OK(cu.cuGraphDestroy(graph));
}

/* Adds three empty nodes to `nodes`. */
static CUgraph
three(CUgraphNode *nodes)
{
    CUgraph graph = NULL;

    OK(cu.cuGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++) {
        OK(cu.cuGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    }
    return graph;
}

static void
edges(void)
{
    CUgraphNode nodes[3], from[2], to[2];
    CUgraph graph = three(nodes);
    CUgraphEdgeData data[2], plain[2] = {{0}};
    size_t count = 0;

    OK(cu.cuGraphAddDependencies(graph, nodes, nodes + 1, 2));
    OK(cu.cuGraphRemoveDependencies(graph, nodes, nodes + 1, 1));
    OK(cu.cuGraphGetEdges(graph, NULL, NULL, &count));
    CHECK(count == 1);
    OK(old.cuGraphAddDependencies_v2(graph, nodes, nodes + 1, plain, 1));
    memset(data, 77, sizeof data);
    count = 2;
    OK(old.cuGraphGetEdges_v2(graph, from, to, data, &count));
    CHECK(count == 2 && data[0].type == 0 && data[1].from_port == 0);
    count = 2;
    memset(data, 77, sizeof data);
    OK(old.cuGraphNodeGetDependencies_v2(nodes[1], from, data, &count));
    CHECK(count == 1 && from[0] == nodes[0] && data[0].to_port == 0);
    count = 2;
    memset(data, 77, sizeof data);
    OK(old.cuGraphNodeGetDependentNodes_v2(nodes[1], to, data, &count));
    CHECK(count == 1 && to[0] == nodes[2] && data[0].type == 0);
    OK(old.cuGraphRemoveDependencies_v2(graph, nodes, nodes + 1, NULL, 2));
    OK(old.cuGraphGetEdges_v2(graph, NULL, NULL, NULL, &count));
    CHECK(count == 0);
    if (native_on_cpu) { /* the node types are not kernels */
        plain[0].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
        plain[0].from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
        OK(old.cuGraphAddDependencies_v2(graph, nodes, nodes + 1, plain, 1));
        count = 2;
        OK(old.cuGraphGetEdges_v2(graph, from, to, data, &count));
        CHECK(count == 1 && data[0].type == 1 && data[0].from_port == 1);
        count = 2;
        EXPECT(CUDA_ERROR_LOSSY_QUERY,
               cu.cuGraphGetEdges(graph, from, to, &count));
        plain[0].from_port = 3;
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               old.cuGraphAddDependencies_v2(graph, nodes + 1, nodes + 2,
                                             plain, 1));
    }
    OK(cu.cuGraphDestroy(graph));
}

static void
captures(CUfunction function)
{
    int y = 3;
    void *arguments[] = {&x, &y};
    CUstream stream = NULL;
    CUstreamCaptureStatus status = 0;
    cuuint64_t id = 0, repeated = 0;
    CUgraph graph = NULL, of = NULL;
    const CUgraphNode *last = NULL;
    const CUgraphEdgeData *data = (const void *)&y;
    size_t count = 0;

    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(old.cuStreamBeginCapture(stream));
    OK(old.cuStreamGetCaptureInfo(stream, &status, &id));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0);
    OK(native_launch(function, 1, 1, stream, arguments));
    OK(old.cuStreamGetCaptureInfo_v3(stream, &status, &repeated, &of, &last,
                                     &data, &count));
    CHECK(repeated == id && of && count == 1 && last);
    CHECK(!native_on_cpu ||
          (data && data[0].type == 0 && data[0].from_port == 0));
    OK(old.cuStreamUpdateCaptureDependencies_v2(
        stream, NULL, NULL, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    OK(cu.cuStreamGetCaptureInfo(stream, &status, &id, NULL, NULL, &count));
    CHECK(count == 0);
    OK(native_launch(function, 1, 1, stream, arguments));
    OK(cu.cuStreamEndCapture(stream, &graph));
    OK(cu.cuGraphGetRootNodes(graph, NULL, &count));
    CHECK(count == 2);
    OK(old.cuStreamGetCaptureInfo(stream, &status, &id));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuStreamDestroy(stream));
}

/* Each way to instantiate a graph of one kernel; the result runs. */
static void
instances(CUfunction function)
{
    int y = 2;
    void *arguments[] = {&x, &y};
    CUDA_KERNEL_NODE_PARAMS params = adding(function, arguments);
    CUDA_GRAPH_INSTANTIATE_PARAMS how = {0};
    CUgraph graph = NULL;
    CUgraphNode node = NULL;
    CUgraphExec execs[3] = {NULL};
    CUgraphExecUpdateResult result = 77;
    cuuint64_t flags = 99;
    char log[8] = "unset";

    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphAddKernelNode(&node, graph, NULL, 0, &params));
    how.flags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    OK(cu.cuGraphInstantiateWithParams(&execs[0], graph, &how));
    CHECK(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
    OK(cu.cuGraphExecGetFlags(execs[0], &flags));
    CHECK(flags == CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    OK(cu.cuGraphInstantiate(&execs[1], graph, NULL, log, sizeof log));
    OK(old.cuGraphInstantiate(&execs[2], graph, &node, log, sizeof log));
    CHECK(log[0] == 0);
    put(0, 0);
    for (int i = 0; i < 3; i++) {
        OK(cu.cuGraphUpload(execs[i], NULL));
        OK(cu.cuGraphLaunch(execs[i], NULL));
    }
    OK(cu.cuCtxSynchronize());
    CHECK(value(0) == 6);
    y = 10; /* the value was copied: nothing changes */
    if (native_on_cpu) {
        OK(old.cuGraphExecUpdate(execs[0], graph, &node, &result));
        CHECK(result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               old.cuGraphExecUpdate(execs[0], graph, &node, NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               cu.cuGraphExecGetFlags(execs[0], NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               cu.cuGraphInstantiateWithParams(&execs[0], graph, NULL));
    }
    for (int i = 0; i < 3; i++) {
        OK(cu.cuGraphExecDestroy(execs[i]));
    }
    OK(cu.cuGraphDestroy(graph));
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE, cu.cuGraphUpload(execs[0], NULL));
}

static void
contexts(CUcontext ctx)
{
    CUcontext other = NULL, repeated = NULL;
    CUdevice device = 99;
    CUuuid uuid = {{0}}, wanted = {{1}};

    OK(cu.cuDeviceGetUuid(&wanted, 0));
    OK(old.cuDeviceGetUuid(&uuid, 0));
    CHECK(!memcmp(&uuid, &wanted, sizeof uuid));
    if (!native_on_cpu) {
        return; /* a driver may lack the newest of these */
    }
    EXPECT(CUDA_ERROR_NOT_SUPPORTED,
           old.cuCtxCreate_v3(&other, NULL, 1, 0, 0));
    OK(old.cuCtxCreate_v3(&other, NULL, 0, 0, 0));
    CHECK(other && other != ctx);
    OK(old.cuCtxGetDevice_v2(&device, ctx));
    CHECK(device == 0);
    device = 99;
    OK(old.cuCtxGetDevice_v2(&device, NULL));
    CHECK(device == 0);
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE, old.cuCtxGetDevice_v2(NULL, ctx));
    OK(old.cuCtxSynchronize_v2(ctx));
    OK(cu.cuCtxAttach(&repeated, 0));
    CHECK(repeated == other);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuCtxAttach(&repeated, 1));
    OK(cu.cuCtxDetach(other));
    OK(cu.cuCtxGetCurrent(&repeated));
    CHECK(repeated != other);
    CHECK(old.cuCtxSynchronize_v2(other));
}

static void
managed_memory(void)
{
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    CUdeviceptr shown = 0;

    OK(cu.cuMemAllocManaged(&shown, 4096, CU_MEM_ATTACH_GLOBAL));
    OK(cu.cuMemAdvise(shown, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    OK(old.cuMemAdvise_v2(shown, 4096, CU_MEM_ADVISE_UNSET_READ_MOSTLY, here));
    OK(cu.cuMemPrefetchAsync(shown, 4096, 0, NULL));
    OK(old.cuMemPrefetchAsync_v2(shown, 4096, here, 0, NULL));
    OK(cu.cuCtxSynchronize());
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemPrefetchAsync(8, 4096, 0, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           old.cuMemPrefetchAsync_v2(shown, 4096, here, 9, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMemAdvise(8, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           old.cuMemAdvise_v2(8, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
    OK(cu.cuMemFree(shown));
}

static void
addresses(void)
{
    void *found = NULL;

    OK(old.cuGetProcAddress("cuMemAlloc", &found, 12000, 0));
    CHECK(found == *(void **)&cu.cuMemAlloc);
    EXPECT(CUDA_ERROR_NOT_FOUND,
           old.cuGetProcAddress("cuNowhere", &found, 12000, 0));
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    const char *driver = argc > 1 ? argv[1] : getenv("NATIVE_DRIVER");
    void *library = native_open(driver ? driver : "libcuda.so.1");
#define DRIVER_OLD_ROW(base, symbol, since, per_thread, parameters,           \
                       arguments)                                             \
    *(void **)&old.symbol = dlsym(library, #symbol);
#include "api/driver_old_rows.h"
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);
    CUfunction function = native_function(module, "add");
    OK(cu.cuMemAlloc(&x, 16));
    kernel_nodes(function);
    copy_nodes(ctx);
    host_nodes();
    edges();
    captures(function);
    instances(function);
    contexts(ctx);
    managed_memory();
    addresses();
    return native_end("graph_queries");
}
