/* checks.h - declarations shared by the passes that instrument checked
 * kernels.
 *
 * Checked kernels (--check, PYCUDA_CPU_CHECK) call the runtime's functions
 * __pycuda_check* (image/abi.h) before each access, barrier and warp
 * operation. The calls are inserted after inlining and before anything is
 * optimised, while every instruction still has its source location.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_CHECKS_H
#define PYCUDA_JIT_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;

/* The object (variable, parameter or allocation) that an address was computed
 * from. */
struct jit_object {
    LLVMValueRef base; /* address of the object; NULL: unknown */
    LLVMValueRef bytes;
    const char *name;
    unsigned flags; /* bit mask of enum image_site_flags */
    /* size in bytes of the variable or allocation; 0: not known before the
     * launch */
    uint64_t size;
};

/* One memory access: the instruction `at`, and the properties of the access
 * that its check needs. */
struct jit_access {
    LLVMValueRef at;
    /* index of the instruction's operand that is the address */
    unsigned operand;
    LLVMValueRef bytes;
    uint64_t size;      /* size of the access in bytes; 0: not constant */
    LLVMValueRef value; /* the value stored, or NULL for a load */
    unsigned flags;
    unsigned alignment;
};

/* source_sites.c: returns a pointer to a new struct image_site for the
 * instruction. `object` may be NULL; flags are enum image_site_flags. */
LLVMValueRef jit_site(struct jit *jit, LLVMValueRef at, const char *object,
                      unsigned flags, unsigned alignment);

/* insert.c: builds the thread's linear index in its block, an i32, at the
 * builder's position, and returns it. */
LLVMValueRef jit_linear_index(struct jit *jit);

/* ---- object.c ---- */
/* Returns the size of a private variable (an alloca) in bytes, as i64. Builds
 * instructions at the builder's position if the size is not constant. */
LLVMValueRef jit_alloca_bytes(struct jit *jit, LLVMValueRef variable);
/* Fills `object` with what is known of the object from which `pointer` was
 * computed. Instructions are built at the builder's position. */
void jit_object_of(struct jit *jit, LLVMValueRef pointer,
                   struct jit_object *object);

/* Returns the name that a device or shared variable has in the source. */
const char *jit_source_name(LLVMValueRef variable);

/* operand.c: stores descriptions of the memory accesses of an instruction to
 * `accesses`; returns their number, 0 to 2. */
unsigned jit_accesses_of(struct jit *jit, LLVMValueRef at,
                         struct jit_access accesses[2]);

/* return.c: tests whether the branch comes from a `return` statement of a
 * kernel. */
bool jit_is_return(struct jit *jit, LLVMValueRef at);

/* uninitialized.c: records where the source copies structs. Called before the
 * pass SROA splits these copies into single loads and stores. */
void jit_note_copies(struct jit *jit);
/* Tests whether the load or store is a part of a struct copy that SROA
 * split. */
bool jit_is_copy(LLVMValueRef at);
/* Inserts checks for uses of private variables that may be uninitialized. */
void jit_check_values(struct jit *jit, LLVMValueRef function);

/* checks/insert.c: inserts calls of __pycuda_check*, which check accesses and
 * barriers at run time. */
void jit_insert_checks(struct jit *jit);
/* checks/insert.c: removes the checks of barriers from a kernel for which it
 * was proved that all threads of a block reach each barrier together. */
void jit_remove_stop_checks(struct jit *jit, struct jit_kernel *kernel);

#endif
