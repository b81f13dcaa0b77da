/* argument_buffer.h - arguments of a call in a buffer in memory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_RETARGET_ARGUMENT_BUFFER_H
#define PYCUDA_JIT_RETARGET_ARGUMENT_BUFFER_H

#include <stdint.h>

#include <llvm-c/Core.h>

struct jit;

struct jit_argument_buffer {
    LLVMValueRef address; /* an alloca in the entry block of the function */
    uint64_t bytes;       /* end of the last argument */
};

/* Builds, before the call, a buffer with the arguments of the call from index
 * `first` on, each at its own alignment, as kernels and printf expect them.
 * The builder is then before the call. */
void jit_store_arguments(struct jit *jit, LLVMValueRef call, unsigned first,
                         struct jit_argument_buffer *buffer);

#endif
