/* ops.h - warp operations, such as shuffles and votes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_WARPS_OPS_H
#define PYCUDA_JIT_WARPS_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_map;

#define JIT_LANES 32

enum jit_warp_kind {
    JIT_WARP_BARRIER,
    JIT_WARP_ACTIVE, /* the operation __activemask */
    JIT_WARP_SHUFFLE,
    JIT_WARP_BALLOT,
    JIT_WARP_MATCH,
    JIT_WARP_MATCH_ALL,
    JIT_WARP_REDUCE,
};

/* One warp operation. Each lane stores operands that are not constant in lane
 * arrays, which have one element per lane. */
struct jit_warp_op {
    enum jit_warp_kind kind;
    /* which shuffle or reduction it is: enum image_shuffle or enum
     * image_reduce */
    int how;
    /* for a shuffle with a width below 32: bit mask of those bits of the lane
     * index that are equal in all lanes of a segment */
    int segment;
    /* width in bits of the value that the lanes exchange: 32 or 64 */
    unsigned bits;
    /* true: the mask is constant, and the operation is performed as if the
     * mask named all lanes */
    bool fixed_mask;
    bool shared_mask; /* true: the mask is the same in all lanes */
    /* true: `argument`, the lane or delta of a shuffle, is constant */
    bool fixed_argument;
    int32_t argument;
    /* true: the result is the same in all lanes; the kernel body receives it
     * as its argument JIT_VOTE */
    bool uniform;
    /* Numbers of the lane arrays with the operands and the result; array n is
     * %lane<n> in the entry. */
    unsigned value_lanes, argument_lanes, mask_lanes, result_lanes;
};

/* Tests whether the instruction is the call of a warp operation. */
bool jit_is_warp_op(LLVMValueRef at);
/* Fills `op` with a description of the call. `lanes_differ` has the values
 * that differ between lanes. Returns false, with the reason in *why, if the
 * entry that runs one warp after the other cannot perform the operation. */
bool jit_read_warp_op(const struct jit_map *lanes_differ, LLVMValueRef call,
                      struct jit_warp_op *op, const char **why);
/* Returns the lane from which `lane` gets its value in a shuffle. */
int jit_shuffle_source(const struct jit_warp_op *op, int lane, int argument);

/* Changes the mask of a call that all lanes of a warp reach together. A
 * uniform mask becomes the full mask, since on an H100 the lanes that the mask
 * omits take part as well. If the mask is not uniform and the call is a
 * shuffle, the call gets the flag IMAGE_SHUFFLE_CONVERGED instead. */
void jit_meet_together(struct jit *jit, const struct jit_map *differs,
                       LLVMValueRef call);
/* Tests whether the mask of a warp operation is the same in all threads and is
 * not known to be full, so that some threads may not take part. `differs`
 * marks the values that differ between threads. */
bool jit_may_leave_out(const struct jit_map *differs, LLVMValueRef call);

#endif
