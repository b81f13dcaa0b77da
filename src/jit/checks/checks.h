/* checks.h - declarations shared by the passes that instrument checked
 * kernels.
 *
 * Checked kernels (--check, PYCUDA_CPU_CHECK) call __pycuda_check* of
 * image/abi.h before each access, barrier and warp operation. The calls are
 * inserted after inlining, while every instruction still has its source
 * location, and before anything is optimised.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECKS_H
#define PYCUDA_JIT_CHECKS_H

#include "jit/jit.h"

/* The object that an address was derived from. */
struct jit_object {
    LLVMValueRef base; /* NULL: unknown */
    LLVMValueRef bytes;
    const char *name;
    unsigned flags; /* enum image_site_flags */
    uint64_t size;  /* 0: not known before the launch */
};

/* One memory access. */
struct jit_access {
    LLVMValueRef at;
    unsigned operand; /* index of the address operand */
    LLVMValueRef bytes;
    uint64_t size;      /* 0: not constant */
    LLVMValueRef value; /* stored value, or NULL */
    unsigned flags;
    unsigned alignment;
};

/* site.c: returns a pointer to a new struct image_site for the instruction.
 * `object` may be NULL; flags are enum image_site_flags. */
LLVMValueRef jit_site(struct jit *jit, LLVMValueRef at, const char *object,
                      unsigned flags, unsigned alignment);

/* insert.c: builds the thread's linear index at the builder's position. */
LLVMValueRef jit_linear_index(struct jit *jit);

/* object.c */
/* Returns the size of an alloca in bytes, i64; instructions are built at the
 * builder's position. */
LLVMValueRef jit_alloca_bytes(struct jit *jit, LLVMValueRef variable);
/* Describes the object that `pointer` was derived from; instructions are built
 * at the builder's position. */
void jit_object_of(struct jit *jit, LLVMValueRef pointer,
                   struct jit_object *object);

/* Returns the name of a variable in the source. */
const char *jit_source_name(LLVMValueRef variable);

/* operand.c: describes the memory accesses of an instruction; returns their
 * number, 0 to 2. */
unsigned jit_accesses_of(struct jit *jit, LLVMValueRef at,
                         struct jit_access accesses[2]);

/* return.c: tests whether the branch is a `return` statement of a kernel. */
bool jit_is_return(struct jit *jit, LLVMValueRef at);

/* value.c: remembers the copies of structs. Call it before SROA splits
 * them. */
void jit_note_copies(struct jit *jit);
/* Tests whether the instruction is a part of a copied struct. */
bool jit_is_copy(LLVMValueRef at);
/* Inserts checks for uses of uninitialized private values. */
void jit_check_values(struct jit *jit, LLVMValueRef function);

#endif
