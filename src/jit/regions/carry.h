/* carry.h - what carried.c finds out for carry.c.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "jit/regions/regions.h"

struct carried {
    LLVMValueRef value;
    LLVMValueRef slot;
    uint64_t live; /* the points where it lives */
    bool uniform;
    bool in_lanes;   /* in an array of the warp's lanes */
    unsigned number; /* of the uniform ones, or of the array */
    uint64_t offset; /* of the others, in the context */
};

struct carry {
    struct jit *jit;
    struct jit_split *split;
    LLVMValueRef *values; /* all instructions of the body */
    unsigned value_count;
    struct carried *list;
    unsigned count;
    LLVMBasicBlockRef before; /* runs at every point */
    LLVMValueRef linear;      /* 64 bits */
    LLVMValueRef lane;        /* the same */
    uint64_t context_bytes;
};

/* What is cheap is computed again where it is used, and is not carried. */
void jit_carry_cheap_again(struct carry *carry);
/* Lists what lives over a point, with its place. */
void jit_carry_find(struct carry *carry);
/* The bounds of a point, as text; then they are taken for true in the body. */
void jit_carry_find_bounds(struct carry *carry, unsigned point);
void jit_carry_use_bounds(struct carry *carry);

/* The context: a piece for each thread. */
LLVMTypeRef jit_carry_memory_type(struct jit *jit, LLVMTypeRef type);
uint64_t jit_carry_take_context(struct carry *carry, uint64_t bytes);
bool jit_carry_context_fits(struct carry *carry);
/* Private memory, which lies there too. */
bool jit_carry_is_private(const struct carry *carry, LLVMValueRef value);
uint64_t jit_carry_alloca_bytes(struct jit *jit, LLVMValueRef at);
