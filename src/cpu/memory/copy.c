/* copy.c - one-dimensional copies, and cpu_rows_run, which performs copies of
 * all kinds. A copy is described as a three-dimensional box: a box consists of
 * slices, a slice of rows, and a row of bytes.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/memory/copy.h"
#include "cpu/memory/memory.h"
#include "cpu/run/cancellation.h"
#include "cpu/run/fault.h"
#include "cpu/run/printf.h"
#include "cpu/stream/host_function.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait.h"

#define SMALL_BYTES                                                           \
    (256u << 10) /* maximum bytes of a copy that the calling thread runs */

/* Copies each row, or each slice at once if its rows are contiguous. Tells the
 * kernel checks which bytes were copied. */
static CUresult
rows_copy(void *argument)
{
    const struct cpu_rows *rows = argument;
    bool solid =
        rows->width == rows->to_pitch && rows->width == rows->from_pitch;

    for (size_t z = 0; z < rows->depth; z++) {
        char *to = rows->to + z * rows->to_slice;
        const char *from = rows->from + z * rows->from_slice;

        if (solid || rows->height == 1) {
            memmove(to, from, rows->width * rows->height);
            if (cpu_check_flags) {
                cpu_check_copied(to, from, rows->width * rows->height);
            }
            continue;
        }
        for (size_t y = 0; y < rows->height; y++) {
            memmove(to + y * rows->to_pitch, from + y * rows->from_pitch,
                    rows->width);
            if (cpu_check_flags) {
                cpu_check_copied(to + y * rows->to_pitch,
                                 from + y * rows->from_pitch, rows->width);
            }
        }
    }
    return CUDA_SUCCESS;
}

/* Copies `bytes` contiguous bytes in chunks. Starts with the last chunk if the
 * target overlaps the end of the source. */
static CUresult
flat_copy_chunks(char *to, const char *from, size_t bytes,
                 struct cpu_interrupt *interrupt)
{
    bool backward = (uintptr_t)to - (uintptr_t)from < bytes;
    CUresult code = CUDA_SUCCESS;

    for (size_t done = 0, n; done < bytes && !code; done += n) {
        n = bytes - done < CPU_CANCELLATION_BYTES ? bytes - done
                                                  : CPU_CANCELLATION_BYTES;
        size_t at = backward ? bytes - done - n : done;
        struct cpu_rows chunk = {.to = to + at,
                                 .from = from + at,
                                 .width = n,
                                 .height = 1,
                                 .depth = 1};

        code = cpu_fault_guard(rows_copy, &chunk);
        code = code ? code : cpu_cancellation_point(interrupt);
    }
    return code;
}

/* Copies the rows of one slice in which there are gaps between the rows. A
 * chunk consists of whole rows or, if a row is larger than a chunk, of a part
 * of a row. */
static CUresult
slice_copy_chunks(const struct cpu_rows *slice,
                  struct cpu_interrupt *interrupt)
{
    size_t rows = CPU_CANCELLATION_BYTES / slice->width, n;
    CUresult code = CUDA_SUCCESS;

    for (size_t y = 0; y < slice->height && !code; y += n) {
        struct cpu_rows chunk = *slice;

        n = slice->height - y < rows ? slice->height - y : rows;
        n = n ? n : 1;
        chunk.to += y * slice->to_pitch;
        chunk.from += y * slice->from_pitch;
        chunk.height = n;
        if (!rows) {
            code =
                flat_copy_chunks(chunk.to, chunk.from, chunk.width, interrupt);
            continue;
        }
        code = cpu_fault_guard(rows_copy, &chunk);
        code = code ? code : cpu_cancellation_point(interrupt);
    }
    return code;
}

/* Performs a large copy with cancellation points. */
static __attribute__((noinline)) CUresult
rows_copy_chunks(const struct cpu_rows *rows)
{
    struct cpu_interrupt interrupt = {0};
    bool solid = rows->height == 1 || (rows->width == rows->to_pitch &&
                                       rows->width == rows->from_pitch);
    size_t bytes = rows->width * rows->height;
    size_t slices = CPU_CANCELLATION_BYTES / bytes, n;
    CUresult code = CUDA_SUCCESS;

    for (size_t z = 0; z < rows->depth && !code; z += n) {
        struct cpu_rows slice = *rows;

        n = rows->depth - z < slices ? rows->depth - z : slices;
        n = n ? n : 1;
        slice.to += z * rows->to_slice;
        slice.from += z * rows->from_slice;
        slice.depth = n;
        /* If at least one whole slice fits into CPU_CANCELLATION_BYTES, copies
         * `n` slices at once. */
        if (slices) {
            code = cpu_fault_guard(rows_copy, &slice);
            code = code ? code : cpu_cancellation_point(&interrupt);
            continue;
        }
        code = solid
                   ? flat_copy_chunks(slice.to, slice.from, bytes, &interrupt)
                   : slice_copy_chunks(&slice, &interrupt);
    }
    return code;
}

CUresult
cpu_rows_run(void *argument)
{
    const struct cpu_rows *rows = argument;

    if (rows->width * rows->height * rows->depth > CPU_CANCELLATION_BYTES) {
        return rows_copy_chunks(rows);
    }
    return cpu_fault_guard(rows_copy, argument);
}

/* Returns true if the address is in pageable host memory, which is all memory
 * that the device does not know. */
static bool
pageable(const void *address)
{
    struct cpu_allocation found;

    return !cpu_arena_find((uintptr_t)address, &found);
}

CUresult
cpu_rows_submit(const struct cpu_rows *rows, struct cpu_stream *stream,
                bool wait)
{
    size_t bytes = rows->width * rows->height * rows->depth;

    struct cpu_context *ctx = stream->ctx;

    if (!bytes) {
        return cpu_context_status(ctx);
    }
    bool records = cpu_stream_records(stream);
    bool host_waits = !records && (wait || pageable(rows->to));
    if (host_waits || (!records && pageable(rows->from))) {
        struct cpu_rows copy = *rows;

        cpu_context_enter(ctx);
        CUresult code = cpu_run_sync(stream, cpu_rows_run, &copy, host_waits);
        if (wait) {
            cpu_fifo_flush(ctx);
        }
        code = code ? code : cpu_context_status(ctx);
        cpu_context_leave(ctx);
        return code;
    }
    CUresult code =
        cpu_run_async(stream, CU_GRAPH_NODE_TYPE_MEMCPY, cpu_rows_run, rows,
                      sizeof *rows, bytes <= SMALL_BYTES);
    return code ? code : cpu_context_status(ctx);
}

/* Returns the number of rows per slice; `slice` and `pitch` are the sizes of a
 * slice and of a row in bytes. Returns 0 if there is only one slice. */
static size_t
slice_height(size_t slice, size_t pitch, size_t depth)
{
    return depth > 1 && pitch ? slice / pitch : 0;
}

/* Describes a copy for queries of graph nodes. The memory of an array is
 * described by its address, as if it were linear memory. */
void
cpu_copy_describe(const void *payload, CUDA_MEMCPY3D *params)
{
    const struct cpu_rows *rows = payload;
    bool from_host = pageable(rows->from), to_host = pageable(rows->to);

    *params = (CUDA_MEMCPY3D){
        .srcMemoryType = from_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
        .srcHost = from_host ? rows->from : NULL,
        .srcDevice = from_host ? 0 : (CUdeviceptr)(uintptr_t)rows->from,
        .srcPitch = rows->from_pitch,
        .srcHeight =
            slice_height(rows->from_slice, rows->from_pitch, rows->depth),
        .dstMemoryType = to_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
        .dstHost = to_host ? rows->to : NULL,
        .dstDevice = to_host ? 0 : (CUdeviceptr)(uintptr_t)rows->to,
        .dstPitch = rows->to_pitch,
        .dstHeight = slice_height(rows->to_slice, rows->to_pitch, rows->depth),
        .WidthInBytes = rows->width,
        .Height = rows->height,
        .Depth = rows->depth,
    };
}

/* Copies `bytes` bytes in stream order, in a stream of the current context. */
static CUresult
copy_1d(void *to, const void *from, size_t bytes, CUstream handle, bool wait)
{
    struct cpu_rows rows = {
        .to = to, .from = from, .width = bytes, .height = 1, .depth = 1};
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    if (code) {
        return code;
    }
    if (bytes && (!to || !from)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return cpu_rows_submit(&rows, stream, wait);
}

static void *
address(CUdeviceptr pointer)
{
    return (void *)(uintptr_t)pointer;
}

/* Copies `bytes` bytes. First checks, for each of the two addresses that is in
 * device memory, that one allocation contains all bytes. */
static CUresult
copy_checked(CUdeviceptr to, bool to_device, CUdeviceptr from,
             bool from_device, size_t bytes, CUstream stream, bool wait)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (!code && to_device) {
        code = cpu_memory_check(to, bytes);
    }
    if (!code && from_device) {
        code = cpu_memory_check(from, bytes);
    }
    return code ? code
                : copy_1d(address(to), address(from), bytes, stream, wait);
}

CPU_API CUresult
cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy_checked(to, true, (CUdeviceptr)(uintptr_t)from, false, bytes,
                        NULL, true);
}

CPU_API CUresult
cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                     CUstream stream)
{
    return copy_checked(to, true, (CUdeviceptr)(uintptr_t)from, false, bytes,
                        stream, false);
}

CPU_API CUresult
cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
    return copy_checked((CUdeviceptr)(uintptr_t)to, false, from, true, bytes,
                        NULL, true);
}

CPU_API CUresult
cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_checked((CUdeviceptr)(uintptr_t)to, false, from, true, bytes,
                        stream, false);
}

/* As on a GPU, this function may return before the copy is done. Later work in
 * the default stream waits for the copy. */
CPU_API CUresult
cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy_checked(to, true, from, true, bytes, NULL, false);
}

CPU_API CUresult
cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                     CUstream stream)
{
    return copy_checked(to, true, from, true, bytes, stream, false);
}

/* Copies between unified addresses. An address that the device knows is
 * checked; every other address is treated as host memory. */
static CUresult
copy_unified(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream,
             bool wait)
{
    return copy_checked(to, !pageable(address(to)), from,
                        !pageable(address(from)), bytes, stream, wait);
}

CPU_API CUresult
cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy_unified(to, from, bytes, NULL, true);
}

CPU_API CUresult
cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy_unified(to, from, bytes, stream, false);
}

/* Copies between two contexts. All contexts share one memory, so the copy runs
 * in a stream of the current context. */
static CUresult
copy_peer(CUdeviceptr to, CUcontext to_handle, CUdeviceptr from,
          CUcontext from_handle, size_t bytes, CUstream stream, bool wait)
{
    struct cpu_context *to_ctx, *from_ctx, *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (!code) {
        code = cpu_context_of(to_handle, &to_ctx);
    }
    if (!code) {
        code = cpu_context_of(from_handle, &from_ctx);
    }
    if (code) {
        return code;
    }
    /* before the copy, waits for all work of both devices, as CUDA does */
    if (wait) {
        cpu_scheduler_drain(to_ctx);
        cpu_scheduler_drain(from_ctx);
    }
    return copy_checked(to, true, from, true, bytes, stream, wait);
}

CPU_API CUresult
cuMemcpyPeer(CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from,
             CUcontext from_ctx, size_t bytes)
{
    return copy_peer(to, to_ctx, from, from_ctx, bytes, NULL, true);
}

CPU_API CUresult
cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_ctx, CUdeviceptr from,
                  CUcontext from_ctx, size_t bytes, CUstream stream)
{
    return copy_peer(to, to_ctx, from, from_ctx, bytes, stream, false);
}
