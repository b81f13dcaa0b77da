/* edges.c - the forms of graph functions that know data of edges.
 *
 * Called by programs for CUDA 12.3 and newer.  All edges here are plain
 * ones, whose data is zero; any other is refused.
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "cpu/cpu.h"

/* The library's own, of the older forms. */
CUresult cuStreamGetCaptureInfo_v2(CUstream stream,
                                   CUstreamCaptureStatus *status,
                                   cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   size_t *count);
CUresult cuStreamUpdateCaptureDependencies(CUstream stream,
                                           CUgraphNode *dependencies,
                                           size_t count, unsigned flags);
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                                const CUgraphNode *to, size_t count);
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                   const CUgraphNode *to, size_t count);
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                         size_t *count);
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *others,
                                    size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *others,
                                      size_t *count);

static bool
all_plain(const CUgraphEdgeData *edges, size_t count)
{
    static const CUgraphEdgeData plain;

    for (size_t i = 0; edges && i < count; i++) {
        if (memcmp(&edges[i], &plain, sizeof plain) != 0) {
            return false;
        }
    }
    return true;
}

/* Answers of a query: `room` is what the caller has place for. */
static CUresult
answer(CUresult code, CUgraphEdgeData *edges, size_t room)
{
    if (!code && edges) {
        memset(edges, 0, room * sizeof *edges);
    }
    return code;
}

CPU_API CUresult
cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status,
                          cuuint64_t *id, CUgraph *graph,
                          const CUgraphNode **dependencies,
                          const CUgraphEdgeData **edges, size_t *count)
{
    if (edges) {
        *edges = NULL; /* all are plain */
    }
    return cuStreamGetCaptureInfo_v2(stream, status, id, graph, dependencies,
                                     count);
}

CPU_API CUresult
cuStreamUpdateCaptureDependencies_v2(CUstream stream,
                                     CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges,
                                     size_t count, unsigned flags)
{
    return all_plain(edges, dependencies ? count : 0)
               ? cuStreamUpdateCaptureDependencies(stream, dependencies, count,
                                                   flags)
               : CUDA_ERROR_NOT_SUPPORTED;
}

CPU_API CUresult
cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from,
                          const CUgraphNode *to, const CUgraphEdgeData *edges,
                          size_t count)
{
    return all_plain(edges, count)
               ? cuGraphAddDependencies(graph, from, to, count)
               : CUDA_ERROR_NOT_SUPPORTED;
}

CPU_API CUresult
cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from,
                             const CUgraphNode *to,
                             const CUgraphEdgeData *edges, size_t count)
{
    return all_plain(edges, count)
               ? cuGraphRemoveDependencies(graph, from, to, count)
               : CUDA_ERROR_NOT_SUPPORTED;
}

CPU_API CUresult
cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                   CUgraphEdgeData *edges, size_t *count)
{
    size_t room = count ? *count : 0;

    return answer(cuGraphGetEdges(graph, from, to, count), from ? edges : NULL,
                  room);
}

CPU_API CUresult
cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *others,
                              CUgraphEdgeData *edges, size_t *count)
{
    size_t room = count ? *count : 0;

    return answer(cuGraphNodeGetDependencies(node, others, count),
                  others ? edges : NULL, room);
}

CPU_API CUresult
cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *others,
                                CUgraphEdgeData *edges, size_t *count)
{
    size_t room = count ? *count : 0;

    return answer(cuGraphNodeGetDependentNodes(node, others, count),
                  others ? edges : NULL, room);
}
