/* copy_batch.c - batches of copies (cuMemcpyBatchAsync, cuMemcpy3DBatchAsync).
 *
 * Called by users of the library. CUDA permits any order of execution in a
 * batch; this device uses the order of the list.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/exports/visibility.h"
#include "cpu/graph/capture_hooks.h"
#include "cpu/stream/stream.h"
#include "cpu/stream/stream_state.h"
#include "cpu/stream/wait.h"
#include "cpu/texture/texture.h"

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream);

/* Checks the attributes of a batch. attributes[i] applies to the copies with
 * the indices firsts[i] to firsts[i + 1] - 1. */
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

/* Submits the copies of a batch. Stores in `*failed` the index of the copy
 * that failed, or SIZE_MAX if the error is not due to a single copy. */
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
        /* Wait for the copies, because the caller may overwrite the sources as
         * soon as the function has returned. */
        cpu_stream_wait(stream);
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

/* ---- batches of 3-D copies ---- */

/* Returns the element size in bytes of the array of an operand. Returns 1 if
 * the operand is a pointer, 0 if it is an invalid array. */
static size_t
operand_element(const CUmemcpy3DOperand *operand)
{
    if (operand->type != CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        return 1;
    }
    const struct cpu_array *array =
        cpu_handle_object(CPU_ARRAY, operand->op.array.array);
    return array ? array->element : 0;
}

/* Returns the size in bytes of an element, the unit of the width of a 3-D
 * copy. Returns 0 if the source and the destination have different element
 * sizes. */
static size_t
operation_element(const CUDA_MEMCPY3D_BATCH_OP *operation)
{
    bool from_array = operation->src.type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
    bool to_array = operation->dst.type == CU_MEMCPY_OPERAND_TYPE_ARRAY;
    size_t from = operand_element(&operation->src);
    size_t to = operand_element(&operation->dst);

    if (!from || !to || (from_array && to_array && from != to)) {
        return 0;
    }
    return to_array ? to : from;
}

/* Checks the extent, the flags and the operands of a 3-D copy in a batch.
 * `element` is the result of operation_element. */
static CUresult
operation_check(const CUDA_MEMCPY3D_BATCH_OP *operation, size_t element)
{
    const CUextent3D *extent = &operation->extent;
    size_t most = SIZE_MAX / 2 / (element ? element : 1);

    if (!element || !extent->width || !extent->height || !extent->depth ||
        extent->width > most ||
        operation->flags > CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE ||
        operation->srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
        operation->srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    for (int side = 0; side < 2; side++) {
        const CUmemcpy3DOperand *o = side ? &operation->dst : &operation->src;
        bool pointer = o->type == CU_MEMCPY_OPERAND_TYPE_POINTER;

        if ((!pointer && o->type != CU_MEMCPY_OPERAND_TYPE_ARRAY) ||
            (pointer &&
             (o->op.ptr.rowLength > most ||
              (o->op.ptr.rowLength && o->op.ptr.rowLength < extent->width) ||
              (o->op.ptr.layerHeight &&
               o->op.ptr.layerHeight < extent->height)))) {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

/* Submits one 3-D copy of a batch by a call of cuMemcpy3DAsync. */
static CUresult
box_copy(const CUDA_MEMCPY3D_BATCH_OP *operation, CUstream stream)
{
    const CUmemcpy3DOperand *from = &operation->src, *to = &operation->dst;
    size_t element = operation_element(operation);
    CUresult code = operation_check(operation, element);
    CUDA_MEMCPY3D copy = {.WidthInBytes = operation->extent.width * element,
                          .Height = operation->extent.height,
                          .Depth = operation->extent.depth,
                          .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
                          .dstMemoryType = CU_MEMORYTYPE_UNIFIED};

    if (code) {
        return code;
    }
    if (from->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.srcArray = from->op.array.array;
        copy.srcXInBytes = from->op.array.offset.x * element;
        copy.srcY = from->op.array.offset.y;
        copy.srcZ = from->op.array.offset.z;
    } else {
        copy.srcDevice = from->op.ptr.ptr;
        copy.srcPitch = from->op.ptr.rowLength * element;
        copy.srcHeight = from->op.ptr.layerHeight;
    }
    if (to->type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
        copy.dstArray = to->op.array.array;
        copy.dstXInBytes = to->op.array.offset.x * element;
        copy.dstY = to->op.array.offset.y;
        copy.dstZ = to->op.array.offset.z;
    } else {
        copy.dstDevice = to->op.ptr.ptr;
        copy.dstPitch = to->op.ptr.rowLength * element;
        copy.dstHeight = to->op.ptr.layerHeight;
    }
    return cuMemcpy3DAsync_v2(&copy, stream);
}

CPU_API CUresult
cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations,
                     size_t *failed, unsigned long long flags, CUstream handle)
{
    struct cpu_context *ctx;
    struct cpu_stream *stream;
    bool at_once = false;
    CUresult code = cpu_stream_current(handle, &ctx, &stream);

    if (!code && (!count || !operations || flags || stream == &ctx->legacy)) {
        code = CUDA_ERROR_INVALID_VALUE;
    }
    if (code && failed) {
        *failed = SIZE_MAX;
    }
    for (size_t i = 0; i < count && !code; i++) {
        code = box_copy(&operations[i], handle);
        at_once |= operations[i].srcAccessOrder ==
                   CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
        if (code && failed) {
            *failed = i;
        }
    }
    if (!code && at_once && !cpu_stream_records(stream)) {
        cpu_stream_wait(stream);
    }
    return code;
}

CPU_API CUresult
cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations,
                        unsigned long long flags, CUstream stream)
{
    return cuMemcpy3DBatchAsync(count, operations, NULL, flags, stream);
}
