/* user_objects.c - references that graphs hold, and data of edges.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

static int ended;

static void CUDA_CB
end(void *pointer)
{
    ended += *(int *)pointer;
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
    CHECK(ended == 0); /* the graph has one */
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
    OK(cu.cuDevicePrimaryCtxRelease(0));
    if (!native_failures) {
        puts("user_objects: Success");
    }
    return native_failures != 0;
}
