/* warps.h - declarations shared by the passes that run kernels by warps.
 *
 * A kernel with warp operations that its lanes reach together is split there
 * as at barriers (regions.h), but such a point belongs to a warp instead of
 * the block. The entry (entries/warp.c) runs one warp after the other from
 * barrier to barrier, in loops over its 32 lanes, and performs the operations
 * between the loops on vectors (vectors.c). Operands, results and values that
 * are live from one operation to the next are in arrays of 32 elements, which
 * passes promote to registers where possible.
 *
 * This requires a blockDim.x that is a multiple of 32. Other blocks run the
 * kernel on fibers (src/cpu/run/block.c), so the kernel has both entries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_WARPS_H
#define PYCUDA_JIT_WARPS_H

#include "jit/regions/regions.h"

#define JIT_LANES 32

enum jit_warp_kind {
    JIT_WARP_BARRIER,
    JIT_WARP_ACTIVE, /* __activemask */
    JIT_WARP_SHUFFLE,
    JIT_WARP_BALLOT,
    JIT_WARP_MATCH,
    JIT_WARP_MATCH_ALL,
    JIT_WARP_REDUCE,
};

/* One warp operation. Lanes pass operands that are not constant in arrays. */
struct jit_warp_op {
    enum jit_warp_kind kind;
    int how;             /* enum image_shuffle or image_reduce */
    int segment;         /* lane bits that select its segment in a shuffle */
    unsigned bits;       /* width of the value: 32 or 64 */
    bool fixed_mask;     /* the mask is constant and treated as full */
    bool shared_mask;    /* the mask is the same in all lanes */
    bool fixed_argument; /* `argument` is known: lane or delta of a shuffle */
    int32_t argument;
    bool uniform; /* the result is the same in all lanes: JIT_VOTE */
    /* Lane arrays, by number (%lane<number> in the entry). */
    unsigned value_lanes, argument_lanes, mask_lanes, result_lanes;
};

/* ops.c: tests for the call of a warp operation. */
bool jit_is_warp_op(LLVMValueRef at);
/* Describes the call, given the values that differ between lanes. Returns
 * false, with the reason in *why, if the entry cannot perform it. */
bool jit_read_warp_op(const struct jit_map *lanes_differ, LLVMValueRef call,
                      struct jit_warp_op *op, const char **why);
/* Returns the lane from which `lane` gets its value in a shuffle. */
int jit_shuffle_source(const struct jit_warp_op *op, int lane, int argument);

/* lanes.c: tests whether the instruction has the same result in all lanes of a
 * warp although its operands differ. */
bool jit_lanes_agree(const struct jit_kernel *kernel,
                     const struct jit_map *differs, LLVMValueRef at);
/* Rewrites such instructions, and those that compute the lane index, so that
 * LLVM sees their form. */
void jit_use_warp_base(struct jit *jit, struct jit_split *split);
/* Adds a lane array; *number is its number in the entry. Returns a variable of
 * the body that represents it until carry.c makes it an argument. */
LLVMValueRef jit_add_lanes(struct jit *jit, struct jit_split *split,
                           LLVMTypeRef type, unsigned *number);
/* Builds the lane index at the builder's position. */
LLVMValueRef jit_build_lane(struct jit *jit, struct jit_split *split,
                            LLVMTypeRef type);

/* ops.c: all lanes of a warp reach the call together. A uniform mask becomes
 * the full one, since on an H100 lanes that it omits take part as well; a
 * shuffle with other masks is marked. */
void jit_meet_together(struct jit *jit, const struct jit_map *differs,
                       LLVMValueRef call);
/* Tests whether all calling lanes have the same mask, and it may not be
 * full. */
bool jit_may_leave_out(const struct jit_map *differs, LLVMValueRef call);

/* lower.c: describes the operations of all points. Returns false, with the
 * reason in the kernel's warps_not, if one cannot be performed. */
bool jit_find_warp_ops(struct jit *jit, struct jit_split *split);
/* Finds points with short loops over lanes, which are worth unrolling: of the
 * loop of `if (lane == 0)` one iteration of 32 remains. */
void jit_find_short_points(struct jit_split *split);
/* Replaces the calls by stores of operands and loads of results. */
void jit_lower_warp_ops(struct jit *jit, struct jit_split *split);

/* store.c: makes `if (keep) out[count] = x` branch-free. */
void jit_open_counted_stores(struct jit *jit, struct jit_split *split);

/* vectors.c: writes the operation before `point` in the entry; sets
 * %vote.<point>. */
void jit_text_warp_op(struct jit *jit, const struct jit_warp_op *op,
                      unsigned point);

#endif
