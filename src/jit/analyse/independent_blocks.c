/* independent_blocks.c - finds kernels with blocks that cannot observe each
 * other while they run.
 *
 * The runtime may start the thread blocks of such a kernel in any order, since
 * no thread block waits for another. A thread could observe other thread
 * blocks by a volatile or atomic read, or by a read after a fence. A call of
 * printf also lets blocks observe each other, since the order of the output is
 * visible.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include <llvm-c/Core.h>

#include "jit/analyse/independent_blocks.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/retarget/retarget.h"

static void
note_sight(struct jit *jit, LLVMValueRef at, void *data)
{
    bool *sees = data;
    (void)jit;
    *sees |= jit_sight(at) || jit_calls(at, "__pycuda_vprintf");
}

void
jit_find_independent_blocks(struct jit *jit)
{
    LLVMValueRef function = LLVMGetFirstFunction(jit->module);
    /* becomes false at the first called function that lets thread blocks
     * observe each other */
    bool apart = true;
    for (; function; function = LLVMGetNextFunction(function)) {
        struct jit_kernel *kernel = jit_kernel_of(jit, function);
        bool sees = false;
        jit_each_instruction(jit, function, note_sight, &sees);
        if (kernel) {
            kernel->independent = !sees;
        } else {
            apart &= !sees;
        }
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        jit->kernels[i].independent &= apart;
    }
}
