/* entries.c - code shared by all kinds of entries.
 *
 * Called by main.c and by the other files of entries/. An entry is the
 * function through which the runtime runs a kernel: it calls the kernel's body
 * for each thread. Entries are written as IR text, because LLVM-C cannot make
 * distinct metadata, which the vectoriser's hints need. The texts of all
 * entries of the module are joined, parsed and linked once.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>

#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/report.h"
#include "jit/target/target.h"
#include "jit/text.h"

static const char *const argument_names[JIT_BODY_ARGUMENTS] = {
    "%tid0",   "%tid1",    "%tid2",  "%ctaid0",  "%ctaid1",  "%ctaid2",
    "%ntid0",  "%ntid1",   "%ntid2", "%nctaid0", "%nctaid1", "%nctaid2",
    "%linear", "%dynamic", "%index", "%wide",    "%shared",  "%whole",
    "%thread", "%warpx",   "%warpl", "%vote",
};

const char *
jit_text_operand(struct jit_text *text, struct jit_kernel *kernel,
                 LLVMValueRef value)
{
    static unsigned serial;
    if (LLVMIsAConstantInt(value)) {
        return jit_format("%lld", LLVMConstIntGetSExtValue(value));
    }
    for (unsigned i = 0; i < kernel->parameter_count; i++) {
        if (LLVMGetParam(kernel->body, i) == value) {
            return jit_format("%%p%u", i);
        }
    }
    for (int i = 0; i < JIT_BODY_ARGUMENTS; i++) {
        if (jit_body_argument(kernel, i) == value) {
            return argument_names[i];
        }
    }
    const char *first =
        jit_text_operand(text, kernel, LLVMGetOperand(value, 0));
    const char *result = jit_format("%%u%u", serial++);
    char *from = LLVMPrintTypeToString(LLVMTypeOf(LLVMGetOperand(value, 0)));
    char *to = LLVMPrintTypeToString(LLVMTypeOf(value));
    const char *opcode = "add";
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMZExt:
    case LLVMSExt:
    case LLVMTrunc:
        opcode = LLVMIsAZExtInst(value)   ? "zext"
                 : LLVMIsASExtInst(value) ? "sext"
                                          : "trunc";
        jit_text_add(text, "  %s = %s %s %s to %s\n", result, opcode, from,
                     first, to);
        return result;
    case LLVMSub:
        opcode = "sub";
        break;
    case LLVMMul:
        opcode = "mul";
        break;
    case LLVMShl:
        opcode = "shl";
        break;
    default:
        break;
    }
    const char *second =
        jit_text_operand(text, kernel, LLVMGetOperand(value, 1));
    jit_text_add(text, "  %s = %s %s %s, %s\n", result, opcode, to, first,
                 second);
    return result;
}

/* Writes loads of the kernel's parameters from the parameter buffer into
 * %p<i>. For a struct, %p<i> is its address in the buffer. */
void
jit_text_parameters(struct jit *jit, struct jit_kernel *kernel)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(jit->module);
    for (unsigned i = 0; i < kernel->parameter_count; i++) {
        struct jit_parameter *row = &kernel->parameters[i];
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel->body, i));
        bool by_value =
            LLVMGetTypeKind(type) == LLVMPointerTypeKind && row->is_struct;
        jit_text_add(jit->wrappers,
                     "  %%%s%u = getelementptr inbounds i8, ptr %%params, "
                     "i64 %u\n",
                     by_value ? "p" : "a", i, row->offset);
        if (!by_value) {
            jit_text_add(jit->wrappers,
                         "  %%p%u = load %s, ptr %%a%u, align %u\n", i,
                         LLVMPrintTypeToString(type), i,
                         LLVMABIAlignmentOfType(layout, type));
        }
    }
}

/* Writes IR text that loads blockDim and gridDim. `axis`: the axis of the
 * launch (0: x, 1: y, 2: z) that the entry exchanges with x. `first`: number
 * of values of blockDim that the caller has written already. */
static void
write_sizes(struct jit_text *text, unsigned axis, unsigned first)
{
    static const struct {
        const char *name;
        unsigned offset, limits[3];
    } groups[] = {{"ntid", 12, {1025, 1025, 65}},
                  {"nctaid", 24, {0x80000000u, 65536, 65536}}};
    for (unsigned g = 0; g < 2; g++) {
        for (unsigned i = g ? 0 : first; i < 3; i++) {
            unsigned from = i == 0 ? axis : i == axis ? 0 : i;
            jit_text_add(text,
                         "  %%%s%u.p = getelementptr inbounds i8, ptr "
                         "%%block, i64 %u\n"
                         "  %%%s%u = load i32, ptr %%%s%u.p, "
                         "!range !{i32 1, i32 %d}\n",
                         groups[g].name, i, groups[g].offset + 4 * from,
                         groups[g].name, i, groups[g].name, i,
                         (int)groups[g].limits[from]);
        }
    }
}

/* Writes IR text that loads blockDim, gridDim and the address of shared
 * memory. `width` is blockDim.x, or 0 if it is unknown. `flat`: the kernel
 * does not use threadIdx.y. If `flat` is true and `width` is known, the text
 * has the constant 1 for blockDim.y and blockDim.z. `own`: no other pointer
 * refers to the thread block's shared memory while the entry runs
 * (output/vector_slices.c). */
void
jit_text_geometry(struct jit *jit, unsigned axis, unsigned width, bool flat,
                  bool own)
{
    struct jit_text *text = jit->wrappers;
    jit_text_add(text,
                 "  %%blockp = getelementptr inbounds i8, ptr %%thread, "
                 "i64 16\n  %%block = load ptr, ptr %%blockp\n"
                 "  %%sharedp = getelementptr inbounds i8, ptr %%block, "
                 "i64 40\n  %%shared%s = load ptr, ptr %%sharedp\n",
                 own ? ".all" : "");
    if (own) {
        jit_text_add(text, "  %%shared = call noalias ptr @" JIT_UNALIASED
                           "(ptr %%shared.all)\n");
    }
    if (width) {
        jit_text_add(text, "  %%ntid0 = add i32 0, %u\n", width);
    }
    if (width && flat) {
        jit_text_add(text, "  %%ntid1 = add i32 0, 1\n"
                           "  %%ntid2 = add i32 0, 1\n");
    }
    write_sizes(text, axis, !width ? 0 : flat ? 3 : 1);
    jit_text_add(text, "  %%dynamic.p = getelementptr inbounds i8, ptr "
                       "%%block, i64 36\n"
                       "  %%dynamic = load i32, ptr %%dynamic.p\n");
}

/* Writes the types of the body's arguments, separated by commas. */
static void
declare_arguments(struct jit *jit, struct jit_kernel *kernel)
{
    unsigned count = LLVMCountParams(kernel->body);
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel->body, i));
        jit_text_add(jit->wrappers, "%s%s", i ? ", " : "",
                     LLVMPrintTypeToString(type));
    }
}

/* Writes declarations of the functions that run packs (neighbouring threads as
 * lanes of vectors, pack/), one for each width.
 * `name` is the last part of the functions' names. */
static void
declare_packs(struct jit *jit, struct jit_kernel *kernel,
              const unsigned *widths, const char *name)
{
    for (unsigned i = 0; i < JIT_PACK_WIDTHS && widths[i]; i++) {
        jit_text_add(jit->wrappers, "declare void @\"pack%u.%s\"(", widths[i],
                     name);
        declare_arguments(jit, kernel);
        jit_text_add(jit->wrappers, ", <%u x i1>)\n", widths[i]);
    }
}

/* Writes IR declarations of the functions that the entry calls: the kernel's
 * body, and the functions that run it for a pack (neighbouring threads as
 * lanes of vectors). The entry's text needs them because it is parsed before
 * it is linked with the module. */
static void
declare_body(struct jit *jit, struct jit_kernel *kernel)
{
    jit_text_add(jit->wrappers, "declare void @\"body.%s\"(", kernel->name);
    declare_arguments(jit, kernel);
    jit_text_add(jit->wrappers, ")\n");
    declare_packs(jit, kernel, kernel->packs, kernel->name);
    for (unsigned k = 0; kernel->regions && k < kernel->regions->count; k++) {
        declare_packs(jit, kernel, kernel->regions->packs[k],
                      jit_format("%s.%u", kernel->name, k));
    }
}

/* Tests whether the argument of the body has a different value for each
 * thread, rather than one value for the whole thread block. */
static bool
differs(unsigned which)
{
    return which < JIT_CTAID || which == JIT_LINEAR ||
           which == JIT_GLOBAL_INDEX || which == JIT_WIDE_INDEX ||
           which == JIT_WHOLE || which == JIT_WARP_X ||
           which == JIT_WARP_LINEAR || which == JIT_VOTE;
}

/* Tests whether the argument of the body is used only by kernels that run one
 * warp after the other. */
static bool
is_of_warps(unsigned which)
{
    return which == JIT_WARP_X || which == JIT_WARP_LINEAR ||
           which == JIT_VOTE;
}

void
jit_text_arguments(struct jit *jit, struct jit_kernel *kernel,
                   const char *suffix)
{
    unsigned own = kernel->parameter_count;
    for (unsigned i = 0; i < own + JIT_BODY_ARGUMENTS; i++) {
        LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(kernel->body, i));
        char *name = LLVMPrintTypeToString(type);
        if (i < own) {
            jit_text_add(jit->wrappers, "%s%s %%p%u", i ? ", " : "", name, i);
        } else if (!kernel->warps && is_of_warps(i - own)) {
            jit_text_add(jit->wrappers, "%s%s poison", i ? ", " : "", name);
        } else {
            jit_text_add(jit->wrappers, "%s%s %s%s", i ? ", " : "", name,
                         argument_names[i - own],
                         differs(i - own) ? suffix : "");
        }
    }
}

void
jit_text_call(struct jit *jit, struct jit_kernel *kernel, const char *suffix,
              const char *metadata)
{
    jit_text_add(jit->wrappers, "  call void @\"body.%s\"(", kernel->name);
    jit_text_arguments(jit, kernel, suffix);
    jit_text_add(jit->wrappers, ")%s\n", metadata);
}

/* Copies the attribute byval from the parameters of the body to the arguments
 * of each call of it, since LLVM requires the attribute at both. */
static void
copy_byval(struct jit *jit, struct jit_kernel *kernel)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMUseRef use = LLVMGetFirstUse(kernel->body);
    (void)jit;
    for (; use; use = LLVMGetNextUse(use)) {
        for (unsigned i = 0; i < kernel->parameter_count; i++) {
            LLVMAttributeRef type =
                LLVMGetEnumAttributeAtIndex(kernel->body, i + 1, byval);
            LLVMAttributeRef alignment =
                LLVMGetEnumAttributeAtIndex(kernel->body, i + 1, align);
            if (type) {
                LLVMAddCallSiteAttribute(LLVMGetUser(use), i + 1, type);
            }
            if (type && alignment) {
                LLVMAddCallSiteAttribute(LLVMGetUser(use), i + 1, alignment);
            }
        }
    }
}

static void
link_wrappers(struct jit *jit)
{
    char *message = NULL;
    LLVMModuleRef module;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
        jit->wrappers->bytes, jit->wrappers->length, "entries");
    if (LLVMParseIRInContext(jit->context, buffer, &module, &message)) {
        jit_die("entries: %s", message);
    }
    if (LLVMLinkModules2(jit->module, module)) {
        jit_die("the entries cannot be linked");
    }
}

/* Starts an empty text, to which the entries of the module are appended. */
static void
open_text(struct jit *jit)
{
    jit->wrappers = jit_allocate(sizeof *jit->wrappers);
    jit_text_add(
        jit->wrappers, "target datalayout = \"%s\"\ntarget triple = \"%s\"\n",
        LLVMGetDataLayoutStr(jit->module), LLVMGetTarget(jit->module));
}

/* Completes the IR text of the entries, parses it and links it into the
 * module. LLVM intrinsics need no declarations in the text. */
static void
close_text(struct jit *jit)
{
    const struct jit_target *target = jit->options.target;
    if (jit->options.checks) {
        jit_text_add(jit->wrappers,
                     "declare void @__pycuda_check_block(i32, i32, i32)\n"
                     "declare void @__pycuda_check_meet()\n");
    }
    jit_text_add(jit->wrappers,
                 "declare void @__pycuda_warp_groups(ptr, i32)\n"
                 "declare noalias ptr @" JIT_UNALIASED "(ptr) nounwind "
                 "willreturn nosync nofree memory(none)\n"
                 "attributes #0 = { nounwind null_pointer_is_valid "
                 "\"target-cpu\"=\"%s\" "
                 "\"prefer-vector-width\"=\"%s\" \"warn-stack-size\"=\"0\" "
                 "\"target-features\"=\"%s\" }\n"
                 "attributes #1 = { nounwind null_pointer_is_valid "
                 "alwaysinline "
                 "\"target-cpu\"=\"%s\" "
                 "\"prefer-vector-width\"=\"%s\" }\n"
                 "!0 = distinct !{}\n"
                 "!1 = !{!\"llvm.loop.parallel_accesses\", !0}\n"
                 "!2 = !{!\"llvm.loop.unroll.disable\"}\n"
                 "!3 = !{!\"llvm.loop.interleave.count\", i32 4}\n"
                 "!5 = !{!\"llvm.loop.interleave.count\", i32 1}\n"
                 "!6 = !{!\"llvm.loop.vectorize.predicate.enable\", i1 true}"
                 "\n"
                 "!7 = !{!\"llvm.loop.unroll.full\"}\n"
                 "!4 = !{!\"llvm.loop.vectorize.enable\", i1 true}\n",
                 target->cpu, target->vector_bits, target->features,
                 target->cpu, target->vector_bits);
    link_wrappers(jit);
}

/* Removes the source location of an instruction. A debugger must find the
 * source lines of a kernel in one function only. A kernel with warp operations
 * has two functions with its code: one runs it one warp after the other, the
 * other one on fibers. The locations are removed from the function for
 * fibers. */
static void
drop_location(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    LLVMInstructionSetDebugLoc(at, NULL);
}

void
jit_add_thread_entry(struct jit *jit, struct jit_kernel *kernel)
{
    open_text(jit);
    declare_body(jit, kernel);
    jit_write_thread_entry(jit, kernel);
    close_text(jit);
    jit_add_attribute(jit, kernel->body, "alwaysinline");
    jit_run_passes(jit, "always-inline");
    jit_drop_attribute(kernel->body, "alwaysinline");
    jit_each_instruction(jit,
                         LLVMGetNamedFunction(jit->module, kernel->symbol),
                         drop_location, NULL);
    kernel->threads_made = true;
}

/* Writes the entry for the way in which the kernel runs: by warps, on fibers,
 * as thread loops between barriers, or as a single thread loop. */
static void
write_entry(struct jit *jit, struct jit_kernel *kernel)
{
    if (kernel->warps) {
        jit_write_warp_entry(jit, kernel);
    } else if (kernel->threads_made) {
        /* The kernel runs on fibers only, one for each thread;
         * jit_add_thread_entry has written its entry. */
        return;
    } else if (kernel->fibers) {
        jit_write_thread_entry(jit, kernel);
    } else if (kernel->regions) {
        jit_write_region_entry(jit, kernel);
    } else {
        jit_write_loop_entry(jit, kernel);
    }
}

/* Makes a kernel body internal to the module, and lets LLVM inline it into all
 * its callers, the entries. */
static void
hide(struct jit *jit, LLVMValueRef function)
{
    LLVMSetLinkage(function, LLVMInternalLinkage);
    jit_add_attribute(jit, function, "alwaysinline");
}

static void
hide_packs(struct jit *jit, const unsigned *widths, const char *name)
{
    for (unsigned i = 0; i < JIT_PACK_WIDTHS && widths[i]; i++) {
        hide(jit, LLVMGetNamedFunction(
                      jit->module, jit_format("pack%u.%s", widths[i], name)));
    }
}

void
jit_add_entries(struct jit *jit)
{
    open_text(jit);
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        declare_body(jit, &jit->kernels[i]);
        write_entry(jit, &jit->kernels[i]);
    }
    close_text(jit);
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        /* The linker has connected the calls in the entries to the kernel
         * bodies. kernel->body is still valid. */
        copy_byval(jit, kernel);
        hide(jit, kernel->body);
        hide_packs(jit, kernel->packs, kernel->name);
        for (unsigned k = 0; kernel->regions && k < kernel->regions->count;
             k++) {
            hide_packs(jit, kernel->regions->packs[k],
                       jit_format("%s.%u", kernel->name, k));
        }
    }
}
