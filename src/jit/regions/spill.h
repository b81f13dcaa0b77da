/* spill.h - declarations of spilled_values.c, which decides for spill.c how
 * each value passes a barrier.
 *
 * A carried value is one that is live across a barrier or another split point.
 * The context is a memory block of the entry in which carried values are
 * stored, with an element for each thread of the thread block. A start point
 * is the kernel's start or the code after a split point.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/regions/split.h"

struct spilled {
    LLVMValueRef value;
    LLVMValueRef slot;
    /* bit mask: bit k is set if the value is live at start point k (the code
     * after barrier k) */
    jit_point_set live;
    bool uniform;
    /* true: the value is stored in an array with one element per lane of a
     * warp */
    bool in_lanes;
    /* index of the value among the uniform values, or number of its lane array
     * (one element per lane of a warp) */
    unsigned number;
    /* offset in bytes in the context (a memory block with an element for each
     * thread), for a value that is neither uniform nor in a lane array */
    uint64_t offset;
};

struct spill {
    struct jit *jit;
    struct jit_split *split;
    LLVMValueRef *values; /* all instructions of the kernel body */
    unsigned value_count;
    struct spilled *list;
    unsigned count;
    /* new first basic block of the body; it runs first in every call, whether
     * the call begins at the kernel's start or after a barrier */
    LLVMBasicBlockRef before;
    /* value of the thread's linear index in the thread block, i64 */
    LLVMValueRef linear;
    LLVMValueRef lane; /* value of the thread's lane index in its warp, i64 */
    uint64_t context_bytes;
};

/* Computes cheap values again where they are used after a barrier, so that
 * they need not be stored across it. */
void jit_rematerialise_cheap(struct spill *carry);
/* Lists the values that are live across a split point, and decides where each
 * is stored. */
void jit_spill_find(struct spill *carry);
/* A bound is a condition such as threadIdx.x < n that limits the thread loop
 * after a barrier (start point `point`). jit_spill_find_bounds writes the
 * bounds of one loop as IR text for the kernel's entry function.
 * jit_spill_use_bounds replaces the branch conditions in the body that test
 * the same bounds. */
void jit_spill_find_bounds(struct spill *carry, unsigned point);
void jit_spill_use_bounds(struct spill *carry);

/* Functions for the context: memory for values that are live across a barrier,
 * with an element for each thread. jit_spill_memory_type: the type in which a
 * value of `type` is stored. jit_spill_take_context: the offset in bytes of a
 * new array with `bytes` bytes for each thread. jit_spill_context_fits:
 * whether the context is within the size limit. */
LLVMTypeRef jit_spill_memory_type(struct jit *jit, LLVMTypeRef type);
uint64_t jit_spill_take_context(struct spill *carry, uint64_t bytes);
bool jit_spill_context_fits(struct spill *carry);
/* Functions for private variables, which are in the context (memory with an
 * element for each thread) too. jit_spill_is_private: whether a value is the
 * alloca of such a variable. jit_spill_alloca_bytes: the size in bytes of the
 * alloca `at`, rounded up to its alignment. */
bool jit_spill_is_private(const struct spill *carry, LLVMValueRef value);
uint64_t jit_spill_alloca_bytes(struct jit *jit, LLVMValueRef at);
