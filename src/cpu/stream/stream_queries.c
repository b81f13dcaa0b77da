/* stream_queries.c - queries about streams.
 *
 * Called by users of the library.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include "cpu/device/context.h"
#include "cpu/device/green.h"
#include "cpu/exports/visibility.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

/* Looks up the stream for a query that stores its answer in `*result`.
 * `result` must not be NULL. */
static CUresult
stream_for_query(CUstream handle, const void *result,
                 struct cpu_stream **stream)
{
    CUresult code = cpu_stream_any(handle, stream);

    return code || result ? code : CUDA_ERROR_INVALID_VALUE;
}

CPU_API CUresult
cuStreamGetFlags(CUstream handle, unsigned *flags)
{
    struct cpu_stream *stream;
    CUresult code = stream_for_query(handle, flags, &stream);

    if (!code) {
        *flags = stream->flags;
    }
    return code;
}

CPU_API CUresult
cuStreamGetPriority(CUstream handle, int *priority)
{
    struct cpu_stream *stream;
    CUresult code = stream_for_query(handle, priority, &stream);

    if (!code) {
        *priority = stream->priority;
    }
    return code;
}

CPU_API CUresult
cuStreamGetId(CUstream handle, unsigned long long *id)
{
    struct cpu_stream *stream;
    CUresult code = stream_for_query(handle, id, &stream);

    if (!code) {
        *id = stream->id;
    }
    return code;
}

/* Returns the green context of the stream. For a default stream, returns the
 * green context that is current. */
static struct cpu_green *
stream_green(CUstream handle, const struct cpu_stream *stream)
{
    bool special = !handle || handle == CU_STREAM_LEGACY ||
                   handle == CU_STREAM_PER_THREAD;

    return special ? cpu_green_current() : stream->green;
}

CPU_API CUresult
cuStreamGetCtx(CUstream handle, CUcontext *ctx)
{
    struct cpu_stream *stream;
    CUresult code = stream_for_query(handle, ctx, &stream);

    if (!code) {
        struct cpu_green *green = stream_green(handle, stream);

        *ctx = green ? green->context : stream->ctx->handle;
    }
    return code;
}

CPU_API CUresult
cuStreamGetGreenCtx(CUstream handle, CUgreenCtx *green)
{
    struct cpu_stream *stream;
    CUresult code = stream_for_query(handle, green, &stream);

    if (!code) {
        struct cpu_green *found = stream_green(handle, stream);

        *green = found ? found->handle : NULL;
    }
    return code;
}

CPU_API CUresult
cuStreamGetCtx_v2(CUstream handle, CUcontext *ctx, CUgreenCtx *green)
{
    struct cpu_stream *stream;
    CUresult code =
        ctx ? cuStreamGetGreenCtx(handle, green) : CUDA_ERROR_INVALID_VALUE;

    code = code ? code : cpu_stream_any(handle, &stream);
    if (!code && *green && handle == CU_STREAM_PER_THREAD) {
        code = CUDA_ERROR_INVALID_HANDLE;
    }
    if (!code) {
        *ctx = stream->ctx->handle;
    }
    return code;
}

CPU_API CUresult
cuStreamGetDevice(CUstream handle, CUdevice *device)
{
    struct cpu_stream *stream;
    CUresult code = stream_for_query(handle, device, &stream);

    if (!code) {
        *device = stream->ctx->device;
    }
    return code;
}
