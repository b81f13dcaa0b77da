/* warps.h - declarations shared by the passes that run kernels by warps.
 *
 * If all lanes of a warp reach each warp operation together, the kernel is
 * split at these operations as at barriers (regions.h). The difference is that
 * only the lanes of one warp meet there, not the whole block. The entry
 * (entries/warp.c) runs one warp after the other from barrier to barrier, in
 * loops over its 32 lanes, and performs the operations between the loops on
 * vectors (vectors.c). Operands, results and values that are live from one
 * operation to the next are in arrays of 32 elements, which passes promote to
 * registers where possible.
 *
 * This requires a blockDim.x that is a multiple of 32. Other thread blocks run
 * the kernel on fibers (src/cpu/run/block.c), so the kernel has both entries.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_WARPS_H
#define PYCUDA_JIT_WARPS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;
struct jit_map;
struct jit_split;

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
    bool fixed_mask;  /* the mask is constant and treated as full */
    bool shared_mask; /* the mask is the same in all lanes */
    /* `argument`, the lane or delta of a shuffle, is constant */
    bool fixed_argument;
    int32_t argument;
    /* the result is the same in all lanes; the kernel body receives it as its
     * argument JIT_VOTE */
    bool uniform;
    /* Numbers of the lane arrays with the operands and the result; array n is
     * %lane<n> in the entry. */
    unsigned value_lanes, argument_lanes, mask_lanes, result_lanes;
};

/* ops.c: tests whether the instruction is the call of a warp operation. */
bool jit_is_warp_op(LLVMValueRef at);
/* Fills `op` with a description of the call. `lanes_differ` has the values
 * that differ between lanes. Returns false, with the reason in *why, if warp
 * entries cannot perform the operation. */
bool jit_read_warp_op(const struct jit_map *lanes_differ, LLVMValueRef call,
                      struct jit_warp_op *op, const char **why);
/* Returns the lane from which `lane` gets its value in a shuffle. */
int jit_shuffle_source(const struct jit_warp_op *op, int lane, int argument);

/* lanes.c: tests whether the instruction has the same result in all lanes of a
 * warp although its operands differ. */
bool jit_lanes_agree(const struct jit_kernel *kernel,
                     const struct jit_map *differs, LLVMValueRef at);
/* Rewrites two kinds of instructions so that LLVM recognises their results.
 * Those with the same result in all lanes, although their operands differ, use
 * the first lane's index instead. Those that compute the lane index are
 * replaced by it. */
void jit_use_warp_base(struct jit *jit, struct jit_split *split);
/* Adds a lane array (one element of `type` per lane) and sets *number to its
 * number in the entry. Returns an alloca in the body that represents it until
 * spill.c makes it an argument. */
LLVMValueRef jit_add_lanes(struct jit *jit, struct jit_split *split,
                           LLVMTypeRef type, unsigned *number);
/* Builds, at the builder's position, the current thread's lane index, and
 * returns it. */
LLVMValueRef jit_build_lane(struct jit *jit, struct jit_split *split,
                            LLVMTypeRef type);

/* ops.c: changes a call that all lanes of a warp reach together. A uniform
 * mask becomes the full mask, since on an H100 the lanes that it omits take
 * part as well. A shuffle with other masks gets the flag
 * IMAGE_SHUFFLE_CONVERGED. */
void jit_meet_together(struct jit *jit, const struct jit_map *differs,
                       LLVMValueRef call);
/* Tests whether all threads pass the same mask to the call, and this mask is
 * not known to be full. */
bool jit_may_leave_out(const struct jit_map *differs, LLVMValueRef call);

/* lower.c: fills regions->warp_ops with a description of each warp operation
 * at which the kernel is split. Returns false, with the reason in
 * kernel->warps_not, if warp entries cannot perform one of them. */
bool jit_find_warp_ops(struct jit *jit, struct jit_split *split);
/* Finds the start points (the kernel's begin and the code after each warp
 * operation) whose loops over the 32 lanes have so little code that unrolling
 * pays off. For example, unrolling the loop around `if (lane == 0)` leaves a
 * single iteration. */
void jit_find_short_points(struct jit_split *split);
/* Replaces the calls of warp operations by stores of their operands to lane
 * arrays and loads of their results. */
void jit_lower_warp_ops(struct jit *jit, struct jit_split *split);

/* store.c: makes stores such as `if (keep) out[count] = x` branch-free, where
 * the address depends on __popc. */
void jit_open_counted_stores(struct jit *jit, struct jit_split *split);

/* vectors.c: writes IR text of the entry that performs the warp operation
 * before start point `point`, and sets %vote.<point> to the result, or to 0 if
 * it differs between lanes. */
void jit_text_warp_op(struct jit *jit, const struct jit_warp_op *op,
                      unsigned point);

#endif
