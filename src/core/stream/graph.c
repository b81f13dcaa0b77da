/* graph.c - functions that graphs and executable graphs share: handles,
 * captures, and the arguments of a launch.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/state.h"
#include "core/stream/graph.h"
#include "core/stream/open_captures.h"
#include "core/stream/stream.h"

CUgraph
core_graph_handle(struct core_graph *self, const char *routine)
{
    if (!self->context->valid) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, routine, NULL);
        return NULL;
    }
    if (self->handle == NULL) {
        core_fail(CUDA_ERROR_ILLEGAL_STATE, routine,
                  "the graph's capture has not ended, or failed");
    }
    return self->handle;
}

/* Adds the graph to the stream's capture as a child node that depends on the
 * stream's last captured operations. */
static CUresult
node_capture(CUgraph graph, CUstream stream)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *tips;
    CUgraphNode node;
    CUgraph into;
    size_t count;
    CUresult code = driver.cuStreamGetCaptureInfo(stream, &status, NULL, &into,
                                                  &tips, &count);
    if (code == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (code == CUDA_SUCCESS) {
        code =
            driver.cuGraphAddChildGraphNode(&node, into, tips, count, graph);
    }
    return code != CUDA_SUCCESS
               ? code
               : driver.cuStreamUpdateCaptureDependencies(
                     stream, &node, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
}

int
core_graph_capture(struct core_graph *self, CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    driver.cuStreamIsCapturing(stream, &status);
    if (status == CU_STREAM_CAPTURE_STATUS_NONE) {
        return 0;
    }
    CUgraph handle = core_graph_handle(self, "cuGraphLaunch");
    if (handle == NULL ||
        core_capture_retain(self->context, (PyObject *)self) < 0 ||
        core_check(node_capture(handle, stream), "cuGraphAddChildGraphNode") <
            0) {
        return -1;
    }
    return 1;
}

/* Reads the arguments of the method launch(stream=None). The context of the
 * launch is the stream's context if a Stream is given, and the current context
 * if no stream or another library's stream is given. */
int
core_graph_launch_args(CORE_ARGS, struct core_graph_launch *launch)
{
    static const struct core_signature signature = {"launch", 0, {"stream"}};
    PyObject *values[1];
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_stream(values[0], &launch->stream) < 0) {
        return -1;
    }
    launch->context = core_current();
    if (launch->context != NULL && values[0] != NULL &&
        PyObject_TypeCheck(values[0], core.stream_type)) {
        launch->context = ((struct core_stream_object *)values[0])->context;
    }
    return launch->context == NULL ? -1 : 0;
}
