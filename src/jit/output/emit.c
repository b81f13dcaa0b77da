/* emit.c - creates the target machine (LLVM's code generator for a processor),
 * and emits the module as an ELF object or as text.
 *
 * Called by main.c.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/entries/entries.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/options.h"
#include "jit/output/output.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/target/target.h"

void
jit_open_target(struct jit *jit)
{
    const struct jit_target *row = jit->options.target;
    LLVMTargetRef target;
    char *message = NULL;
    static const LLVMCodeGenOptLevel levels[] = {
        LLVMCodeGenLevelNone, LLVMCodeGenLevelLess, LLVMCodeGenLevelDefault,
        LLVMCodeGenLevelDefault};
    int level =
        jit->options.quick == JIT_QUICK_NOW ? 0 : jit->options.level & 3;
    row->open();
    if (LLVMGetTargetFromTriple(row->triple, &target, &message)) {
        jit_die("target: %s", message);
    }
    jit->machine = LLVMCreateTargetMachine(target, row->triple, row->cpu, "",
                                           levels[level], LLVMRelocPIC,
                                           LLVMCodeModelSmall);
    LLVMSetTarget(jit->module, row->triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(jit->machine);
    LLVMSetModuleDataLayout(jit->module, layout);
}

static uint32_t
align_16(uint64_t bytes)
{
    return (uint32_t)((bytes + 15) / 16 * 16);
}

static void
measure_private(struct jit *jit, LLVMValueRef at, void *data)
{
    struct jit_kernel *kernel = data;
    if (LLVMIsAAllocaInst(at)) {
        kernel->local_bytes += align_16(LLVMABISizeOfType(
            LLVMGetModuleDataLayout(jit->module), LLVMGetAllocatedType(at)));
    }
}

/* Reports an error if a kernel's frame exceeds the limit. Inlined functions
 * with small frames can add up to a large one. `callee_bytes` is the size in
 * bytes of the frames of functions that were not inlined. */
static void
check_frame(const struct jit_kernel *kernel, uint64_t callee_bytes)
{
    uint64_t bytes = callee_bytes + jit_report_frame(kernel->symbol);
    if (bytes > JIT_MAX_BYTES) {
        jit_user_error(NULL,
                       "the kernel '%s' needs a frame of %llu bytes: more "
                       "than the limit of the CPU device, %llu",
                       kernel->name, (unsigned long long)bytes,
                       (unsigned long long)JIT_MAX_BYTES);
    }
}

/* Sets the frame size of each kernel in bytes: the frame of its entry. If the
 * kernel calls functions that were not inlined, the frames of all such
 * functions of the module are added. For the return address and saved
 * registers, a constant is added to the size of each frame. */
static void
measure_frames(struct jit *jit)
{
    enum { CALL_OVERHEAD = 64 };
    uint64_t callee_bytes = 0;
    LLVMValueRef at = LLVMGetFirstFunction(jit->module);
    for (; at; at = LLVMGetNextFunction(at)) {
        if (!LLVMIsDeclaration(at) && jit_is_noinline(jit, at)) {
            callee_bytes += jit_report_frame(jit_name(at)) + CALL_OVERHEAD;
        }
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        check_frame(kernel, kernel->calls_functions ? callee_bytes : 0);
        kernel->frame_bytes =
            align_16(jit_report_frame(kernel->symbol) + CALL_OVERHEAD +
                     (kernel->calls_functions ? callee_bytes : 0));
        kernel->warp_frame_bytes =
            kernel->warps
                ? align_16(jit_report_frame(jit_warp_symbol(kernel)) +
                           CALL_OVERHEAD)
                : 0;
    }
}

static LLVMMemoryBufferRef
generate(struct jit *jit, LLVMCodeGenFileType type)
{
    LLVMMemoryBufferRef code;
    char *message = NULL;

    for (unsigned i = 0; i < jit->global_count; i++) {
        /* The host program may write device variables, so they must be in the
         * writable data section. */
        LLVMSetGlobalConstant(jit->globals[i].variable, 0);
    }
    if (LLVMTargetMachineEmitToMemoryBuffer(jit->machine, jit->module, type,
                                            &message, &code)) {
        jit_die("code generation: %s", message);
    }
    jit_stop_on_errors();
    return code;
}

LLVMMemoryBufferRef
jit_emit(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        LLVMValueRef entry =
            LLVMGetNamedFunction(jit->module, jit->kernels[i].symbol);
        /* For a kernel that is split at its barriers, spill.c has already
         * computed the size of its private variables. */
        if (!jit->kernels[i].regions) {
            jit_each_instruction(jit, entry, measure_private,
                                 &jit->kernels[i]);
        }
    }
    LLVMMemoryBufferRef object = generate(jit, LLVMObjectFile);
    measure_frames(jit);
    jit_stop_on_errors();
    return object;
}

void
jit_show_code(struct jit *jit)
{
    if (jit->options.output == JIT_OUTPUT_IR) {
        fputs(LLVMPrintModuleToString(jit->module), stdout);
        return;
    }
    LLVMMemoryBufferRef code = generate(jit, LLVMAssemblyFile);
    fwrite(LLVMGetBufferStart(code), 1, LLVMGetBufferSize(code), stdout);
}
