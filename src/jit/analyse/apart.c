/* apart.c - finds kernels with blocks that cannot observe other running
 * blocks.
 *
 * No block of such a kernel waits for another, so that the runtime may start
 * them in any order. A thread observes other blocks by a volatile or atomic
 * read, or by a read after a fence. Printing counts as observable too.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/jit.h"

static void
note_sight(struct jit *jit, LLVMValueRef at, void *data)
{
    bool *sees = data;
    (void)jit;
    *sees |= jit_sight(at) || jit_calls(at, "__pycuda_vprintf");
}

void
jit_find_apart(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    bool apart = true; /* result for functions that kernels call */
    for (; function; function = LLVMGetNextFunction(function)) {
        struct jit_kernel *kernel = jit_kernel_of(jit, function);
        bool sees = false;
        jit_each_instruction(jit, function, note_sight, &sees);
        if (kernel) {
            kernel->apart = !sees;
        } else {
            apart &= !sees;
        }
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        jit->kernels[i].apart &= apart;
    }
}
