/* debug_locations.c - attaches source locations to the entries of kernels.
 *
 * Called by main.c for --debug and --show=explain. A kernel's debug
 * information moves to its entry, into which the body is inlined. Instructions
 * of the entry, such as loops over blocks and threads, get the line of the
 * kernel's start, or of the barrier that the loop follows.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/explain.h"
#include "jit/ir.h"
#include "jit/jit.h"

/* Returns the number of the start point at which the body is called: k for the
 * code after the k-th barrier or warp operation, 0 for the kernel's start. */
static unsigned
point_of(const struct jit_kernel *kernel, LLVMValueRef call)
{
    unsigned index =
        kernel->parameter_count + JIT_BODY_ARGUMENTS + JIT_REGION_POINT;
    LLVMValueRef value = kernel->regions ? LLVMGetOperand(call, index) : NULL;

    return value && LLVMIsAConstantInt(value)
               ? (unsigned)LLVMConstIntGetZExtValue(value)
               : 0;
}

struct keeping {
    struct jit *jit;
    const struct jit_kernel *kernel;
    LLVMMetadataRef scope;
    /* instructions of the entry that were visited after the latest call of the
     * kernel body; they get a source location when the next call is visited */
    LLVMValueRef waiting[4096];
    unsigned count;
};

static void
assign_pending(struct keeping *keeping, unsigned line)
{
    LLVMMetadataRef location = LLVMDIBuilderCreateDebugLocation(
        keeping->jit->context, line, 0, keeping->scope, NULL);

    for (unsigned i = 0; i < keeping->count; i++) {
        LLVMInstructionSetDebugLoc(keeping->waiting[i], location);
    }
    keeping->count = 0;
}

static void
keep_instruction(struct jit *jit, LLVMValueRef at, void *data)
{
    struct keeping *keeping = data;
    bool call = jit_callee(at) == keeping->kernel->body;

    (void)jit;
    if (!call && keeping->count < 4096) {
        keeping->waiting[keeping->count++] = at;
    }
    if (call) {
        assign_pending(
            keeping,
            jit_explain_line(keeping->kernel, point_of(keeping->kernel, at)));
    }
}

static void
keep_kernel(struct jit *jit, struct jit_kernel *kernel)
{
    static struct keeping keeping;
    LLVMMetadataRef scope = jit_explain_scope(kernel);
    LLVMValueRef entry = LLVMGetNamedFunction(
        jit->module, kernel->warps ? jit_warp_symbol(kernel) : kernel->symbol);

    if (!scope || !entry) {
        return;
    }
    keeping = (struct keeping){.jit = jit, .kernel = kernel, .scope = scope};
    jit_each_instruction(jit, entry, keep_instruction, &keeping);
    assign_pending(&keeping, jit_explain_line(kernel, 0));
    LLVMSetSubprogram(kernel->body, NULL);
    LLVMSetSubprogram(entry, scope);
}

void
jit_keep_locations(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        keep_kernel(jit, &jit->kernels[i]);
    }
}
