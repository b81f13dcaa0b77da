/* checks.h - what the steps that instrument checked kernels share.
 *
 * Checked kernels (--check, PYCUDA_CPU_CHECK) call __pycuda_check* of
 * image/abi.h before each access, barrier and warp operation.  The calls are
 * put in after inlining, while every instruction still has its place in the
 * source, and before anything is optimised.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECKS_H
#define PYCUDA_JIT_CHECKS_H

#include "jit/jit.h"

/* What an address was made from. */
struct jit_object {
    LLVMValueRef base; /* NULL: unknown */
    LLVMValueRef bytes;
    const char *name;
    unsigned flags; /* enum image_site_flags */
    uint64_t size;  /* 0: not known before the launch */
};

/* One access to memory. */
struct jit_access {
    LLVMValueRef at;
    unsigned operand; /* of the address */
    LLVMValueRef bytes;
    uint64_t size;      /* 0: not constant */
    LLVMValueRef value; /* that is stored, or NULL */
    unsigned flags;
    unsigned alignment;
};

/* site.c: a struct image_site for the instruction. */
LLVMValueRef jit_site(struct jit *jit, LLVMValueRef at, const char *object,
                      unsigned flags, unsigned alignment);

/* insert.c: the thread's number, where the builder stands. */
LLVMValueRef jit_linear_index(struct jit *jit);

/* object.c */
/* The bytes of an alloca, i64; instructions go where the builder stands. */
LLVMValueRef jit_alloca_bytes(struct jit *jit, LLVMValueRef variable);
void jit_object_of(struct jit *jit, LLVMValueRef pointer,
                   struct jit_object *object);

/* The name of a variable as the source has it. */
const char *jit_source_name(LLVMValueRef variable);

/* operand.c: how often the instruction accesses memory (0 to 2), and
 * what each access is. */
unsigned jit_accesses_of(struct jit *jit, LLVMValueRef at,
                         struct jit_access accesses[2]);

/* return.c: is the branch a `return` in a kernel's source? */
bool jit_is_return(struct jit *jit, LLVMValueRef at);

/* value.c: values that nobody set. */
void jit_note_copies(struct jit *jit);
/* Is the instruction a piece of the copy of a struct? */
bool jit_is_copy(LLVMValueRef at);
void jit_check_values(struct jit *jit, LLVMValueRef function);

#endif
