/* warps.h - what the steps share that run kernels by warps.
 *
 * A kernel with warp operations whose lanes reach them together is cut there
 * as at barriers (regions.h), but such a point belongs to a warp, not to the
 * block: the entry (entries/warp.c) takes one warp after the other from
 * barrier to barrier, in loops over its 32 lanes, and does the operations
 * between them on vectors (vectors.c).  What the lanes bring to an operation,
 * what they get, and what lives from one to another, lies in arrays of 32,
 * which the passes make registers where they can.
 *
 * All this holds for blocks whose blockDim.x is a multiple of 32; others run
 * the kernel on fibers (src/cpu/run/block.c), so it has both entries.
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

/* One warp operation.  What is not constant the lanes leave in arrays. */
struct jit_warp_op {
    enum jit_warp_kind kind;
    int how;             /* enum image_shuffle or image_reduce */
    int segment;         /* the lane's bits that name its shuffle's segment */
    unsigned bits;       /* of the value: 32 or 64 */
    bool fixed_mask;     /* it is a constant, which counts as all lanes */
    bool shared_mask;    /* all lanes have the same one */
    bool fixed_argument; /* `argument` is known: a shuffle's lane or delta */
    int32_t argument;
    bool uniform; /* the result is the same for all lanes: JIT_VOTE */
    /* Arrays with an item for each lane (%lane<number> in the entry). */
    unsigned value_lanes, argument_lanes, mask_lanes, result_lanes;
};

/* ops.c: is it a call of a warp operation? */
bool jit_is_warp_op(LLVMValueRef at);
/* What the call does, given what differs between lanes.  False if the entry
 * cannot do that; its cause goes to `why`. */
bool jit_read_warp_op(const struct jit_map *lanes_differ, LLVMValueRef call,
                      struct jit_warp_op *op, const char **why);
/* The lane that `lane` gets a value from. */
int jit_shuffle_source(const struct jit_warp_op *op, int lane, int argument);

/* lanes.c: do the lanes of a warp get the same from the instruction
 * although its operands differ? */
bool jit_lanes_agree(const struct jit_kernel *kernel,
                     const struct jit_map *differs, LLVMValueRef at);
/* Makes visible to LLVM what jit_lanes_agree knows, and lane numbers. */
void jit_use_warp_base(struct jit *jit, struct jit_split *split);
/* An array of 32 of the type; *number is its number in the entry.  A variable
 * of the body stands for it, until carry.c makes it an argument. */
LLVMValueRef jit_add_lanes(struct jit *jit, struct jit_split *split,
                           LLVMTypeRef type, unsigned *number);
/* The lane's number, where the builder stands. */
LLVMValueRef jit_build_lane(struct jit *jit, struct jit_split *split,
                            LLVMTypeRef type);

/* ops.c: the lanes of a warp come to the call together: what a mask leaves
 * out that does not differ takes part as well, as on an H100, and shuffles
 * know it. */
void jit_meet_together(struct jit *jit, const struct jit_map *differs,
                       LLVMValueRef call);
/* Do all lanes that call bring the same mask, which may not be the full one?
 */
bool jit_may_leave_out(const struct jit_map *differs, LLVMValueRef call);

/* lower.c: reads the operations of all points; false, and the kernel
 * knows why, if some cannot be done. */
bool jit_find_warp_ops(struct jit *jit, struct jit_split *split);
/* Points from which a loop over lanes is to be written out: `if (lane == 0)`
 * then leaves one round of 32. */
void jit_find_short_points(struct jit_split *split);
/* Puts the lanes' sides of the operations in the calls' places. */
void jit_lower_warp_ops(struct jit *jit, struct jit_split *split);

/* store.c: `if (keep) out[count] = x`, without a branch. */
void jit_open_counted_stores(struct jit *jit, struct jit_split *split);

/* vectors.c: the operation before `point`, in the entry; it sets
 * %vote.<point>. */
void jit_text_warp_op(struct jit *jit, const struct jit_warp_op *op,
                      unsigned point);

#endif
