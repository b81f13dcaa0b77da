/* regions.c - makes a function of the code between two barriers of a kernel.
 *
 * Called by pack.c. The body of a kernel that is split at its barriers
 * receives the start point from which it runs as an argument. The passes of
 * this folder work on whole functions. Therefore this file adds a function for
 * the code from one start point to the next barrier (a "region"). The function
 * has the type of the body:
 *
 *     void region.1.name(..., i32 point, ...) { body.name(..., 1, ...); }
 *
 * The body is inlined, and LLVM's passes remove the code of the other start
 * points.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"
#include "jit/body.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/pack/pack.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

static LLVMValueRef
region_argument(const struct jit_kernel *kernel, int which)
{
    return jit_body_argument(kernel, JIT_BODY_ARGUMENTS + which);
}

unsigned
jit_pack_start(const struct jit_kernel *kernel, const struct jit_cfg *cfg,
               unsigned point)
{
    LLVMValueRef choice = LLVMGetBasicBlockTerminator(cfg->blocks[0].block);
    if (!LLVMIsASwitchInst(choice) ||
        LLVMGetOperand(choice, 0) !=
            region_argument(kernel, JIT_REGION_POINT)) {
        return NO_BLOCK;
    }
    for (unsigned i = 1; i < LLVMGetNumSuccessors(choice); i++) {
        LLVMValueRef number = LLVMGetOperand(choice, 2 * i);
        if (LLVMConstIntGetZExtValue(number) == point) {
            return jit_cfg_index(cfg, LLVMGetSuccessor(choice, i));
        }
    }
    return jit_cfg_index(cfg, LLVMGetSuccessor(choice, 0));
}

/* Tests for an instruction that the threads must execute one after the other:
 * the volatile load or store of an atomic on shared memory, or the load or
 * store of the sum that a barrier such as __syncthreads_count returns. */
static bool
is_ordered(const struct jit_kernel *kernel, LLVMValueRef at)
{
    bool store = LLVMIsAStoreInst(at) != NULL;
    if (!store && !LLVMIsALoadInst(at)) {
        return false;
    }
    return LLVMGetVolatile(at) ||
           LLVMGetOperand(at, store) ==
               region_argument(kernel, JIT_REGION_VOTES);
}

bool
jit_pack_is_parallel(const struct jit_kernel *kernel,
                     const struct jit_cfg *cfg, unsigned start)
{
    bool parallel = true, *reached = jit_allocate(cfg->count);
    jit_cfg_reach(cfg, start, NO_BLOCK, reached);
    for (unsigned b = 0; b < cfg->count; b++) {
        LLVMValueRef at =
            reached[b] ? LLVMGetFirstInstruction(cfg->blocks[b].block) : NULL;
        for (; at; at = LLVMGetNextInstruction(at)) {
            parallel = parallel && (!is_ordered(kernel, at) ||
                                    PLANTED_FAULT(pack_ordered));
        }
    }
    free(reached);
    return parallel;
}

struct jit_kernel *
jit_pack_region(struct jit *jit, const struct jit_kernel *kernel,
                unsigned point)
{
    struct jit_kernel *region = jit_allocate(sizeof *region);
    unsigned count = LLVMCountParams(kernel->body);
    LLVMTypeRef type = LLVMGlobalGetValueType(kernel->body);
    LLVMValueRef *arguments = jit_allocate(count * sizeof(LLVMValueRef));
    *region = *kernel;
    region->regions = NULL;
    region->name = jit_format("%s.%u", kernel->name, point);
    region->body = LLVMAddFunction(
        jit->module, jit_format("region.%s", region->name), type);
    jit_add_attribute(jit, region->body, "nounwind");
    jit_add_attribute(jit, region->body, "null_pointer_is_valid");
    for (unsigned i = 0; i < count; i++) {
        arguments[i] = LLVMGetParam(region->body, i);
        if (arguments[i] == region_argument(region, JIT_REGION_POINT)) {
            arguments[i] = jit_constant(jit, point);
        }
    }
    LLVMPositionBuilderAtEnd(
        jit->builder,
        LLVMAppendBasicBlockInContext(jit->context, region->body, ""));
    LLVMSetCurrentDebugLocation2(jit->builder, NULL);
    LLVMAddCallSiteAttribute(
        LLVMBuildCall2(jit->builder, type, kernel->body, arguments, count, ""),
        (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateEnumAttribute(
            jit->context, LLVMGetEnumAttributeKindForName("alwaysinline", 12),
            0));
    LLVMBuildRetVoid(jit->builder);
    free(arguments);
    return region;
}

/* Removes alias metadata from the instruction. The inliner has added the
 * metadata for noalias parameters. The metadata is right for the accesses of
 * one thread, but the code is going to run for several threads. */
static void
drop_scopes(struct jit *jit, LLVMValueRef at, void *data)
{
    static const char *const kinds[] = {"noalias", "alias.scope"};
    (void)data;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        unsigned kind = LLVMGetMDKindIDInContext(jit->context, kinds[i],
                                                 (unsigned)strlen(kinds[i]));
        LLVMSetMetadata(at, kind, NULL);
    }
    if (jit_is_call(at, "llvm.experimental.noalias.scope.decl")) {
        LLVMInstructionEraseFromParent(at);
    }
}

void
jit_pack_clean_region(struct jit *jit, const struct jit_kernel *region)
{
    jit_each_instruction(jit, region->body, drop_scopes, NULL);
}
