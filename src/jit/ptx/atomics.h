/* atomics.h - atomic operations of PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_ATOMICS_H
#define PYCUDA_JIT_PTX_ATOMICS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/ptx/halves.h"
#include "jit/ptx/ptx.h"

/* Builds atom or red: exch, cas, arithmetic and bit operations on integers,
 * floats, 16-bit floats and vectors of them. Returns false on failure. */
bool ptx_build_atomic(struct ptx *ptx, const struct ptx_statement *statement);

/* The type of the elements that an atomic operation updates. */
struct ptx_atomic {
    bool is_half;
    struct ptx_half half; /* only if is_half */
    struct ptx_type type; /* type of an element; untyped bits if is_half */
};

/* Finds the type of an atomic operation among the modifiers of the statement.
 * Returns false if no modifier is a type. */
bool ptx_atomic_type(const struct ptx_statement *statement,
                     struct ptx_atomic *atomic);
/* Builds the atomic operation that the statement's modifiers name, such as
 * .add, on the element at address `at`. Returns the old value as an integer,
 * or NULL on failure. */
LLVMValueRef ptx_atomic_update(struct ptx *ptx,
                               const struct ptx_statement *statement,
                               const struct ptx_atomic *atomic,
                               LLVMValueRef at, LLVMValueRef value);

#endif
