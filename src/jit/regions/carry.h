/* carry.h - analysis of carried.c, used by carry.c.
 *
 * A carried value is one that is live across a barrier.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "jit/regions/regions.h"

struct carried {
    LLVMValueRef value;
    LLVMValueRef slot;
    uint64_t live; /* bit mask of the points where it is live */
    bool uniform;
    bool in_lanes;   /* spilled to a lane array */
    unsigned number; /* number of the uniform value, or of the array */
    uint64_t offset; /* otherwise: offset in the context */
};

struct carry {
    struct jit *jit;
    struct jit_split *split;
    LLVMValueRef *values; /* all instructions of the body */
    unsigned value_count;
    struct carried *list;
    unsigned count;
    LLVMBasicBlockRef before; /* runs at every point */
    LLVMValueRef linear;      /* linear thread index, i64 */
    LLVMValueRef lane;        /* lane index, i64 */
    uint64_t context_bytes;
};

/* Rematerialises cheap values where they are used, so that they need not be
 * carried. */
void jit_carry_cheap_again(struct carry *carry);
/* Lists the values that are live across a point, and assigns their places. */
void jit_carry_find(struct carry *carry);
/* Find the bounds of a point, as text; and make the body rely on them. */
void jit_carry_find_bounds(struct carry *carry, unsigned point);
void jit_carry_use_bounds(struct carry *carry);

/* The context, which has one element per thread: element type of a value,
 * allocation of `bytes` per thread (returns the offset), and a test of the
 * size limit. */
LLVMTypeRef jit_carry_memory_type(struct jit *jit, LLVMTypeRef type);
uint64_t jit_carry_take_context(struct carry *carry, uint64_t bytes);
bool jit_carry_context_fits(struct carry *carry);
/* Private variables, which are in the context too: test for one, and its size
 * in bytes, rounded up to its alignment. */
bool jit_carry_is_private(const struct carry *carry, LLVMValueRef value);
uint64_t jit_carry_alloca_bytes(struct jit *jit, LLVMValueRef at);
