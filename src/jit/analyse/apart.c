/* apart.c - kernels whose blocks cannot see what others do meanwhile.
 *
 * No block of such a kernel waits for another, so that the runtime may start
 * them in any order.  What a thread reads of other blocks it reads volatilely
 * or atomically, or behind a fence.  Lines that are printed count as seen.
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
    bool apart = true; /* what kernels call */
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
