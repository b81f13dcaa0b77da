/* fill.c - cuMemset*: fills memory with patterns of 1, 2 and 4 bytes.
 *
 * Called by users of the library. Fills run in stream order; small ones run on
 * the caller's thread if the stream is idle.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/graph.h"
#include "cpu/memory/memory.h"
#include "cpu/run/cancellation.h"
#include "cpu/stream/host_function.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"

#define SMALL_BYTES (64u << 10)

struct fill {
    char *to;
    /* pitch in bytes, width in elements, height in rows */
    size_t pitch, width, height;
    uint32_t value;
    uint32_t element; /* size of an element in bytes: 1, 2 or 4 */
};

static void
row_fill(char *to, size_t count, uint32_t element, uint32_t value)
{
    switch (element) {
    case 1:
        memset(to, (int)value, count);
        break;
    case 2:
        for (size_t i = 0; i < count; i++) {
            ((uint16_t *)(void *)to)[i] = (uint16_t)value;
        }
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            ((uint32_t *)(void *)to)[i] = value;
        }
    }
}

/* Fills all rows, and tells the kernel checks which bytes were written. */
static void
rows_fill(const struct fill *fill)
{
    for (size_t y = 0; y < fill->height; y++) {
        row_fill(fill->to + y * fill->pitch, fill->width, fill->element,
                 fill->value);
        cpu_check_filled(fill->to + y * fill->pitch,
                         fill->width * fill->element);
    }
}

/* Performs a large fill with cancellation points: a chunk consists of whole
 * rows or, if a row is larger than a chunk, of a part of a row. */
static __attribute__((noinline)) CUresult
rows_fill_chunks(const struct fill *fill)
{
    struct cpu_interrupt interrupt = {0};
    size_t row = fill->width * fill->element;
    size_t rows = CPU_CANCELLATION_BYTES / row;
    size_t part = CPU_CANCELLATION_BYTES / fill->element, n;
    CUresult code = CUDA_SUCCESS;

    for (size_t y = 0; y < fill->height; y += n) {
        struct fill chunk = *fill;

        n = fill->height - y < rows ? fill->height - y : rows;
        n = n ? n : 1;
        chunk.height = n;
        for (size_t x = 0; x < fill->width && !code; x += chunk.width) {
            size_t rest = fill->width - x;

            chunk.to = fill->to + y * fill->pitch + x * fill->element;
            chunk.width = rows || rest < part ? rest : part;
            rows_fill(&chunk);
            code = cpu_cancellation_point(&interrupt);
        }
        if (code) {
            return code;
        }
    }
    return CUDA_SUCCESS;
}

static CUresult
fill_run(void *argument)
{
    const struct fill *fill = argument;

    if (fill->width * fill->height * fill->element > CPU_CANCELLATION_BYTES) {
        return rows_fill_chunks(fill);
    }
    rows_fill(fill);
    return CUDA_SUCCESS;
}

void
cpu_fill_describe(const void *payload, CUDA_MEMSET_NODE_PARAMS *params)
{
    const struct fill *fill = payload;

    *params =
        (CUDA_MEMSET_NODE_PARAMS){.dst = (CUdeviceptr)(uintptr_t)fill->to,
                                  .pitch = fill->pitch,
                                  .value = fill->value,
                                  .elementSize = fill->element,
                                  .width = fill->width,
                                  .height = fill->height};
}

/* Checks alignment, pitch and bounds of a fill, and submits it to the stream.
 * An empty fill is not submitted. */
static CUresult
fill_submit(const struct fill *fill, CUstream handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);
    size_t row = fill->width * fill->element;

    if (code) {
        return code;
    }
    if (!row || !fill->height) {
        return CUDA_SUCCESS;
    }
    if ((uintptr_t)fill->to % fill->element ||
        (fill->height > 1 &&
         (fill->pitch < row || fill->pitch % fill->element))) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    size_t bytes = (fill->height - 1) * fill->pitch + row;
    code = cpu_memory_check((CUdeviceptr)(uintptr_t)fill->to, bytes);
    return code ? code
                : cpu_run_async(stream, CU_GRAPH_NODE_TYPE_MEMSET, fill_run,
                                fill, sizeof *fill, bytes <= SMALL_BYTES);
}

/* Fills `count` elements of `element` bytes with `value`. */
static CUresult
fill_1d(CUdeviceptr to, uint32_t value, uint32_t element, size_t count,
        CUstream stream)
{
    struct fill fill = {.to = (char *)(uintptr_t)to,
                        .width = count,
                        .height = 1,
                        .value = value,
                        .element = element};

    return count > SIZE_MAX / 4 ? CUDA_ERROR_INVALID_VALUE
                                : fill_submit(&fill, stream);
}

/* Fills `height` rows of `width` elements with `value`. The pitch is in
 * bytes. */
static CUresult
fill_box(CUdeviceptr to, size_t pitch, uint32_t value, uint32_t element,
         size_t width, size_t height, CUstream stream)
{
    struct fill fill = {.to = (char *)(uintptr_t)to,
                        .pitch = pitch,
                        .width = width,
                        .height = height,
                        .value = value,
                        .element = element};

    if (width > SIZE_MAX / 4 || (height && pitch > SIZE_MAX / height / 2)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    return fill_submit(&fill, stream);
}

CPU_API CUresult
cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count)
{
    return fill_1d(to, value, 1, count, NULL);
}

CPU_API CUresult
cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count)
{
    return fill_1d(to, value, 2, count, NULL);
}

CPU_API CUresult
cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count)
{
    return fill_1d(to, value, 4, count, NULL);
}

CPU_API CUresult
cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                CUstream stream)
{
    return fill_1d(to, value, 1, count, stream);
}

CPU_API CUresult
cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                 CUstream stream)
{
    return fill_1d(to, value, 2, count, stream);
}

CPU_API CUresult
cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    return fill_1d(to, value, 4, count, stream);
}

CPU_API CUresult
cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value,
                size_t width, size_t height)
{
    return fill_box(to, pitch, value, 1, width, height, NULL);
}

CPU_API CUresult
cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value,
                 size_t width, size_t height)
{
    return fill_box(to, pitch, value, 2, width, height, NULL);
}

CPU_API CUresult
cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                 size_t height)
{
    return fill_box(to, pitch, value, 4, width, height, NULL);
}

CPU_API CUresult
cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                  size_t width, size_t height, CUstream stream)
{
    return fill_box(to, pitch, value, 1, width, height, stream);
}

CPU_API CUresult
cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                   size_t width, size_t height, CUstream stream)
{
    return fill_box(to, pitch, value, 2, width, height, stream);
}

CPU_API CUresult
cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width,
                   size_t height, CUstream stream)
{
    return fill_box(to, pitch, value, 4, width, height, stream);
}
