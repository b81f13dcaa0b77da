/* copy_batch.c - many copies by one call.
 *
 * Called by users of the library.  The copies of a batch may be done in any
 * order: here they are done in the order of the list.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/cpu.h"

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream);

/* Attributes i are those of the copies from firsts[i] up to firsts[i + 1]. */
static CUresult
attributes_check(const CUmemcpyAttributes *attributes, const size_t *firsts,
                 size_t count, size_t copies)
{
    if (!attributes || !firsts || !count || count > copies || firsts[0]) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++) {
        int order = (int)attributes[i].srcAccessOrder;

        if (order < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            order > CU_MEMCPY_SRC_ACCESS_ORDER_ANY || firsts[i] >= copies ||
            attributes[i].flags > CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE ||
            (i && firsts[i] <= firsts[i - 1])) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

struct batch {
    CUdeviceptr *to, *from;
    size_t *bytes, count;
    CUmemcpyAttributes *attributes;
    size_t *firsts, attribute_count;
};

/* `*failed`: the first copy that could not be made; SIZE_MAX: another error.
 */
static CUresult
batch_copy(const struct batch *batch, CUstream handle, size_t *failed)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    bool at_once = false;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    *failed = SIZE_MAX;
    if (code) {
        return code;
    }
    if (!batch->to || !batch->from || !batch->bytes || !batch->count ||
        stream == &ctx->legacy) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = attributes_check(batch->attributes, batch->firsts,
                            batch->attribute_count, batch->count);
    for (size_t i = 0; i < batch->count && !code; i++) {
        code = cuMemcpyAsync(batch->to[i], batch->from[i], batch->bytes[i],
                             handle);
        *failed = code ? i : SIZE_MAX;
    }
    for (size_t i = 0; i < batch->attribute_count && !code; i++) {
        at_once |= batch->attributes[i].srcAccessOrder ==
                   CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    }
    if (!code && at_once && !cpu_stream_records(stream)) {
        cpu_stream_wait(stream); /* the sources may change from now on */
    }
    return code;
}

CPU_API CUresult
cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes,
                      size_t count, CUmemcpyAttributes *attributes,
                      size_t *firsts, size_t attribute_count, CUstream stream)
{
    struct batch batch = {to,         from,   bytes,          count,
                          attributes, firsts, attribute_count};
    size_t failed;

    return batch_copy(&batch, stream, &failed);
}

CPU_API CUresult
cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *bytes,
                   size_t count, CUmemcpyAttributes *attributes,
                   size_t *firsts, size_t attribute_count, size_t *failed,
                   CUstream stream)
{
    struct batch batch = {to,         from,   bytes,          count,
                          attributes, firsts, attribute_count};
    size_t first;
    CUresult code = batch_copy(&batch, stream, &first);

    if (failed && code) {
        *failed = first;
    }
    return code;
}
