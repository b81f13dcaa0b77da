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
    switch (LLVMGetInstructionOpcode(at)) {
    case LLVMLoad:
        *sees |= LLVMGetVolatile(at) ||
                 LLVMGetOrdering(at) != LLVMAtomicOrderingNotAtomic;
        break;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
        *sees = true;
        break;
    case LLVMCall:
        *sees |= jit_calls(at, "__pycuda_vprintf");
        break;
    default:
        break;
    }
}

static struct jit_kernel *
kernel_of(struct jit *jit, LLVMValueRef function)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        if (jit->kernels[i].function == function) {
            return &jit->kernels[i];
        }
    }
    return NULL;
}

void
jit_find_apart(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    bool apart = true; /* what kernels call */
    for (; function; function = LLVMGetNextFunction(function)) {
        struct jit_kernel *kernel = kernel_of(jit, function);
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
