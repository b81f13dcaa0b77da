/* user_objects.c - references that graphs hold, and data of edges.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <unistd.h>

#include "native.h"

static atomic_int ended;

static void CUDA_CB
end(void *pointer)
{
    atomic_fetch_add(&ended, *(int *)pointer);
}

static void
references(void)
{
    static int one = 1;
    CUuserObject object;
    CUgraph graph, clone;
    CUgraphExec exec;

    OK(cu.cuUserObjectCreate(&object, &one, end, 2,
                             CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuUserObjectCreate(&object, &one, NULL, 1,
                                 CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuUserObjectCreate(&object, &one, end, 1, 0));
    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuUserObjectRetain(object, 1));
    OK(cu.cuGraphRetainUserObject(graph, object, 1,
                                  CU_GRAPH_USER_OBJECT_MOVE));
    OK(cu.cuUserObjectRelease(object, 2));
    CHECK(ended == 0); /* the graph holds a reference */
    OK(cu.cuGraphClone(&clone, graph));
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuGraphDestroy(graph));
    CHECK(ended == 0);
    OK(cu.cuGraphDestroy(clone));
    CHECK(ended == 0);
    OK(cu.cuGraphExecDestroy(exec));
    CHECK(ended == 1);
    EXPECT_STALE(CUDA_ERROR_INVALID_VALUE, cu.cuUserObjectRetain(object, 1));
}

static void
given_back(void)
{
    static int ten = 10;
    CUuserObject object;
    CUgraph graph;

    OK(cu.cuUserObjectCreate(&object, &ten, end, 1,
                             CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphRetainUserObject(graph, object, 2, 0));
    OK(cu.cuUserObjectRelease(object, 1));
    OK(cu.cuGraphReleaseUserObject(graph, object, 1));
    CHECK(ended == 1);
    OK(cu.cuGraphReleaseUserObject(graph, object, 1));
    CHECK(ended == 11);
    OK(cu.cuGraphDestroy(graph));
}

/* A host function that waits for a signal to end. */
static atomic_int gate;

static void CUDA_CB
wait_for_gate(void *data)
{
    (void)data;
    while (!atomic_load(&gate)) {
        usleep(100);
    }
}

static int
ended_within(int wanted)
{
    for (int i = 0; i < 5000 && atomic_load(&ended) != wanted; i++) {
        usleep(1000);
    }
    return atomic_load(&ended) == wanted;
}

/* A graph with a waiting host function, and a reference to a user object. */
static CUgraph
holding(int *worth)
{
    CUDA_HOST_NODE_PARAMS params = {.fn = wait_for_gate};
    CUuserObject object;
    CUgraphNode node;
    CUgraph graph;

    OK(cu.cuUserObjectCreate(&object, worth, end, 1,
                             CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    OK(cu.cuGraphCreate(&graph, 0));
    OK(cu.cuGraphAddHostNode(&node, graph, NULL, 0, &params));
    OK(cu.cuGraphRetainUserObject(graph, object, 1,
                                  CU_GRAPH_USER_OBJECT_MOVE));
    return graph;
}

/* Objects that a launch may use live until the launch is over. */
static void
in_flight(void)
{
    static int hundred = 100, thousand = 1000;
    int before = atomic_load(&ended);
    CUgraph graph = holding(&hundred), other = holding(&thousand);
    CUgraphExecUpdateResultInfo info;
    CUgraphExec exec;
    CUstream stream;

    OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cu.cuGraphDestroy(graph));
    OK(cu.cuGraphLaunch(exec, stream));
    /* Now holds the other graph's references. */
    OK(cu.cuGraphExecUpdate(exec, other, &info));
    OK(cu.cuGraphDestroy(other));
    usleep(20000);
    CHECK(atomic_load(&ended) == before);
    atomic_store(&gate, 1);
    OK(cu.cuStreamSynchronize(stream));
    CHECK(ended_within(before + 100));
    atomic_store(&gate, 0);
    OK(cu.cuGraphLaunch(exec, stream));
    OK(cu.cuGraphExecDestroy(exec));
    usleep(20000);
    CHECK(atomic_load(&ended) == before + 100);
    atomic_store(&gate, 1);
    OK(cu.cuStreamSynchronize(stream));
    CHECK(ended_within(before + 1100));
    OK(cu.cuStreamDestroy(stream));
}

int
main(int argc, char **argv)
{
    CUcontext ctx;

    native_start(argc, argv);
    OK(cu.cuInit(0));
    OK(cu.cuDevicePrimaryCtxRetain(&ctx, 0));
    OK(cu.cuCtxSetCurrent(ctx));
    references();
    given_back();
    in_flight();
    OK(cu.cuDevicePrimaryCtxRelease(0));
    if (!native_failures) {
        puts("user_objects: Success");
    }
    return native_failures != 0;
}
