/* body.c - arguments of a kernel body.
 *
 * Called by all passes that change bodies. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/jit.h"

LLVMValueRef
jit_body_argument(const struct jit_kernel *kernel, int which)
{
    return LLVMGetParam(kernel->body,
                        kernel->parameter_count + (unsigned)which);
}
