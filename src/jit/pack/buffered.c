/* buffered.c - writes loads that read several iterations' elements at once.
 *
 * Called by memory.c for the loads that iterations.c found: the lanes read
 * elements of different rows, and in each iteration of the loop a lane reads
 * the next element of its row. A gather would read one element per lane and
 * iteration. Instead, the function for a pack loads N consecutive elements per
 * lane, where N is the number of lanes of a vector register. It transposes the
 * elements of N lanes at a time, and stores them in a buffer on its stack: N
 * elements of each lane, one for each of the next N iterations.
 *
 * The loop may end before it needs all elements of the buffer. Elements are
 * read in advance only if no fault is possible: all elements that are read for
 * a lane are in one page of memory, and the current iteration reads the first
 * of them. A store of the loop may change elements of later iterations. If the
 * bytes that it writes overlap such elements, or a lane is not active, or the
 * elements of a lane are in two pages, the iteration executes a gather.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <llvm-c/Core.h>

#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* smallest page of the supported systems, in bytes */
enum { PAGE = 4096 };

/* Stack variables of a buffered load: the vectors that it has loaded in
 * advance. */
struct jit_pack_buffer {
    /* array with a vector of all lanes for each of the next depth_of() loop
     * iterations */
    LLVMValueRef elements;
    /* offset, in bytes, of the vector that the next iteration takes; that of
     * the end of the array if the buffer is empty */
    LLVMValueRef offset;
};

/* Returns the number of iterations for which a buffer has elements. */
static unsigned
depth_of(const struct jit_pack_writer *to)
{
    unsigned lanes = to->body->register_lanes;
    return lanes < to->width ? lanes : to->width;
}

/* Returns the stack variables of the buffered load. Adds them to the function
 * at the first call. */
static struct jit_pack_buffer *
buffer_of(struct jit_pack_writer *to, const struct jit_pack_buffered *row)
{
    size_t index = (size_t)(row - to->body->buffered);
    if (!to->buffers) {
        to->buffers = jit_allocate(JIT_PACK_BUFFERS * sizeof *to->buffers);
    }
    struct jit_pack_buffer *buffer = &to->buffers[index];
    if (!buffer->offset) {
        LLVMTypeRef wide = LLVMVectorType(LLVMTypeOf(row->load), to->width);
        buffer->elements =
            jit_pack_slot(to, LLVMArrayType2(wide, depth_of(to)));
        buffer->offset = jit_pack_slot(to, to->jit->i64);
    }
    return buffer;
}

/* Returns the size of a vector in the buffer of the load `at`, in bytes. */
static uint64_t
vector_bytes(const struct jit_pack_writer *to, LLVMValueRef at)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(to->jit->module);
    return LLVMABISizeOfType(layout, LLVMTypeOf(at)) * to->width;
}

/* Returns the offset of the end of the buffer of the load `at`, in bytes. */
static LLVMValueRef
end_of(const struct jit_pack_writer *to, LLVMValueRef at)
{
    return LLVMConstInt(to->jit->i64, vector_bytes(to, at) * depth_of(to), 0);
}

void
jit_pack_empty_buffers(struct jit_pack_writer *to, unsigned loop)
{
    for (unsigned i = 0; i < to->body->buffered_count; i++) {
        const struct jit_pack_buffered *row = &to->body->buffered[i];
        if (row->loop == loop) {
            LLVMBuildStore(to->builder, end_of(to, row->load),
                           buffer_of(to, row)->offset);
        }
    }
}

/* ---- conditions ---- */

static LLVMValueRef
splat64(struct jit_pack_writer *to, uint64_t value)
{
    return jit_pack_splat(to, LLVMConstInt(to->jit->i64, value, 0));
}

/* Writes a test for each lane, and returns the vector of the results: true if
 * the lane's next elements (`bytes` bytes from its address on) do not overlap
 * memory that the store writes for any lane. */
static LLVMValueRef
is_apart(struct jit_pack_writer *to, LLVMValueRef store,
         LLVMValueRef addresses, uint64_t bytes)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef address = LLVMGetOperand(store, 1);
    int64_t stride = jit_pack_shape(to->body, address).stride;
    int64_t size =
        (int64_t)LLVMABISizeOfType(LLVMGetModuleDataLayout(to->jit->module),
                                   LLVMTypeOf(LLVMGetOperand(store, 0)));
    int64_t row = stride * ((int64_t)to->width - 1);
    LLVMValueRef first = LLVMBuildPtrToInt(
        builder, jit_pack_scalar(to, address), to->jit->i64, "");
    LLVMValueRef low = LLVMBuildAdd(
        builder, first,
        LLVMConstInt(to->jit->i64, (uint64_t)(row < 0 ? row : 0), 1), "");
    LLVMValueRef high = LLVMBuildAdd(
        builder, first,
        LLVMConstInt(to->jit->i64, (uint64_t)(size + (row > 0 ? row : 0)), 1),
        "");
    LLVMValueRef ends =
        LLVMBuildAdd(builder, addresses, splat64(to, bytes), "");
    LLVMValueRef before =
        LLVMBuildICmp(builder, LLVMIntULE, ends, jit_pack_splat(to, low), "");
    LLVMValueRef behind = LLVMBuildICmp(builder, LLVMIntUGE, addresses,
                                        jit_pack_splat(to, high), "");
    return LLVMBuildOr(builder, before, behind, "");
}

/* Writes a test for each lane, and returns the vector of the results: true if
 * the operand of the sign or zero extension does not wrap in the next
 * iterations. The operand grows by 1 in each iteration. */
static LLVMValueRef
does_not_wrap(struct jit_pack_writer *to, LLVMValueRef extension)
{
    bool zero = LLVMIsAZExtInst(extension) != NULL;
    LLVMValueRef operand = LLVMGetOperand(extension, 0);
    LLVMTypeRef type = LLVMTypeOf(operand);
    uint64_t most = ~UINT64_C(0) >> (64 - LLVMGetIntTypeWidth(type) + !zero);
    return LLVMBuildICmp(
        to->builder, zero ? LLVMIntULE : LLVMIntSLE,
        jit_pack_vector(to, operand),
        jit_pack_splat(to, LLVMConstInt(type, most - depth_of(to), 0)), "");
}

/* Writes the run-time test of whether elements of later iterations may be
 * loaded now, and returns its result, an i1. The result is true if all lanes
 * are active, the elements of each lane end before the next page of memory and
 * do not overlap those of a store, and no index wraps. */
static LLVMValueRef
may_fill(struct jit_pack_writer *to, const struct jit_pack_buffered *row,
         LLVMValueRef pointers, uint64_t bytes)
{
    LLVMBuilderRef builder = to->builder;
    LLVMTypeRef wide = LLVMVectorType(to->jit->i64, to->width);
    LLVMTypeRef bits = LLVMIntTypeInContext(to->jit->context, to->width);
    LLVMValueRef addresses = LLVMBuildPtrToInt(builder, pointers, wide, "");
    LLVMValueRef in_page =
        LLVMBuildAnd(builder, addresses, splat64(to, PAGE - 1), "");
    LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntULE, in_page,
                                      splat64(to, PAGE - bytes), "");
    fits = LLVMBuildAnd(builder, fits, to->mask, "");
    for (unsigned i = 0; i < row->store_count && !PLANTED_FAULT(pack_overlap);
         i++) {
        fits = LLVMBuildAnd(
            builder, fits, is_apart(to, row->stores[i], addresses, bytes), "");
    }
    if (row->unsure) {
        fits = LLVMBuildAnd(builder, fits, does_not_wrap(to, row->unsure), "");
    }
    fits = LLVMBuildFreeze(builder, fits, "");
    return LLVMBuildICmp(builder, LLVMIntEQ,
                         LLVMBuildBitCast(builder, fits, bits, ""),
                         LLVMConstAllOnes(bits), "");
}

/* ---- the transposed elements ---- */

/* One step of a transposition: returns a vector of groups of `distance`
 * elements, taken in turn from `a` and from `b`, vectors of `size` elements.
 * If `upper` is false, these are the groups of `a` and `b` with even index; if
 * `upper` is true, the groups with odd index. */
static LLVMValueRef
interleave(struct jit_pack_writer *to, LLVMValueRef a, LLVMValueRef b,
           unsigned size, unsigned distance, bool upper)
{
    LLVMValueRef order[64];
    for (unsigned i = 0; i < size; i++) {
        bool second = i & distance;
        unsigned from = upper ? i | distance : i & ~distance;
        order[i] = jit_constant(to->jit, from + (second ? size : 0));
    }
    return LLVMBuildShuffleVector(to->builder, a, b,
                                  LLVMConstVector(order, size), "");
}

/* Writes code that transposes a square matrix. `rows` has its `size` rows as
 * vectors, and receives its columns. */
static void
transpose(struct jit_pack_writer *to, LLVMValueRef *rows, unsigned size)
{
    for (unsigned distance = 1; distance < size; distance *= 2) {
        for (unsigned i = 0; i < size; i++) {
            if (!(i & distance)) {
                LLVMValueRef a = rows[i], b = rows[i | distance];
                rows[i] = interleave(to, a, b, size, distance, false);
                rows[i | distance] =
                    interleave(to, a, b, size, distance, true);
            }
        }
    }
}

/* Writes the loads of the next elements of the lanes `lane` to `lane` +
 * depth_of() - 1, and stores them in the buffer. */
static void
fill_lanes(struct jit_pack_writer *to, LLVMValueRef at,
           const struct jit_pack_buffer *buffer, LLVMValueRef pointers,
           unsigned lane)
{
    LLVMBuilderRef builder = to->builder;
    unsigned depth = depth_of(to);
    LLVMTypeRef part = LLVMVectorType(LLVMTypeOf(at), depth);
    LLVMValueRef *rows = jit_allocate(depth * sizeof *rows);
    for (unsigned i = 0; i < depth; i++) {
        LLVMValueRef pointer = LLVMBuildExtractElement(
            builder, pointers, jit_constant(to->jit, lane + i), "");
        rows[i] = LLVMBuildLoad2(builder, part, pointer, "");
        LLVMSetAlignment(rows[i], LLVMGetAlignment(at));
    }
    transpose(to, rows, depth);
    for (unsigned i = 0; i < depth; i++) {
        LLVMValueRef index =
            jit_constant(to->jit, (i * to->width + lane) / depth);
        LLVMBuildStore(
            builder, rows[i],
            LLVMBuildGEP2(builder, part, buffer->elements, &index, 1, ""));
    }
    free(rows);
}

/* Writes the loads of the next elements of all lanes, and stores them in the
 * buffer. */
static void
fill(struct jit_pack_writer *to, LLVMValueRef at,
     const struct jit_pack_buffer *buffer, LLVMValueRef pointers)
{
    unsigned depth = depth_of(to);
    for (unsigned lane = 0; lane < to->width; lane += depth) {
        fill_lanes(to, at, buffer, pointers, lane);
    }
    LLVMBuildStore(to->builder, LLVMConstNull(to->jit->i64), buffer->offset);
}

/* Writes code that takes the next vector from the buffer, and returns the
 * vector. */
static LLVMValueRef
take(struct jit_pack_writer *to, LLVMValueRef at,
     const struct jit_pack_buffer *buffer)
{
    LLVMBuilderRef builder = to->builder;
    LLVMTypeRef wide = LLVMVectorType(LLVMTypeOf(at), to->width);
    uint64_t bytes = vector_bytes(to, at);
    LLVMValueRef offset =
        LLVMBuildLoad2(builder, to->jit->i64, buffer->offset, "");
    LLVMBuildStore(builder,
                   LLVMBuildAdd(builder, offset,
                                LLVMConstInt(to->jit->i64, bytes, 0), ""),
                   buffer->offset);
    if (PLANTED_FAULT(pack_buffer)) {
        offset = LLVMBuildXor(builder, offset,
                              LLVMConstInt(to->jit->i64, bytes, 0), "");
    }
    LLVMValueRef vector = LLVMBuildLoad2(
        builder, wide,
        LLVMBuildGEP2(builder, to->jit->i8, buffer->elements, &offset, 1, ""),
        "");
    return vector;
}

LLVMValueRef
jit_pack_load_buffered(struct jit_pack_writer *to,
                       const struct jit_pack_buffered *row)
{
    LLVMBuilderRef builder = to->builder;
    LLVMValueRef at = row->load;
    LLVMTypeRef wide = LLVMVectorType(LLVMTypeOf(at), to->width);
    struct jit_pack_buffer *buffer = buffer_of(to, row);
    uint64_t bytes = LLVMABISizeOfType(
        LLVMGetModuleDataLayout(to->jit->module), LLVMTypeOf(at));
    /* basic blocks: [0] runs if the buffer is empty; [1] fills the buffer; [2]
     * executes a gather if the buffer must not be filled; [3] takes a vector
     * from the buffer; [4] continues after the load */
    LLVMBasicBlockRef blocks[5];
    for (int i = 0; i < 5; i++) {
        blocks[i] =
            LLVMAppendBasicBlockInContext(to->jit->context, to->function, "");
    }
    LLVMValueRef offset =
        LLVMBuildLoad2(builder, to->jit->i64, buffer->offset, "");
    LLVMBuildCondBr(
        builder, LLVMBuildICmp(builder, LLVMIntEQ, offset, end_of(to, at), ""),
        blocks[0], blocks[3]);
    LLVMPositionBuilderAtEnd(builder, blocks[0]);
    LLVMValueRef pointers = jit_pack_vector(to, LLVMGetOperand(at, 0));
    LLVMBuildCondBr(builder, may_fill(to, row, pointers, bytes * depth_of(to)),
                    blocks[1], blocks[2]);
    LLVMPositionBuilderAtEnd(builder, blocks[1]);
    fill(to, at, buffer, pointers);
    LLVMBuildBr(builder, blocks[3]);
    LLVMPositionBuilderAtEnd(builder, blocks[2]);
    LLVMValueRef values[2] = {jit_pack_gather(to, at), NULL};
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(builder), blocks[3]};
    LLVMBuildBr(builder, blocks[4]);
    LLVMPositionBuilderAtEnd(builder, blocks[3]);
    values[1] = take(to, at, buffer);
    LLVMBuildBr(builder, blocks[4]);
    LLVMPositionBuilderAtEnd(builder, blocks[4]);
    LLVMValueRef phi = LLVMBuildPhi(builder, wide, "");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}
